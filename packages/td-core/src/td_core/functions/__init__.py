"""Functions of tensordicts."""

from .duplicates import isin as isin
from .duplicates import remove_duplicates as remove_duplicates
from .expand import expand_as_right as expand_as_right
from .expand import expand_right as expand_right
from .list_to_stack import list_to_stack as list_to_stack
from .list_to_stack import set_list_to_stack as set_list_to_stack
from .make import from_any as from_any
from .make import from_consolidated as from_consolidated
from .make import from_dataclass as from_dataclass
from .make import from_dict as from_dict
from .make import from_namedtuple as from_namedtuple
from .make import from_pytree as from_pytree
from .make import from_struct_array as from_struct_array
from .make import from_tuple as from_tuple
from .make import fromkeys as fromkeys
from .make import make_tensordict as make_tensordict
from .merge import merge_tensordicts as merge_tensordicts
from .padding import pad as pad
from .padding import pad_sequence as pad_sequence
from .stacking import cat as cat
from .stacking import dense_stack_tds as dense_stack_tds
from .stacking import lazy_stack as lazy_stack
from .stacking import maybe_dense_stack as maybe_dense_stack
from .stacking import stack as stack
