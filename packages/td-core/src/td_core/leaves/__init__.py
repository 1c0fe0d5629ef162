"""Kinds of values a container can hold."""

from .kind import NODE as NODE
from .kind import TENSOR as TENSOR
from .kind import LeafKind as LeafKind
from .kind import NodeKind as NodeKind
from .kind import is_leaf_default as is_leaf_default
from .kind import is_leaf_nontensor as is_leaf_nontensor
from .kind import is_tensor_collection as is_tensor_collection
from .kind import kind_of as kind_of
from .kind import kind_of_type as kind_of_type
from .kind import register_kind as register_kind
from .kind import register_kind_resolver as register_kind_resolver
from .kind import transform as transform
