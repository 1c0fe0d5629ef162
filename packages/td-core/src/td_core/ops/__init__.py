"""Elementwise operations as rows of a table, and what runs them over the leaves of a tree."""

from .align import NUMBERS as NUMBERS
from .align import Aligned as Aligned
from .align import align as align
from .align import broadcast_batches as broadcast_batches
from .align import check_batch as check_batch
from .align import check_leaves as check_leaves
from .align import matched_leaves as matched_leaves
from .align import mismatch as mismatch
from .align import spread_mask as spread_mask
from .align import widen_mask as widen_mask
from .table import COMPARISONS as COMPARISONS
from .table import DIVIDED_INTO as DIVIDED_INTO
from .table import INVERTED as INVERTED
from .table import OPS as OPS
from .table import REMAINDER_INTO as REMAINDER_INTO
from .table import ComparisonOp as ComparisonOp
from .table import PointwiseOp as PointwiseOp
