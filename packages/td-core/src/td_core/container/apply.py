"""`apply` and its kin: call a function on every leaf and rebuild the tree around the results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import torch
from torch import Size, Tensor
from typing_extensions import Self

from ..errors import LockedError, TDRuntimeError, TDTypeError, missing_key
from ..leaves import LeafKind, kind_of, kind_of_type, rebatched_value
from ..typing import NO_DEFAULT, DeviceLike, LeafPredicate, NoDefault
from .kernel import Kernel, normal_names
from .lock import set_locked
from .mapping import MappingMethods
from .names import check_names


class ApplyMethods(MappingMethods):
    """`apply`, `apply_`, `named_apply`."""

    def apply(
        self,
        fn: Callable[..., Any],
        *others: Any,
        batch_size: Sequence[int] | None = None,
        device: DeviceLike | NoDefault | None = NO_DEFAULT,
        names: Sequence[str | None] | NoDefault | None = NO_DEFAULT,
        inplace: bool = False,
        default: Any = NO_DEFAULT,
        filter_empty: bool | None = None,
        propagate_lock: bool = False,
        call_on_nested: bool = False,
        is_leaf: LeafPredicate | None = None,
        out: Any = None,
        num_threads: int = 0,
    ) -> Any:
        """Call `fn(leaf, *other_leaves)` on every leaf and rebuild the tree around the results.

        Args:
            fn: the function. An entry for which it returns None is left out.
            others: containers (or dicts) that hold the further arguments under the same keys; extra keys are ignored.
            batch_size: the batch size of the result and of every node in it; names are erased unless given.
            device: the device of the result and of every node in it; None clears it. Default: as here.
            names: the dim names of the result; None erases them. Default: as here.
            inplace: write the results into the leaves of this container, and return it. Allowed when locked.
            default: what stands for entries that `others` lack.
            filter_empty: what becomes of nodes, the root included, that end up without any entry. True: left out (None
                for the root). False: kept. None: left out unless they were empty before. Non-tensor data counts as an
                entry.
            propagate_lock: lock the result when this container is locked.
            call_on_nested: call `fn` on the entries of this level, nodes and non-tensor data included.
            is_leaf: tells from its type whether `fn` is called on a value. Default: whatever is not a collection, so
                that non-tensor data passes through.
            out: a container whose entries are replaced by the results, and which is returned.
            num_threads: call `fn` in that many threads; the tree is rebuilt in this one.

        Returns:
            The result, None when nothing is left (see `filter_empty`).

        Raises:
            TDKeyError: `others` lack a key and there is no default.
            BatchSizeError: a result does not start with the batch size.
            LockedError: `out` is locked.
            TDRuntimeError: `batch_size` or `device` differ from those of `out`.
        """
        plain = not (inplace or call_on_nested or num_threads or propagate_lock)
        same = batch_size is None and device is NO_DEFAULT and names is NO_DEFAULT
        if plain and same and out is None and is_leaf is None:
            if not others:
                return _map_leaves(self, fn, filter_empty)
            rows = _alongside(self, others)
            if rows is not None:
                return _map_leaves(self, lambda leaf: fn(leaf, *next(rows)), filter_empty)
        call = _Call(fn, default, filter_empty, call_on_nested, is_leaf, inplace)
        call.set_metadata(batch_size, device, names)
        return call.run(self, others, out, propagate_lock, num_threads)

    def apply_(self, fn: Callable[..., Any], *others: Any, **kwargs: Any) -> Any:
        """Call `apply` with `inplace=True`, and by default return this container whatever `fn` returned."""
        kwargs.setdefault("filter_empty", False)
        return self.apply(fn, *others, inplace=True, **kwargs)

    def named_apply(
        self,
        fn: Callable[..., Any],
        *others: Any,
        nested_keys: bool = False,
        batch_size: Sequence[int] | None = None,
        device: DeviceLike | NoDefault | None = NO_DEFAULT,
        names: Sequence[str | None] | NoDefault | None = NO_DEFAULT,
        inplace: bool = False,
        default: Any = NO_DEFAULT,
        filter_empty: bool | None = None,
        propagate_lock: bool = False,
        call_on_nested: bool = False,
        is_leaf: LeafPredicate | None = None,
        out: Any = None,
        num_threads: int = 0,
    ) -> Any:
        """Call `fn(key, leaf, *other_leaves)` on every leaf; otherwise as `apply`.

        Args:
            fn: the function.
            others: as in `apply`.
            nested_keys: give the whole key of nested leaves, as a tuple. Default: its last part.
            batch_size: as in `apply`.
            device: as in `apply`.
            names: as in `apply`.
            inplace: as in `apply`.
            default: as in `apply`.
            filter_empty: as in `apply`.
            propagate_lock: as in `apply`.
            call_on_nested: as in `apply`.
            is_leaf: as in `apply`.
            out: as in `apply`.
            num_threads: as in `apply`.

        Returns:
            As `apply`.

        Raises:
            TDError: as `apply`.
        """
        plain = len(others) == 0 and not (inplace or call_on_nested or num_threads or propagate_lock)
        same = batch_size is None and device is NO_DEFAULT and names is NO_DEFAULT
        if plain and same and out is None and is_leaf is None:
            return _map_leaves(self, fn, filter_empty, (), nested_keys)
        call = _Call(fn, default, filter_empty, call_on_nested, is_leaf, inplace)
        call.named = "path" if nested_keys else "key"
        call.set_metadata(batch_size, device, names)
        return call.run(self, others, out, propagate_lock, num_threads)

    def _fast_apply(self, fn: Callable[..., Any], *others: Any, **kwargs: Any) -> Self:
        """Call `apply` keeping every node, empty or not: for functions that are known to return values that fit."""
        kwargs.setdefault("filter_empty", False)
        return self.apply(fn, *others, **kwargs)  # type: ignore[no-any-return]


def _map_leaves(
    node: Any,
    fn: Callable[..., Any],
    filter_empty: bool | None,
    path: tuple[str, ...] | None = None,
    nested_keys: bool = False,
) -> Any:
    """`apply` without options; `named_apply` when there is a path to put before the keys."""
    source = node._storage
    if type(source) is not dict and source.parts is not None:
        return _joined(node, [_map_leaves(part, fn, filter_empty, path, nested_keys) for part in source.parts])
    out = node._like({})
    storage = out._storage
    n = len(node._batch_size)
    free = node._device is None
    for key, value in node._storage.items():
        if type(value) is Tensor:
            result = fn(value) if path is None else fn((*path, key) if path else key, value)
            if result is None:
                continue
            # a tensor of the shape of the leaf fits, as the leaf does
            if type(result) is Tensor and free and (not n or result.shape == value.shape):
                storage[key] = result
            else:
                storage[key] = out._as_value(key, result)
            continue
        kind = kind_of(value)
        child = kind.node(value)
        if child is not None:
            below = (*path, key) if nested_keys and path is not None else path
            result = _map_leaves(child, fn, filter_empty, below, nested_keys)
            if result is not None:
                storage[key] = kind.wrap(value, result)
        elif kind.is_non_tensor:
            storage[key] = kind.clone(value)
        else:
            result = fn(value) if path is None else fn((*path, key) if path else key, value)
            if result is not None:
                storage[key] = out._as_value(key, result)
    if not storage and filter_empty is not False and (filter_empty or len(node._storage)):
        return None
    return out


def _joined(node: Any, parts: list[Any]) -> Any:
    """Join the results of the parts of a node; those of which nothing is left are empty. None when all are."""
    if all(part is None for part in parts):
        return None
    source = node._storage
    kept = [old._like({}) if new is None else new for old, new in zip(source.parts, parts, strict=True)]
    return node._like(source.join(kept))


def _alongside(node: Any, others: Sequence[Any]) -> Iterator[tuple[Tensor, ...]] | None:
    """The tensors of other containers, row by row in the order of the leaves; None when the trees are not alike."""
    columns: list[list[Tensor]] = []
    for other in others:
        pairs = node._leaf_pairs(other) if isinstance(other, Kernel) else None
        if pairs is None:
            return None
        columns.append(pairs[1])
    return zip(*columns, strict=True)


class _Call:
    """One call of `apply`: the function, and the options that hold for the whole tree."""

    named: str | None = None
    """"key": the function is given the last part of the key first; "path": the whole key."""

    batch_size: Size | None = None
    device: torch.device | NoDefault | None = NO_DEFAULT
    names: list[str | None] | NoDefault | None = NO_DEFAULT

    def __init__(
        self,
        fn: Callable[..., Any],
        default: Any,
        filter_empty: bool | None,
        call_on_nested: bool,
        is_leaf: LeafPredicate | None,
        inplace: bool,
    ) -> None:
        self.fn = fn
        self.default = default
        self.filter_empty = filter_empty
        self.call_on_nested = call_on_nested
        self.is_leaf = is_leaf
        self.inplace = inplace

    def set_metadata(self, batch_size: Any, device: Any, names: Any) -> None:
        """Take the metadata of the result."""
        if batch_size is not None:
            self.batch_size = Size(batch_size)
        if device is not NO_DEFAULT:
            self.device = None if device is None else torch.device(device)
        if names is not NO_DEFAULT:
            self.names = None if names is None else check_names(names, len(names))

    def run(self, root: Any, others: Sequence[Any], out: Any, propagate_lock: bool, num_threads: int) -> Any:
        """Do the whole tree."""
        if isinstance(self.names, list):
            check_names(self.names, len(root._batch_size if self.batch_size is None else self.batch_size))
        if out is not None:
            self._check_out(out)
        levels = [_level(other) for other in others]
        if num_threads:
            with ThreadPoolExecutor(num_threads) as pool:
                self._submit(pool, root, levels)
                result = self._tree(root, levels, out, ())
        else:
            result = self._tree(root, levels, out, ())
        if propagate_lock and result is not None and root._locked and not result._locked:
            set_locked(result, True)
        return result

    def _submit(self, pool: ThreadPoolExecutor, root: Any, levels: list[Any]) -> None:
        """Submit every call to the pool, and have `fn` hand out the results in the same order.

        The tree is walked twice in this thread, so nothing that waits for a result ever runs in the pool.
        """
        futures: list[Future[Any]] = []
        inplace, fn = self.inplace, self.fn
        self.fn = lambda *arguments: futures.append(pool.submit(fn, *arguments))
        self.inplace = True  # nothing is built or written, as no call returns a value
        self._tree(root, levels, None, ())
        results = iter(futures)
        self.fn = lambda *arguments: next(results).result()
        self.inplace = inplace

    def _check_out(self, out: Any) -> None:
        if out._locked:
            raise LockedError("write the results of apply into")
        if self.batch_size is not None and self.batch_size != out._batch_size:
            raise TDRuntimeError(
                f"apply was asked for the batch size {list(self.batch_size)}, and given an `out` of batch size "
                f"{list(out._batch_size)}. Leave batch_size out, or make them equal."
            )
        if self.device is not NO_DEFAULT and self.device != out._device:
            raise TDRuntimeError(
                f"apply was asked for the device {self.device}, and given an `out` on {out._device}. Leave device out, "
                "or make them equal."
            )

    def _tree(self, node: Any, levels: list[Any], out: Any, prefix: tuple[str, ...]) -> Any:
        """Do one node and those below it; None when nothing is left."""
        storage = node._storage
        if type(storage) is not dict and storage.parts is not None and self._goes_by_part(node, out):
            return self._parts(node, levels, out, prefix)
        target = out
        if out is None:
            target = node if self.inplace else self._empty_like(node)
        written = False
        for key, value in list(node._storage.items()):
            kind = kind_of(value)
            if self._is_leaf(kind, type(value)):
                arguments = [self._look_up(level, key, self.default) for level in levels]
                result = self._call(prefix, key, value, arguments)
                if result is not None:
                    written = True
                    if target is not node:
                        target._store(key, result)
                    elif result is not value:
                        target._overwrite(key, result)
                continue
            child = kind.node(value)
            if child is None:
                written = True
                if target is not node:
                    copy = kind.clone(value)
                    target._store(key, copy if self.batch_size is None else rebatched_value(copy, self.batch_size))
                continue
            below = [_level(self._look_up(level, key, {})) for level in levels]
            result = self._tree(child, below, _child_of(out, key), (*prefix, key))
            if result is not None:
                written = True
                if target is not node:
                    target._store(key, kind.wrap(value, result))
        if not written and self.filter_empty is not False and (self.filter_empty or len(node._storage)):
            return None
        return target

    def _goes_by_part(self, node: Any, out: Any) -> bool:
        """Whether a node made of parts can be done part by part: the result has the same batch dims and names."""
        if self.batch_size is not None or self.names is not NO_DEFAULT:
            return False
        alike = out is None or (type(out._storage) is type(node._storage) and out._storage.dim == node._storage.dim)
        return alike and (out is None or out._batch_size == node._batch_size)

    def _parts(self, node: Any, levels: list[Any], out: Any, prefix: tuple[str, ...]) -> Any:
        storage = node._storage
        parts = storage.parts
        rows: Any = zip(*[storage.cut(level) for level in levels], strict=True) if levels else [()] * len(parts)
        targets = [None] * len(parts) if out is None else out._storage.parts
        results = [
            self._tree(part, list(row), target, prefix) for part, row, target in zip(parts, rows, targets, strict=True)
        ]
        if out is not None or self.inplace:
            return None if all(result is None for result in results) else node if out is None else out
        joined = _joined(node, results)
        if joined is not None and self.device is not NO_DEFAULT:
            joined._device = self.device
        return joined

    def _is_leaf(self, kind: LeafKind, type_: type) -> bool:
        if self.call_on_nested:
            return True
        return not kind.is_collection if self.is_leaf is None else self.is_leaf(type_)

    def _call(self, prefix: tuple[str, ...], key: str, value: Any, arguments: list[Any]) -> Any:
        if self.named is None:
            return self.fn(value, *arguments)
        return self.fn((*prefix, key) if prefix and self.named == "path" else key, value, *arguments)

    def _look_up(self, level: Any, key: str, missing: Any) -> Any:
        if key in level:
            return level[key]
        if self.default is NO_DEFAULT:
            raise missing_key(key, level, "container given to apply")
        return missing

    def _empty_like(self, node: Any) -> Any:
        """Return an empty container with the metadata the result has at this node."""
        size = node._batch_size if self.batch_size is None else self.batch_size
        device = node._device if self.device is NO_DEFAULT else self.device
        names = node._names if self.batch_size is None else None
        if self.names is None:
            names = None
        elif self.names is not NO_DEFAULT:
            own = names or [None] * len(size)
            names = normal_names([*self.names, *own[len(self.names) :]])
        return node._derive({}, size, device, names)


def _level(other: Any) -> Any:
    """Return the mapping of keys to values of a container or dict."""
    if isinstance(other, dict):
        return other
    kind = kind_of_type(type(other))
    node = None if kind is None else kind.node(other)
    if node is None:
        raise TDTypeError(
            f"apply walks its other arguments along with the tree: a container or dict is needed there, not a "
            f"{type(other).__name__}."
        )
    return node._storage


def _child_of(out: Any, key: str) -> Any:
    """Return the node of `out` under a key, None when there is none."""
    if out is None or key not in out._storage:
        return None
    value = out._storage[key]
    return None if type(value) is Tensor else kind_of(value).node(value)
