"""Conversions to and from Python data, state dicts, and the free functions that build tensordicts."""

from __future__ import annotations

from ..draw import Draw
from ..state import State
from ..tensors import tensor_of_any_dtype
from .arguments import like_tree
from .registry import operation


@operation("to_dict", 0.7)
def to_dict(draw: Draw, state: State) -> str:
    options = draw.weighted(
        ("", "retain_none=False", "convert_tensors=True", "convert_tensors='numpy'"), (5, 0.5, 0.5, 0.5)
    )
    return f"out = td.to_dict({options})"


@operation("to_tensordict", 0.5, adopt=0.2)
def to_tensordict(draw: Draw, state: State) -> str:
    return "out = td.to_tensordict()"


@operation("numpy", 0.5)
def to_numpy(draw: Draw, state: State) -> str:
    return "out = td.numpy()"


@operation("tolist", 0.3)
def tolist(draw: Draw, state: State) -> str:
    return f"out = td.tolist({draw.pick(('', '', 'convert_tensors=True', 'convert_nodes=False'))})"


@operation("namedtuple", 0.5)
def to_namedtuple(draw: Draw, state: State) -> str:
    return draw.pick(
        (
            "out = td.to_namedtuple()",
            "out = lib.TensorDict.from_namedtuple(td.to_namedtuple())",
            "out = lib.TensorDict.from_namedtuple(td.to_namedtuple(), auto_batch_size=True)",
            "out = lib.from_namedtuple(namedtuple('P', 'x y')(torch.zeros(3), torch.ones(3, 2)), auto_batch_size=True)",
        )
    )


@operation("state_dict", 0.5)
def state_dict(draw: Draw, state: State) -> str:
    options = draw.pick(("", "", "flatten=False", "flatten=True", "prefix='p.'", "keep_vars=True"))
    return f"out = td.state_dict({options})"


@operation("load_state_dict", 0.5)
def load_state_dict(draw: Draw, state: State) -> str:
    source = draw.pick(("td.clone()", "(td * 2)", like_tree(draw, state, state.batch_size, 0.2)))
    options = draw.pick(("", ", strict=False", ", assign=True"))
    flatten = draw.pick(("", "flatten=True", "flatten=False"))
    return f"out = td.load_state_dict({source}.state_dict({flatten}){options})"


@operation("from_dict", 1)
def from_dict(draw: Draw, state: State) -> str:
    source = draw.pick(("td.to_dict()", like_tree(draw, state, state.batch_size, 0.1, plain=True), "td"))
    options = draw.pick(
        (
            "",
            "auto_batch_size=True",
            "auto_batch_size=False",
            "auto_batch_size=True, batch_dims=1",
            f"batch_size={list(state.batch_size)}",
            "batch_size=[]",
            "batch_dims=1",
            "device='cpu'",
            f"batch_size={list(state.batch_size)}, names={list('tuvwxyz')[: state.dims]}",
            f"batch_size={list(state.batch_size)}, auto_batch_size=True",
        )
    )
    form = draw.pick(("lib.TensorDict.from_dict", "lib.from_dict", "td.from_dict_instance"))
    return f"out = {form}({', '.join(filter(None, (source, options)))})"


@operation("make_tensordict", 0.3)
def make_tensordict(draw: Draw, state: State) -> str:
    options = draw.pick(("", f", batch_size={list(state.batch_size)}", ", auto_batch_size=True", ", device='cpu'"))
    return f"out = lib.make_tensordict({like_tree(draw, state, state.batch_size, 0.1, plain=True)}{options})"


@operation("from_any", 0.5)
def from_any(draw: Draw, state: State) -> str:
    source = draw.pick(
        (
            "{'a': 1, 'b': {'c': [1, 2]}, 's': 'text'}",
            "{'a': torch.zeros(3, 2), 'n': {'b': np.ones(3)}}",
            "[torch.zeros(2), torch.ones(3)]",
            "[{'a': 1}, {'a': 2}]",
            "({'a': torch.zeros(2)}, torch.ones(2))",
            "namedtuple('P', ['x', 'y'])(torch.zeros(3), 2)",
            "np.array([(1, 2.0), (3, 4.0)], dtype=[('x', np.int64), ('y', np.float32)])",
            "OrderedDict(a=torch.zeros(2), b='text')",
            "torch.zeros(2)",
            "td",
            "1.5",
            "'text'",
            "None",
        )
    )
    return f"out = lib.from_any({source}{draw.pick(('', '', ', auto_batch_size=True', ', batch_dims=1'))})"


@operation("struct array", 0.3)
def struct_array(draw: Draw, state: State) -> str:
    array = "np.array([(1, 2.0), (3, 4.0)], dtype=[('x', np.int64), ('y', np.float32)])"
    return draw.pick(
        (
            f"out = lib.TensorDict.from_struct_array({array})",
            f"out = lib.TensorDict.from_struct_array({array}).to_struct_array().tolist()",
            "out = td.filter_non_tensor_data().to_struct_array().tolist()",
        )
    )


@operation("pytree", 0.3)
def pytree(draw: Draw, state: State) -> str:
    tree = draw.pick(
        (
            "{'a': [torch.zeros(2), 1], 'b': (2.0, {'c': 3})}",
            "[torch.zeros(2), (torch.ones(2),)]",
            "td",
            "torch.ones(2)",
        )
    )
    return draw.pick(
        (
            f"out = lib.TensorDict.from_pytree({tree}).to_pytree()",
            f"out = lib.from_pytree({tree}, auto_batch_size=True)",
            "out = torch.utils._pytree.tree_map(lambda x: x + 1 if isinstance(x, torch.Tensor) else x, td)",
            "out = torch.utils._pytree.tree_leaves(td)",
        )
    )


@operation("dense constructor", 0.7)
def dense_constructor(draw: Draw, state: State) -> str:
    tensor = tensor_of_any_dtype(draw, state.batch_size)
    size = list(state.batch_size)
    return draw.pick(
        (
            "out = lib.TensorDict(td)",
            f"out = lib.TensorDict(td, batch_size={size})",
            "out = lib.TensorDict(td, batch_size=td.batch_size, names=td.names)",
            "out = lib.TensorDict(td.to_dict(), td.batch_size)",
            f"out = lib.TensorDict(a={tensor}, b={{'c': 1}})",
            f"out = lib.TensorDict({{'a': {tensor}}}, a={tensor})",
            f"out = lib.TensorDict({{('x', 'y'): {tensor}, 'x': {{'z': {tensor}}}}}, {size})",
            f"out = lib.TensorDict({{'a': {tensor}}}, batch_size=[5])",
            f"out = lib.TensorDict({{'a': {tensor}}}, {size}, lock=True)",
            f"out = lib.TensorDict({{'a': {tensor}, 'n': {{'b': {tensor}}}}}, {size}, device='cpu')",
            "out = lib.TensorDict({1: torch.zeros(1)})",
            "out = lib.TensorDict([])",
            "out = lib.TensorDict(batch_size='a')",
            "out = lib.TensorDict({'a': torch.zeros(3)}, 3)",
            "out = lib.TensorDict({}, [3], names=['t', 'u'])",
            "out = lib.TensorDict()",
        )
    )


@operation("consolidate", 0.3)
def consolidate(draw: Draw, state: State) -> str:
    return draw.pick(("out = td.consolidate()", "out = td.consolidate().is_consolidated()"))


@operation("assert_close", 0.4)
def assert_close(draw: Draw, state: State) -> str:
    other = draw.pick(("td", "td.clone()", like_tree(draw, state, state.batch_size, 0.2), "td + 1"))
    return f"out = lib.assert_close(td, {other}{draw.pick(('', ', rtol=0.1', ', intersection=True'))})"
