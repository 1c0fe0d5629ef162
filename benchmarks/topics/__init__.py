"""All workloads, one file a topic; each file has a tuple ``WORKLOADS``."""

from ..workload import Workload
from . import arithmetic, combine, compare, construct, entries, index, keys, lock, mask, reduce, shape, values, views

WORKLOADS: tuple[Workload, ...] = (
    *construct.WORKLOADS,
    *entries.WORKLOADS,
    *views.WORKLOADS,
    *keys.WORKLOADS,
    *lock.WORKLOADS,
    *index.WORKLOADS,
    *shape.WORKLOADS,
    *combine.WORKLOADS,
    *arithmetic.WORKLOADS,
    *compare.WORKLOADS,
    *reduce.WORKLOADS,
    *values.WORKLOADS,
    *mask.WORKLOADS,
)
