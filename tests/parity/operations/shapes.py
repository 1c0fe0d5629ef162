"""Shape operations, as methods and as torch functions."""

from __future__ import annotations

from ..draw import Draw
from ..state import State
from .arguments import dim_text, reshaped
from .registry import add_operation, operation


def shape_arguments(draw: Draw, shape: tuple[int, ...]) -> str:
    """Return a shape as separate arguments or as one sequence."""
    text = ", ".join(map(str, shape))
    if not shape or draw.chance(0.3):
        return draw.pick((f"[{text}]", f"torch.Size([{text}])"))
    return text


def other_shape(draw: Draw, state: State) -> tuple[int, ...]:
    """Return a shape of as many elements, at times with a -1, rarely a wrong one."""
    if draw.chance(0.06):
        return (*state.batch_size, 2)
    shape = list(state.batch_size if draw.chance(0.15) else reshaped(draw, state.batch_size))
    if shape and draw.chance(0.25):
        shape[draw.integer(0, len(shape) - 1)] = -1
    return tuple(shape)


@operation("view", 1, adopt=0.3)
def view(draw: Draw, state: State) -> str:
    if draw.chance(0.08):
        return f"out = td.view({draw.pick(('torch.int32', 'torch.float32', 'torch.uint8'))})"
    return f"out = td.view({shape_arguments(draw, other_shape(draw, state))})"


@operation("reshape", 1, adopt=0.3)
def reshape(draw: Draw, state: State) -> str:
    arguments = shape_arguments(draw, other_shape(draw, state))
    if arguments.startswith("[") and draw.chance(0.3):
        return f"out = torch.reshape(td, {arguments})"
    return f"out = td.reshape({arguments})"


@operation("permute", 1, adopt=0.3)
def permute(draw: Draw, state: State) -> str:
    dims = list(range(state.dims))
    draw.random.shuffle(dims)
    dims = [dim - state.dims if draw.chance(0.3) else dim for dim in dims]
    if draw.chance(0.12):
        dims = dims[:-1] if draw.chance(0.5) else [*dims, state.dims]
    text = ", ".join(map(str, dims))
    form = draw.weighted(
        ("td.permute({0})", "td.permute([{0}])", "td.permute(dims=[{0}])", "torch.permute(td, [{0}])"), (4, 2, 1, 1)
    )
    return f"out = {form.format(text)}"


@operation("transpose", 1, adopt=0.3)
def transpose(draw: Draw, state: State) -> str:
    form = draw.weighted(
        ("td.transpose({0})", "torch.transpose(td, {0})", "td.swapaxes({0})", "td.swapdims({0})"), (5, 1, 0.3, 0.3)
    )
    return f"out = {form.format(f'{dim_text(draw, state.dims)}, {dim_text(draw, state.dims)}')}"


@operation("squeeze", 1, adopt=0.3)
def squeeze(draw: Draw, state: State) -> str:
    ones = [dim for dim, size in enumerate(state.batch_size) if size == 1]
    if draw.chance(0.35):
        return "out = td.squeeze()"
    dim = draw.pick(ones) if ones and draw.chance(0.7) else dim_text(draw, state.dims)
    return f"out = {draw.pick(('td.squeeze({0})', 'td.squeeze(dim={0})', 'torch.squeeze(td, {0})')).format(dim)}"


@operation("unsqueeze", 1, adopt=0.3)
def unsqueeze(draw: Draw, state: State) -> str:
    dim = draw.integer(-state.dims - 1, state.dims) if draw.chance(0.93) else state.dims + 1
    return f"out = {draw.pick(('td.unsqueeze({0})', 'td.unsqueeze(dim={0})', 'torch.unsqueeze(td, {0})')).format(dim)}"


@operation("expand", 1, adopt=0.2)
def expand(draw: Draw, state: State) -> str:
    shape = [draw.integer(1, 3) if size == 1 and draw.chance(0.7) else size for size in state.batch_size]
    shape = [-1 if draw.chance(0.1) else size for size in shape]
    shape = [draw.integer(1, 3) for _ in range(draw.pick((0, 0, 1, 2)))] + shape
    if draw.chance(0.06):
        shape = shape[1:] if draw.chance(0.5) else [*shape, 2]
    return f"out = td.expand({shape_arguments(draw, tuple(shape))})"


@operation("expand_as", 0.3)
def expand_as(draw: Draw, state: State) -> str:
    other = draw.pick(("torch.zeros({0})", "td.expand({0})"))
    return f"out = td.expand_as({other.format([2, *state.batch_size])})"


@operation("flatten", 0.8, adopt=0.3)
def flatten(draw: Draw, state: State) -> str:
    if draw.chance(0.3):
        return "out = td.flatten()"
    form = draw.pick(("td.flatten({0}, {1})", "td.flatten(start_dim={0}, end_dim={1})", "torch.flatten(td, {0}, {1})"))
    return f"out = {form.format(dim_text(draw, state.dims), dim_text(draw, state.dims))}"


@operation("unflatten", 0.8, adopt=0.3)
def unflatten(draw: Draw, state: State) -> str:
    dim = dim_text(draw, state.dims)
    size = state.batch_size[dim] if -state.dims <= dim < state.dims else 4
    sizes = list(reshaped(draw, (size,))) or [1]
    if draw.chance(0.3):
        sizes[0] = -1
    elif draw.chance(0.05):
        sizes.append(3)
    form = draw.pick(
        ("td.unflatten({0}, {1})", "torch.unflatten(td, {0}, {1})", "td.unflatten(dim={0}, unflattened_size={1})")
    )
    return f"out = {form.format(dim, sizes if draw.chance(0.5) else tuple(sizes))}"


@operation("unbind", 0.8)
def unbind(draw: Draw, state: State) -> str:
    return f"out = {draw.pick(('td.unbind({0})', 'torch.unbind(td, {0})')).format(dim_text(draw, state.dims))}"


@operation("split", 1)
def split(draw: Draw, state: State) -> str:
    dim = dim_text(draw, state.dims)
    size = state.batch_size[dim] if -state.dims <= dim < state.dims else 2
    if draw.chance(0.5):
        sizes = str(draw.weighted((1, 2, 3, 0, -1), (3, 3, 2, 0.3, 0.2)))
    else:
        cut = draw.integer(0, size)
        parts = [cut, size - cut] if draw.chance(0.85) else draw.pick(([], [cut], [cut, size], [size + 1, -1], [0.5]))
        sizes = repr(parts)
    return f"out = {draw.pick(('td.split({0}, {1})', 'torch.split(td, {0}, {1})')).format(sizes, dim)}"


@operation("chunk", 0.7)
def chunk(draw: Draw, state: State) -> str:
    number = draw.weighted((1, 2, 3, 5, 0, -1), (2, 3, 2, 1, 0.3, 0.1))
    return f"out = td.chunk({number}, {dim_text(draw, state.dims)})"


@operation("tensor_split", 0.3)
def tensor_split(draw: Draw, state: State) -> str:
    sections = draw.pick(("2", "3", "[1]", "(1, 2)", "torch.tensor([1])"))
    return f"out = td.tensor_split({sections}, {dim_text(draw, state.dims)})"


@operation("contiguous", 0.3, adopt=0.2)
def contiguous(draw: Draw, state: State) -> str:
    return "out = td.contiguous()"


@operation("movedim", 0.3, adopt=0.2)
def movedim(draw: Draw, state: State) -> str:
    return f"out = td.{draw.pick(('movedim', 'moveaxis'))}({dim_text(draw, state.dims)}, {dim_text(draw, state.dims)})"


@operation("flip", 0.3, adopt=0.2)
def flip(draw: Draw, state: State) -> str:
    dim = dim_text(draw, state.dims)
    return (
        f"out = {draw.pick(('td.flip({0})', 'td.flip(({0},))', 'td.flip([{0}])', 'torch.flip(td, [{0}])')).format(dim)}"
    )


@operation("roll", 0.3, adopt=0.1)
def roll(draw: Draw, state: State) -> str:
    dims = draw.pick(("", f", {dim_text(draw, state.dims)}", f", dims={dim_text(draw, state.dims)}"))
    return f"out = td.roll({draw.integer(-2, 2)}{dims})"


@operation("narrow", 0.3, adopt=0.1)
def narrow(draw: Draw, state: State) -> str:
    return f"out = td.narrow({dim_text(draw, state.dims)}, {draw.integer(0, 1)}, {draw.integer(0, 2)})"


@operation("repeat", 0.4, adopt=0.1)
def repeat(draw: Draw, state: State) -> str:
    times = [draw.integer(1, 2) for _ in range(state.dims)]
    if draw.chance(0.15):
        times = [*times, 2] if draw.chance(0.5) else times[:-1]
    return f"out = td.repeat({', '.join(map(str, times))})"


@operation("repeat_interleave", 0.4, adopt=0.1)
def repeat_interleave(draw: Draw, state: State) -> str:
    dim = draw.weighted(("", f", {dim_text(draw, state.dims)}", f", dim={dim_text(draw, state.dims)}"), (1, 2, 2))
    repeats = draw.pick(
        ("2", "1", "torch.tensor([2])", f"torch.tensor({[1, 2, 0, 1][: max(state.batch_size or (1,))]})")
    )
    return f"out = td.repeat_interleave({repeats}{dim})"


@operation("tile", 0.2)
def tile(draw: Draw, state: State) -> str:
    return f"out = td.tile({tuple(draw.integer(1, 2) for _ in range(max(1, state.dims)))})"


@operation("broadcast_to", 0.2)
def broadcast_to(draw: Draw, state: State) -> str:
    return f"out = td.broadcast_to({(2, *state.batch_size)})"


@operation("rot90", 0.1)
def rot90(draw: Draw, state: State) -> str:
    return f"out = td.rot90({draw.pick(('', '1', '2, (0, 1)', '1, (1, 0)'))})"


def no_argument(name: str) -> None:
    """Enter a method without arguments."""
    add_operation(name, lambda draw, state: f"out = td.{name}()", 0.1)


for simple in ("fliplr", "flipud", "atleast_1d", "atleast_2d", "atleast_3d"):
    no_argument(simple)
