"""Modules over tensordicts, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias, cast, overload

from torch import nn

from td_core import TensorDictBase
from td_core.errors import TDTypeError, TDValueError
from td_core.keys import unravel_key
from td_core.typing import NestedKey

from ._base import Inplace, TensorDictModuleBase, checked_inplace, destination

Step: TypeAlias = TensorDictModuleBase | Callable[[TensorDictBase], TensorDictBase]


class FunctionStep(TensorDictModuleBase):
    """A function from tensordict to tensordict as a step of a sequence; it declares no keys."""

    def __init__(self, function: Callable[[TensorDictBase], TensorDictBase]) -> None:
        super().__init__()
        self.function = function
        self.in_keys = []
        self.out_keys = []

    def forward(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Call the function."""
        return self.function(tensordict)

    def extra_repr(self) -> str:
        """Show a function that is not a module."""
        return "" if "function" in self._modules else f"function={self.function!r}"


class TensorDictSequential(TensorDictModuleBase):
    """Run modules on one tensordict.

    `in_keys` are the entries that some module reads and no earlier one writes; `out_keys` are all that is written.

    Args:
        modules: The steps, or one dict from names to steps. A plain callable is given the tensordict.
        partial_tolerant: Skip a module whose inputs are not all there.
        selected_out_keys: Write only these; what else is written on the way is not kept.
        inplace: Where results go, as in `TensorDictModule`; by default the input.

    Example:
        >>> double = TensorDictModule(lambda x: 2 * x, ["x"], ["y"])
        >>> add = TensorDictModule(torch.add, ["x", "y"], ["z"])
        >>> TensorDictSequential(double, add)(TensorDict(x=torch.ones(2)))["z"]
        tensor([3., 3.])
    """

    module: nn.ModuleList | nn.ModuleDict

    def __init__(
        self,
        *modules: Step | dict[str, Step],
        partial_tolerant: bool = False,
        selected_out_keys: Iterable[NestedKey] | None = None,
        inplace: Inplace | None = None,
    ) -> None:
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], dict):
            self.module = nn.ModuleDict({name: _step(step) for name, step in modules[0].items()})
        else:
            self.module = nn.ModuleList(map(_step, modules))
        self.partial_tolerant = partial_tolerant
        self.inplace: Inplace = True if inplace is None else checked_inplace(inplace)
        self.in_keys, self.out_keys = _keys_of(self)
        if selected_out_keys is not None:
            self.select_out_keys(*selected_out_keys)

    def forward(
        self, tensordict: TensorDictBase, *, tensordict_out: TensorDictBase | None = None, **kwargs: Any
    ) -> TensorDictBase:
        """Run the modules in order.

        Args:
            tensordict: Where the inputs are read.
            tensordict_out: Where to write instead of what `inplace` says.
            kwargs: Passed to every module.
        """
        everything = self._out_keys_source is None
        if self.inplace is True and everything and tensordict_out is None:
            return self._run(tensordict, kwargs)
        worked = self._run(tensordict.copy(), kwargs)
        target = destination(tensordict, self.inplace) if tensordict_out is None else tensordict_out
        for key in self.out_keys:
            value = worked.get(key, None)
            if value is not None:  # a tolerant sequence may have skipped the module that writes it
                target.set(key, value)
        return target

    def _run(self, tensordict: TensorDictBase, kwargs: Mapping[str, Any]) -> TensorDictBase:
        for step in self:
            if self.partial_tolerant and any(tensordict.get(key, None) is None for key in step.in_keys):
                continue
            tensordict = step(tensordict, **kwargs)
        return tensordict

    def select_subsequence(
        self, in_keys: Iterable[NestedKey] | None = None, out_keys: Iterable[NestedKey] | None = None
    ) -> TensorDictSequential:
        """Return the sequence of those modules that are needed.

        Args:
            in_keys: Keep modules that can run from these entries. By default all `in_keys`.
            out_keys: Keep modules that these entries depend on. By default all `out_keys`.

        Raises:
            TDValueError: No module is left.
        """
        reachable = {unravel_key(key) for key in (self.in_keys if in_keys is None else in_keys)}
        kept: list[TensorDictModuleBase] = []
        for step in self:
            if reachable.issuperset(step.in_keys):
                kept.append(step)
                reachable.update(step.out_keys)
        if out_keys is not None:
            needed = {unravel_key(key) for key in out_keys}
            for step in reversed(list(kept)):
                if needed.isdisjoint(step.out_keys):
                    kept.remove(step)
                else:
                    needed.difference_update(set(step.out_keys) - set(step.in_keys))
                    needed.update(step.in_keys)
        if not kept:
            raise TDValueError(
                f"No module of the sequence leads from {'its in_keys' if in_keys is None else list(in_keys)} "
                f"to {'its out_keys' if out_keys is None else list(out_keys)}. It reads {self.in_keys} and writes "
                f"{self.out_keys_source}."
            )
        steps: tuple[Any, ...] = tuple(kept)
        if isinstance(self.module, nn.ModuleDict):
            steps = ({name: step for name, step in self.module.items() if step in kept},)
        return TensorDictSequential(*steps, partial_tolerant=self.partial_tolerant, inplace=self.inplace)

    def __iter__(self) -> Iterator[TensorDictModuleBase]:
        steps = self.module.values() if isinstance(self.module, nn.ModuleDict) else self.module
        return cast("Iterator[TensorDictModuleBase]", iter(steps))

    def __len__(self) -> int:
        return len(self.module)

    @overload
    def __getitem__(self, index: int | str) -> TensorDictModuleBase: ...
    @overload
    def __getitem__(self, index: slice) -> TensorDictSequential: ...
    def __getitem__(self, index: int | str | slice) -> TensorDictModuleBase:
        """Return a step by position or name, or the sequence of a slice of them."""
        if isinstance(index, str):
            if not isinstance(self.module, nn.ModuleDict):
                raise TDTypeError(f"The steps of this sequence have no names; cannot look up {index!r}.")
            return cast("TensorDictModuleBase", self.module[index])
        steps = list(self)
        if isinstance(index, slice):
            return TensorDictSequential(*steps[index], partial_tolerant=self.partial_tolerant, inplace=self.inplace)
        return steps[index]

    def extra_repr(self) -> str:
        """Show the keys."""
        return f"in_keys={self.in_keys}, out_keys={self.out_keys}"


def _step(step: Step | dict[str, Step]) -> TensorDictModuleBase:
    if isinstance(step, TensorDictModuleBase):
        return step
    if not callable(step):
        raise TDTypeError(f"A step of a TensorDictSequential must be callable, got {step!r}.")
    return FunctionStep(step)


def _keys_of(steps: Iterable[TensorDictModuleBase]) -> tuple[list[NestedKey], list[NestedKey]]:
    """Return what a sequence reads from outside, and all that it writes, each key once and in order."""
    reads: dict[NestedKey, None] = {}
    writes: dict[NestedKey, None] = {}
    for step in steps:
        reads.update((key, None) for key in step.in_keys if key not in writes)
        writes.update((key, None) for key in step.out_keys if key != "_")
    return list(reads), list(writes)
