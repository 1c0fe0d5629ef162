"""Writing many entries at once, and choosing among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Size, Tensor
from typing_extensions import Self

from ..abc import Capability, LeafSpec
from ..errors import (
    InplaceWriteError,
    KeyThroughLeafError,
    LockedError,
    TDKeyError,
    TDRuntimeError,
    TDTypeError,
    missing_key,
)
from ..keys import key_parts, require_parts
from ..leaves import kind_of, kind_of_type
from ..typing import NO_DEFAULT, LeafPredicate, NestedKey
from .kernel import Kernel, normal_names
from .mapping import MappingMethods
from .names import shallow_copy

KeyTree = dict[str, "KeyTree | None"]  # what to pick at each level; None: the whole entry


class UpdateMethods(MappingMethods):
    """`update` and its kin, `select`, `exclude`, `empty`, `replace`, `fill_`, `zero_`."""

    def update(
        self,
        input_dict_or_td: Any,
        clone: bool = False,
        inplace: bool = False,
        *,
        non_blocking: bool | None = None,
        keys_to_update: Iterable[NestedKey] | None = None,
        is_leaf: LeafPredicate | None = None,
        update_batch_size: bool = False,
    ) -> Self:
        """Merge the entries of a mapping or container into this one, recursively.

        A node merges into a node; a node over a leaf, or a leaf over a node, replaces it.

        Args:
            input_dict_or_td: where the entries come from.
            clone: copy the values.
            inplace: overwrite existing values in place, insert the others.
            non_blocking: how values are moved to the device.
            keys_to_update: write only these (nested) keys. Default: all.
            is_leaf: tells from the type which values replace rather than merge. Default: whatever is not a container.
            update_batch_size: take over the batch size of a container that has another one; it must have every key
                that is here.

        Returns:
            This container.

        Raises:
            LockedError: the container is locked and `inplace` is False.
            TDRuntimeError: `update_batch_size`, and the other container lacks a key.
        """
        if self._locked and not inplace:
            raise LockedError("update")
        if input_dict_or_td is self:
            return self
        source = input_dict_or_td
        if update_batch_size and isinstance(source, Kernel) and source._batch_size != self._batch_size:
            _replace_all(self, source, clone)
            return self
        wanted = None if keys_to_update is None else key_tree(keys_to_update, whole_wins=True)
        self._merge(input_dict_or_td, clone, inplace, non_blocking, wanted, is_leaf)
        return self

    def _merge(
        self,
        source: Any,
        clone: bool,
        inplace: bool,
        non_blocking: bool | None,
        wanted: KeyTree | None,
        is_leaf: LeafPredicate | None,
    ) -> None:
        storage = self._storage
        if type(storage) is not dict:
            rows = _rows(self, source)
            if rows is not None:
                for part, row in rows:
                    part._merge(row, clone, inplace, non_blocking, wanted, is_leaf)
                return
        plain = wanted is None and not clone and not inplace
        fits = plain and self._shares_frame(source)
        free = plain and self._device is None and type(storage) is dict
        size = self._batch_size
        n = len(size)
        for key, value in _items(source):
            if plain and type(value) is Tensor and type(key) is str:
                if fits or (free and value.shape[:n] == size):
                    storage[key] = value
                else:
                    self._store(key, value)
                continue
            if plain and is_leaf is None and type(storage) is dict and type(key) is str:
                target = storage.get(key)
                if isinstance(target, Kernel) and (type(value) is dict or isinstance(value, Kernel)):
                    if target._locked:
                        raise LockedError(f"update {key!r} of")
                    target._merge(value, False, False, non_blocking, None, None)  # type: ignore[attr-defined]
                    continue
            below: KeyTree | None = None
            if wanted is not None:
                chosen, below = _chosen(wanted, key)
                if not chosen:
                    continue
            if type(value) is Tensor:
                if clone:
                    value = value.clone()
            elif self._merge_node(key, value, clone, inplace, non_blocking, below, is_leaf):
                continue
            elif clone and kind_of_type(type(value)) is not None:
                value = kind_of(value).clone(value)
            if inplace and key in storage:
                self.set(key, value, inplace=True, non_blocking=non_blocking)
            elif type(key) is str:
                self._store(key, value)
            else:
                self.set(key, value, inplace=inplace, non_blocking=non_blocking)

    def _shares_frame(self, source: Any) -> bool:
        """Whether the tensors of `source` fit here unchecked: a dense container of equal batch size and device."""
        return (
            isinstance(source, Kernel)
            and type(self._storage) is dict
            and source._batch_size == self._batch_size
            and (self._device is None or source._device == self._device)
        )

    def _merge_node(
        self,
        key: NestedKey,
        value: Any,
        clone: bool,
        inplace: bool,
        non_blocking: bool | None,
        wanted: KeyTree | None,
        is_leaf: LeafPredicate | None,
    ) -> bool:
        """Merge a node or mapping into the node that stands under `key`; False when there is none to merge into."""
        kind = kind_of_type(type(value))
        is_node = isinstance(value, Mapping) if kind is None else kind.node(value) is not None
        if not is_node or (is_leaf is not None and is_leaf(type(value))):
            return False
        old = self.get(key, None)
        target: Any = None if old is None or type(old) is Tensor else kind_of(old).node(old)
        if target is None:
            if wanted is None:
                return False
            target = self._make_path((*require_parts(key), ""))
        elif is_leaf is not None and is_leaf(type(old)):
            return False
        if target._locked and not inplace:
            raise LockedError(f"update {key!r} of")
        target._merge(value, clone, inplace, non_blocking, wanted, is_leaf)
        return True

    def update_(
        self,
        input_dict_or_td: Any,
        clone: bool = False,
        *,
        non_blocking: bool | None = None,
        keys_to_update: Iterable[NestedKey] | None = None,
    ) -> Self:
        """Overwrite the values of existing entries in place. Allowed when locked.

        Args:
            input_dict_or_td: the new values; every key must exist here.
            clone: has no effect, values are copied in any case.
            non_blocking: whether copies between devices may be asynchronous.
            keys_to_update: write only these (nested) keys.

        Returns:
            This container.

        Raises:
            TDKeyError: a key is missing here.
            InplaceWriteError: a value cannot be copied into its entry.
        """
        if input_dict_or_td is self:
            return self
        if keys_to_update is None and self._overwrite_all(input_dict_or_td, bool(non_blocking)):
            return self
        wanted = None if keys_to_update is None else key_tree(keys_to_update, whole_wins=True)
        pairs: list[tuple[Any, str, Any]] = []
        _pair_up(self, input_dict_or_td, wanted, pairs)
        old: list[Tensor] = []
        new: list[Tensor] = []
        for owner, key, value in pairs:
            storage = owner._storage
            present = storage[key] if type(storage) is dict else storage.peek(key)
            if type(present) is Tensor is type(value) and present.shape == value.shape and type(storage) is dict:
                old.append(present)
                new.append(value)
            else:
                owner._overwrite(key, _broadcast(key, value, present), non_blocking)
        if old:
            torch._foreach_copy_(old, new, non_blocking=bool(non_blocking))
        return self

    def _overwrite_all(self, source: Any, non_blocking: bool) -> bool:
        """Copy a whole tree into this one at once, where both are dense and have the same keys and shapes."""
        old: list[Tensor] = []
        new: list[Tensor] = []
        if not isinstance(source, Kernel) or not _match(self, source, old, new):
            return False
        if old:
            torch._foreach_copy_(old, new, non_blocking=non_blocking)
        return True

    def update_at_(
        self,
        input_dict_or_td: Any,
        index: Any,
        clone: bool = False,
        *,
        non_blocking: bool | None = None,
        keys_to_update: Iterable[NestedKey] | None = None,
    ) -> Self:
        """Overwrite an indexed region of existing entries in place. Allowed when locked.

        Raises:
            TDKeyError: a key is missing here.
        """
        wanted = None if keys_to_update is None else key_tree(keys_to_update, whole_wins=True)
        pairs: list[tuple[Any, str, Any]] = []
        _pair_up(self, input_dict_or_td, wanted, pairs)
        for owner, key, value in pairs:
            owner._write_at(key, value, index)
        return self

    def copy_(self, tensordict: Any, non_blocking: bool | None = None) -> Self:
        """Overwrite all values by those of another container, as `update_`."""
        return self.update_(tensordict, non_blocking=non_blocking)

    def copy_at_(self, tensordict: Any, index: Any, non_blocking: bool | None = None) -> Self:
        """Overwrite an indexed region by the values of another container, as `update_at_`."""
        return self.update_at_(tensordict, index, non_blocking=non_blocking)

    def replace(self, mapping: Any = None, /, **entries: Any) -> Self:
        """Return a shallow copy with some entries changed or added; this container stays as it is."""
        storage: Any = self._storage
        own = type(storage) is dict or storage.replaces  # a copy of a view would write into the same values
        out: Self = self._shallow_copy() if own else self.to_tensordict()  # type: ignore[attr-defined]
        if mapping is not None:
            out.update(mapping)
        if entries:
            out.update(entries)
        return out

    def fill_(self, key: NestedKey, value: float) -> Self:
        """Fill one entry (a node recursively) with a number, in place.

        Raises:
            TDKeyError: the key is missing.
        """
        parts = require_parts(key)
        owner = self._owner(parts)
        if parts[-1] not in owner._storage:
            raise missing_key(key, owner._storage)
        owner._require_writable("fill_()")
        _fill(owner, parts[-1], value)
        return self

    def zero_(self) -> Self:
        """Set every tensor of the tree to zero, in place."""
        leaves, stored = self._gather()
        if not stored:
            self._require_writable("zero_()")
        if leaves:
            torch._foreach_zero_(leaves)
        if not stored:
            self._write_back(iter(leaves))
        return self

    # -- choosing entries ---------------------------------------------------------------------------------------------

    def select(self, *keys: NestedKey, inplace: bool = False, strict: bool = True) -> Self:
        """Return a container with only these keys, in the order asked, sharing the leaves.

        Args:
            keys: the keys to keep. With a node and one of its children, only the child is kept.
            inplace: remove the other entries from this container and its nodes.
            strict: refuse missing keys; otherwise they are skipped.

        Raises:
            TDKeyError: a key is missing and `strict`.
            LockedError: `inplace` on a locked container.
        """
        tree = key_tree(keys, check=True)
        if inplace:
            self._require_own("select")
            _require_unlocked_along(self, tree, "select in place from")
        return _select(self, tree, strict, inplace)  # type: ignore[no-any-return]

    def exclude(self, *keys: NestedKey, inplace: bool = False) -> Self:
        """Return a container without these keys, sharing the leaves; missing keys are ignored.

        Raises:
            LockedError: `inplace` on a locked container.
        """
        tree = key_tree(keys, check=True, whole_wins=True)
        if inplace:
            self._require_own("exclude")
            _require_unlocked_along(self, tree, "exclude in place from")
            _drop(self, tree)
            return self
        return _exclude(self, tree)  # type: ignore[no-any-return]

    def _require_own(self, what: str) -> None:
        """Refuse to drop entries of a view, which are those of its source."""
        storage = self._storage
        if type(storage) is not dict and not storage.replaces:  # type: ignore[union-attr]
            raise TDRuntimeError(
                f"{what}(inplace=True) on a {type(self).__name__} would remove entries from its source. Leave inplace "
                "out, or call it on the source."
            )
        self._require(Capability.DELETE, f"{what}(inplace=True)")

    def empty(
        self,
        recurse: bool = False,
        *,
        batch_size: Any = None,
        device: Any = NO_DEFAULT,
        names: Any = NO_DEFAULT,
    ) -> Self:
        """Return a container without entries, with the same batch size, device and names unless given.

        Args:
            recurse: keep the tree of (empty) nodes and the non-tensor data.
            batch_size: another batch size.
            device: another device, or None for none.
            names: other names, or None for none. Default: those of the first dims.
        """
        size = self._batch_size if batch_size is None else Size(batch_size)
        own = self._names
        if own is not None and len(size) != len(own):
            own = normal_names([*own, *[None] * len(size)][: len(size)])
        storage: Any = self._storage
        if batch_size is None and type(storage) is not dict and storage.parts is not None:
            return _empty_parts(self, recurse, device, names)  # type: ignore[no-any-return]  # the class of self
        out: Self = self._derive({}, size, self._device, own)
        if device is not NO_DEFAULT:
            out._device = None if device is None else torch.device(device)
        if names is not NO_DEFAULT:
            out._names = None
            out.names = names
        if recurse:
            for key, value in self._storage.items():
                kind = kind_of(value)
                node: Any = kind.node(value)
                if node is not None:
                    if batch_size is None:
                        child = node.empty(recurse=True, device=device, names=names)
                    else:
                        child = node.empty(recurse=True, device=device, names=names, batch_size=size)
                    out._storage[key] = kind.wrap(value, child)
                elif kind.is_non_tensor:
                    out._storage[key] = kind.fit(value, size, out._device)
        return out


def _empty_parts(node: Any, recurse: bool, device: Any, names: Any) -> Any:
    out = node._by_part(lambda part: part.empty(recurse=recurse, device=device))
    if device is not NO_DEFAULT:
        out._device = None if device is None else torch.device(device)
    if names is not NO_DEFAULT:
        out._names = None
        out.names = names
    return out


def _rows(target: Any, source: Any) -> list[tuple[Any, Any]] | None:
    """Pair the members of two lazy stacks of one layout; None for anything else."""
    mine = target._storage
    theirs: Any = source._storage if isinstance(source, Kernel) else None
    if mine.parts is None or type(theirs) is not type(mine):
        return None
    if theirs.dim != mine.dim or len(theirs.parts) != len(mine.parts):
        return None
    return list(zip(mine.parts, theirs.parts, strict=True))


def _replace_all(target: Any, source: Any, clone: bool) -> None:
    """Replace all entries, and the batch size, by those of another container."""
    missing = [key for key in target._storage if key not in source._storage]
    if missing:
        raise TDRuntimeError(
            f"update(update_batch_size=True) from the batch size {list(target._batch_size)} to "
            f"{list(source._batch_size)} needs every entry anew, and the new ones lack {missing}."
        )
    copy = source.clone(clone)
    storage = target._storage
    if type(storage) is dict:
        target._storage = copy._storage if type(copy._storage) is dict else copy._stacked()._storage
    else:
        target._storage = storage.join(copy._unbound(storage.dim))
    target._batch_size = source._batch_size


def _match(node: Kernel, other: Kernel, old: list[Tensor], new: list[Tensor]) -> bool:
    """Pair the tensors of two dense trees; False as soon as anything else turns up."""
    mine, theirs = node._storage, other._storage
    if type(mine) is not dict or type(theirs) is not dict:
        return False
    for key, value in theirs.items():
        target = mine.get(key)
        if type(value) is Tensor:
            if type(target) is not Tensor or target.shape != value.shape:
                return False
            old.append(target)
            new.append(value)
        elif not (isinstance(value, Kernel) and isinstance(target, Kernel) and _match(target, value, old, new)):
            return False
    return True


def key_tree(keys: Iterable[NestedKey], *, check: bool = False, whole_wins: bool = False) -> KeyTree:
    """Turn keys to a tree: at each level, which entries to take, and what of them (None: all).

    Args:
        keys: the nested keys.
        check: refuse items that are not keys with an error that says so.
        whole_wins: with both a node and one of its children, the node counts; otherwise the child does.
    """
    tree: KeyTree = {}
    for key in keys:
        if type(key) is str:
            if whole_wins or tree.get(key) is None:
                tree[key] = None
            continue
        parts = key_parts(key)
        if not parts:
            if check:
                raise TDKeyRuntimeError(
                    f"Expected keys (str or tuple of str), got {key!r} of type {type(key).__name__}."
                )
            parts = require_parts(key)
        level = tree
        for part in parts[:-1]:
            below = level.get(part, {})
            if below is None:
                if whole_wins:
                    break
                below = {}
            level[part] = below
            level = below
        else:
            if whole_wins or level.get(parts[-1]) is None:
                level[parts[-1]] = None
    return tree


class TDKeyRuntimeError(TDKeyError, TDRuntimeError):
    """A list of keys holds something that is not a key."""


def _chosen(wanted: KeyTree, key: NestedKey) -> tuple[bool, KeyTree | None]:
    """Whether `key` is wanted, and what of it (None: all)."""
    level: KeyTree | None = wanted
    for part in require_parts(key):
        if level is None:
            return True, None
        if part not in level:
            return False, None
        level = level[part]
    return True, level


def _items(source: Any) -> Any:
    """The raw (key, value) pairs of a container or mapping."""
    if isinstance(source, Kernel):
        return list(source._storage.items())
    kind = kind_of_type(type(source))
    if kind is not None:
        node = kind.node(source)
        if node is not None:
            return list(node._storage.items())
    elif isinstance(source, Mapping) or hasattr(source, "items"):
        return list(source.items())
    raise TDTypeError(f"update needs a mapping or a tensordict, got {type(source).__name__}.")


def _pair_up(node: Any, source: Any, wanted: KeyTree | None, pairs: list[Any]) -> None:
    """Pair every new value with the entry it overwrites: (owner, key, value)."""
    rows = None if type(node._storage) is dict else _rows(node, source)
    if rows is not None:
        for part, row in rows:
            _pair_up(part, row, wanted, pairs)
        return
    for key, value in _items(source):
        below: KeyTree | None = None
        if wanted is not None:
            chosen, below = _chosen(wanted, key)
            if not chosen:
                continue
        parts = (key,) if type(key) is str else require_parts(key)
        owner = node._owner(parts)
        if parts[-1] not in owner._storage:
            raise missing_key(key, owner._storage, "destination tensordict")
        if type(value) is not Tensor:
            old = owner._storage[parts[-1]]
            target = None if type(old) is Tensor else kind_of(old).node(old)
            kind = kind_of_type(type(value))
            is_node = isinstance(value, Mapping) if kind is None else kind.node(value) is not None
            if target is not None and is_node:
                _pair_up(target, value, below, pairs)
                continue
        pairs.append((owner, parts[-1], value))


def _broadcast(key: str, value: Any, present: Any) -> Any:
    """Expand a tensor or number to the shape of the tensor it overwrites, by the rules of `Tensor.copy_`."""
    if not isinstance(present, (Tensor, LeafSpec)) or not isinstance(value, (Tensor, int, float, complex)):
        return value
    if min(present.shape, default=0) < 0:  # the sizes of the members of a stack differ
        return value
    value = torch.as_tensor(value)
    try:
        return value.expand(present.shape)
    except RuntimeError as error:
        raise InplaceWriteError(key, str(error)) from error


def _fill(owner: Any, key: str, number: float) -> None:
    storage = owner._storage
    if type(storage) is not dict and storage.parts is not None:
        for part in storage.parts:
            _fill(part, key, number)
        return
    value = storage[key]
    node = kind_of(value).node(value)
    if node is not None:
        for name in list(node._storage):
            _fill(node, name, number)
    elif isinstance(value, Tensor):
        value.fill_(number)
        if type(storage) is not dict:
            storage.overwrite(key, value)


def _require_unlocked_along(node: Any, tree: KeyTree, action: str) -> None:
    """Refuse a structural change if any node that it reaches is locked, before anything is changed."""
    node._require_unlocked(action)
    for key, below in tree.items():
        if below is not None and key in node._storage:
            value = node._storage[key]
            child = None if type(value) is Tensor else kind_of(value).node(value)
            if child is not None:
                _require_unlocked_along(child, below, action)


def _select(node: Any, tree: KeyTree, strict: bool, inplace: bool) -> Any:
    if type(node._storage) is not dict and node._storage.parts is not None:
        out = node._by_part(lambda part: _select(part, tree, strict, inplace))
        return node if inplace else out
    picked: dict[str, Any] = {}
    storage = node._storage
    for key, below in tree.items():
        try:
            value = storage[key]
        except KeyError:
            if strict:
                raise missing_key(key, storage) from None
            continue
        if below is None:
            picked[key] = value
            continue
        kind = kind_of(value)
        child = kind.node(value)
        if child is not None:
            picked[key] = kind.wrap(value, _select(child, below, strict, inplace))
        elif strict:
            raise KeyThroughLeafError(key, type(value), next(iter(below)))
    if not inplace:
        return node._like(picked)
    storage.clear()
    storage.update(picked)
    return node


def _exclude(node: Any, tree: KeyTree) -> Any:
    if type(node._storage) is not dict and node._storage.parts is not None:
        return node._by_part(lambda part: _exclude(part, tree))
    kept: dict[str, Any] = {}
    for key, value in node._storage.items():
        if key in tree:
            below = tree[key]
            if below is None:
                continue
        else:
            below = {}
        if type(value) is not Tensor:
            kind = kind_of(value)
            child = kind.node(value)
            if child is not None:
                value = kind.wrap(value, _exclude(child, below) if below else shallow_copy(child))
        kept[key] = value
    return node._like(kept)


def _drop(node: Any, tree: KeyTree) -> None:
    if type(node._storage) is not dict and node._storage.parts is not None:
        for part in node._storage.parts:
            _drop(part, tree)
        return
    storage = node._storage
    for key, below in tree.items():
        if key not in storage:
            continue
        if below is None:
            del storage[key]
            continue
        value = storage[key]
        child = None if type(value) is Tensor else kind_of(value).node(value)
        if child is not None:
            _drop(child, below)
