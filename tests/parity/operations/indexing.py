"""Indexed reads and writes, and the operations that take an index or a mask."""

from __future__ import annotations

from ..draw import Draw
from ..state import State
from ..tensors import mask_text, number_text, tensor_of_any_dtype
from .arguments import dim_text, like_tree
from .indices import index_text, indexed_shape
from .registry import operation


@operation("index read", 5, adopt=0.25)
def getitem(draw: Draw, state: State) -> str:
    return f"out = td[{index_text(draw, state.batch_size)}]"


@operation("index write", 4)
def setitem(draw: Draw, state: State) -> str:
    index = index_text(draw, state.batch_size)
    return f"td[{index}] = {written_value(draw, state, index)}"


def written_value(draw: Draw, state: State, index: str) -> str:
    """Return a value for an indexed write: a number, a tensor, a dict or a tensordict that fits, or nearly."""
    kind = draw.weighted(("number", "tensor", "td", "dict", "own", "trailing", "wild"), (3, 1, 5, 1, 2, 0.7, 0.5))
    shape = indexed_shape(index, state.batch_size)
    if kind == "number" or shape is None:
        return number_text(draw)
    if kind == "tensor":
        return tensor_of_any_dtype(draw, shape)
    if kind == "own":
        return f"td[{index}].clone()"
    if kind == "trailing":
        return like_tree(draw, state, shape[1:], change=0)
    if kind == "wild":
        return draw.pick((like_tree(draw, state, (5,)), like_tree(draw, state, ()), "'text'", "None", "[1, 2]"))
    return like_tree(draw, state, shape, change=0.15, plain=kind == "dict")


@operation("masked_select", 0.8, adopt=0.2)
def masked_select(draw: Draw, state: State) -> str:
    dims = max(state.dims + draw.pick((0, 0, 0, 1, -1)), 0)
    return f"out = td.masked_select({mask_text(draw, (*state.batch_size, 1)[:dims])})"


@operation("gather", 0.8)
def gather(draw: Draw, state: State) -> str:
    dim = dim_text(draw, state.dims)
    size = state.batch_size[dim] if -state.dims <= dim < state.dims else 1
    shape = list(state.batch_size)
    if state.dims:
        shape[dim % state.dims] = draw.integer(0, 3)
    index = f"(torch.arange({max(1, size)}).repeat(200)[:torch.Size({shape}).numel()].reshape({shape}))"
    return f"out = {draw.pick(('td.gather(', 'torch.gather(td, '))}{dim}, {index})"


@operation("masked_fill", 0.8, adopt=0.1)
def masked_fill(draw: Draw, state: State) -> str:
    dims = draw.integer(0, state.dims)
    return f"out = td.masked_fill({mask_text(draw, state.batch_size[:dims])}, {number_text(draw)})"


@operation("masked_fill_", 0.6)
def masked_fill_in_place(draw: Draw, state: State) -> str:
    dims = draw.integer(0, state.dims)
    return f"out = td.masked_fill_({mask_text(draw, state.batch_size[:dims])}, {number_text(draw)})"


@operation("where", 1.5)
def where(draw: Draw, state: State) -> str:
    condition = mask_text(
        draw, state.batch_size[: draw.integer(0, state.dims)] if draw.chance(0.3) else state.batch_size
    )
    other = draw.weighted(
        (number_text(draw), tensor_of_any_dtype(draw, state.batch_size), like_tree(draw, state, state.batch_size, 0.3)),
        (2, 1, 4),
    )
    pad = f", pad={number_text(draw)}" if draw.chance(0.3) else ""
    out = draw.weighted(("", ", out=td", ", out=td.empty()", ", out=td.clone()"), (8, 0.5, 0.5, 0.5))
    if draw.chance(0.2) and not pad and not out:
        return f"out = torch.where({condition}, td, {other})"
    return f"out = td.where({condition}, {other}{pad}{out})"


@operation("update_at_", 0.7)
def update_at(draw: Draw, state: State) -> str:
    index = index_text(draw, state.batch_size)
    shape = indexed_shape(index, state.batch_size)
    value = like_tree(draw, state, state.batch_size if shape is None else shape, 0.1, plain=draw.chance(0.2))
    return f"out = td.update_at_({value}, {index})"


@operation("copy_at_", 0.3)
def copy_at(draw: Draw, state: State) -> str:
    index = index_text(draw, state.batch_size)
    shape = indexed_shape(index, state.batch_size)
    return f"out = td.copy_at_({like_tree(draw, state, state.batch_size if shape is None else shape)}, {index})"
