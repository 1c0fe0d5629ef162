"""A container for batched, nested tensors: a dict of tensors that behaves like one tensor."""

from .container.base import TensorDictBase as TensorDictBase
from .container.parse import parse_tensor_dict_string as parse_tensor_dict_string
from .container.printoptions import get_printoptions as get_printoptions
from .container.printoptions import set_printoptions as set_printoptions
from .container.tensordict import TensorDict as TensorDict
from .errors import TDError as TDError
from .keys import unravel_key as unravel_key
from .keys import unravel_key_list as unravel_key_list
from .leaves import MetaData as MetaData
from .leaves import NonTensorData as NonTensorData
from .leaves import NonTensorDataBase as NonTensorDataBase
from .leaves import NonTensorStack as NonTensorStack
from .leaves import is_leaf_nontensor as is_leaf_nontensor
from .leaves import is_non_tensor as is_non_tensor
from .leaves import is_tensor_collection as is_tensor_collection
from .typing import NO_DEFAULT as NO_DEFAULT
from .typing import NestedKey as NestedKey
