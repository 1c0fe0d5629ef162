"""A callable over tensors as a module over tensordicts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from td_core import TensorDictBase
from td_core.errors import TDRuntimeError, TDValueError

from ._base import Inplace, KeySpec, MissingInputError, TensorDictModuleBase, checked_inplace, destination, key_list

DISCARD = "_"
"""The out key of a result that nobody wants."""


class TensorDictModule(TensorDictModuleBase):
    """Read entries, call a module or function with them in order, write what it returns.

    Args:
        module: What to call. Attributes that are not found here are looked up there.
        in_keys: The entries to read. An entry that is absent is passed as None.
        out_keys: Where the results go, in order; `"_"` discards one. A mapping or tensordict with all of these keys is
            taken apart by key; any other is one result.
        inplace: Write to the input (True), to a new tensordict that holds only the results (False), or to an empty copy
            of the input with its batch size ("empty").

    Example:
        >>> module = TensorDictModule(nn.Linear(3, 4), in_keys=["obs"], out_keys=[("agent", "hidden")])
        >>> module(TensorDict(obs=torch.zeros(5, 3), batch_size=[5]))["agent", "hidden"].shape
        torch.Size([5, 4])
    """

    def __init__(
        self, module: Callable[..., Any], in_keys: KeySpec, out_keys: KeySpec, *, inplace: Inplace = True
    ) -> None:
        super().__init__()
        if not callable(module):
            raise TDValueError(f"TensorDictModule needs a module or a function, got {module!r}.")
        self.module = module
        self.in_keys = key_list(in_keys, "in_keys")
        self.out_keys = key_list(out_keys, "out_keys")
        self.inplace: Inplace = checked_inplace(inplace)

    def forward(
        self, tensordict: TensorDictBase, *args: Any, tensordict_out: TensorDictBase | None = None, **kwargs: Any
    ) -> TensorDictBase:
        """Read, call, write.

        Args:
            tensordict: Where the inputs are read.
            args: Passed to the module after the entries.
            tensordict_out: Where to write instead of what `inplace` says.
            kwargs: Passed to the module.

        Raises:
            MissingInputError: The call failed, and an input was absent.
            TDRuntimeError: There are more results than out keys, or fewer.
        """
        inputs = [tensordict.get(key, None) for key in self.in_keys]
        try:
            results = self.module(*inputs, *args, **kwargs)
        except Exception as error:
            missing = [key for key, value in zip(self.in_keys, inputs, strict=True) if value is None]
            if missing:
                raise MissingInputError(self._title(), missing, tensordict.keys(True, True)) from error
            if sys.version_info >= (3, 11):
                error.add_note(f"while calling {self._title()}")
            raise
        target = destination(tensordict, self.inplace) if tensordict_out is None else tensordict_out
        return self._write(target, results)

    def _write(self, target: TensorDictBase, results: Any) -> TensorDictBase:
        source = self.out_keys_source
        if isinstance(results, (Mapping, TensorDictBase)):
            picked = [None if key == DISCARD else results.get(key, None) for key in source]
            found = all(value is not None or key == DISCARD for key, value in zip(source, picked, strict=True))
            results = picked if found else (results,)
        elif not isinstance(results, (tuple, list)):
            results = (results,)
        if len(results) != len(source):
            raise TDRuntimeError(
                f"{self._title()} returned {len(results)} results for {len(source)} out keys. "
                f"Name every result; {DISCARD!r} discards one."
            )
        for key, result in zip(source, results, strict=True):
            if key != DISCARD and key in self.out_keys:
                target.set(key, result)
        return target

    def _title(self) -> str:
        name = getattr(self.module, "__name__", None) or type(self.module).__name__
        return f"{type(self).__name__}({name}, in_keys={self.in_keys}, out_keys={self.out_keys_source})"

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name in {"module", "in_keys", "out_keys"}:  # not set yet: there is nothing to fall through to
                raise
            return getattr(self.module, name)

    def extra_repr(self) -> str:
        """Show the keys, and a module that is a function."""
        shown = "" if "module" in self._modules else f"module={self.module!r}, "
        return f"{shown}in_keys={self.in_keys}, out_keys={self.out_keys}"
