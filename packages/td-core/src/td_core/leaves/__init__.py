"""Kinds of values a container can hold."""

from .kind import NODE as NODE
from .kind import TENSOR as TENSOR
from .kind import LeafKind as LeafKind
from .kind import NodeKind as NodeKind
from .kind import WrappedNodeKind as WrappedNodeKind
from .kind import default_is_leaf as default_is_leaf
from .kind import is_leaf_default as is_leaf_default
from .kind import is_leaf_nontensor as is_leaf_nontensor
from .kind import is_tensor_collection as is_tensor_collection
from .kind import kind_of as kind_of
from .kind import kind_of_type as kind_of_type
from .kind import map_value as map_value
from .kind import register_kind as register_kind
from .kind import register_kind_resolver as register_kind_resolver
from .kind import transform as transform
from .non_tensor import MetaData as MetaData
from .non_tensor import NonTensorData as NonTensorData
from .non_tensor import NonTensorStack as NonTensorStack
from .non_tensor import as_non_tensor as as_non_tensor
from .non_tensor_base import NonTensorDataBase as NonTensorDataBase
from .non_tensor_base import is_non_tensor as is_non_tensor
from .non_tensor_kind import NonTensorKind as NonTensorKind
from .non_tensor_kind import rebatched_value as rebatched_value
