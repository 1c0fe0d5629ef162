"""Structural operations as values: small objects that say what happens to a tensor, a batch size and the names."""

from .dims import Expand as Expand
from .dims import Flatten as Flatten
from .dims import Gather as Gather
from .dims import Permute as Permute
from .dims import Regroup as Regroup
from .dims import Reshape as Reshape
from .dims import Squeeze as Squeeze
from .dims import Transpose as Transpose
from .dims import Unflatten as Unflatten
from .dims import Unsqueeze as Unsqueeze
from .dims import ViewDtype as ViewDtype
from .dims import infer_size as infer_size
from .dims import wrap_dim as wrap_dim
from .index import Index as Index
from .index import parse_index as parse_index
from .op import Names as Names
from .op import StructuralOp as StructuralOp
from .rearrange import Flip as Flip
from .rearrange import Repeat as Repeat
from .rearrange import RepeatInterleave as RepeatInterleave
from .rearrange import Roll as Roll
from .rearrange import RollFlat as RollFlat
