"""Comparisons and tests of every element."""

from __future__ import annotations

import operator

from ..floors import per_leaf
from ..trees import DEEP, FLAT
from ..workload import Workload, beside, bulk, pair

TREES = (*FLAT, DEEP[1], DEEP[2])

WORKLOADS: tuple[Workload, ...] = (
    bulk("compare/eq-td", per_leaf("leaf == other[key]", zipped=("other",)), operator.eq, pair, trees=TREES),
    bulk("compare/ne-td", per_leaf("leaf != other[key]", zipped=("other",)), operator.ne, pair, trees=TREES),
    bulk("compare/lt-td", per_leaf("leaf < other[key]", zipped=("other",)), operator.lt, pair, trees=TREES),
    bulk("compare/eq-number", per_leaf("leaf == x", "x"), operator.eq, beside(1.0), trees=TREES),
    bulk("compare/gt-number", per_leaf("leaf > x", "x"), operator.gt, beside(1.0), trees=TREES),
    bulk("compare/isfinite", per_leaf("leaf.isfinite()"), lambda td: td.isfinite(), trees=TREES),
    bulk("compare/isnan", per_leaf("leaf.isnan()"), lambda td: td.isnan(), trees=TREES),
)
