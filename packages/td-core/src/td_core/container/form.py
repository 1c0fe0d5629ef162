"""The form in which an entry is read whose shapes differ along a lazy stack."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True, slots=True)
class Form:
    """The options of `get`. The entry is padded unless another form is asked for."""

    as_list: bool
    as_nested_tensor: bool
    layout: torch.layout | None
    padding_side: str
    padding_value: float
