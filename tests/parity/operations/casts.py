"""Changes of dtype and device, and the gradient helpers."""

from __future__ import annotations

from functools import partial

from ..draw import Draw
from ..state import State
from .registry import add_operation, operation

CASTS = (
    "float", "double", "half", "bfloat16", "int", "bool", "int8", "int16", "int32", "int64", "uint8", "float16",
    "float32", "float64", "complex64", "complex128",
)  # fmt: skip


def cast(name: str, draw: Draw, state: State) -> str:
    return f"out = td.{name}()"


for name in CASTS:
    add_operation(name, partial(cast, name), 0.4 if name in ("float", "double") else 0.06, adopt=0.1)


@operation("type", 0.3)
def type_(draw: Draw, state: State) -> str:
    return f"out = td.type({draw.pick(('torch.float64', 'torch.int32', 'torch.bool'))})"


TO_ARGUMENTS = (
    "torch.float64", "torch.int64", "dtype=torch.float32", "'cpu'", "torch.device('cpu')", "device='cpu'", "'meta'",
    "'cpu', torch.float64", "'cpu', non_blocking=True", "torch.zeros(1, dtype=torch.float64)", "td", "batch_size=[]",
    "'cpu', torch.int32, non_blocking=False", "device=None", "", "lib.TensorDict({}, device='cpu')",
)  # fmt: skip


@operation("to", 1, adopt=0.1)
def to(draw: Draw, state: State) -> str:
    arguments = draw.pick(TO_ARGUMENTS)
    return f"out = td.to({arguments})" + (".device" if "meta" in arguments else "")


GRADIENT_FORMS = (
    "td.detach()",
    "td.detach_()",
    "td.data",
    "td.grad",
    "td.float().requires_grad_()",
    "td.float().requires_grad_().requires_grad",
    "td.requires_grad_(False)",
    "td.zero_grad()",
)


@operation("gradient helper", 0.5)
def gradient_helper(draw: Draw, state: State) -> str:
    return f"out = {draw.pick(GRADIENT_FORMS)}"
