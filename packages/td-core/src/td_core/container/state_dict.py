"""State dicts: the tensors by "."-joined keys as in `nn.Module`, with batch sizes and devices on the side."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

from torch import Size, Tensor
from typing_extensions import Self

from ..errors import TDRuntimeError, TDValueError
from ..keys import KEY_SEPARATOR
from ..leaves import kind_of
from .kernel import Kernel
from .sizes import SizeMethods


class StateDictMethods(SizeMethods):
    """`state_dict` and `load_state_dict`."""

    def state_dict(
        self,
        destination: dict[str, Any] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
        flatten: bool = True,
    ) -> Any:
        """Return the tensors as an ordered dict.

        Non-tensor data, batch sizes and devices stand in its `_metadata`, as for modules.

        Args:
            destination: a dict to write to. Default: a new one.
            prefix: put before every key.
            keep_vars: keep the tensors themselves; else they are detached.
            flatten: join nested keys by "."; else nodes are ordered dicts themselves.

        Raises:
            TDValueError: `flatten`, and two entries have the same joined key.
        """
        out: dict[str, Any] = OrderedDict() if destination is None else destination
        if not hasattr(out, "_metadata") and isinstance(out, OrderedDict):
            out._metadata = {}  # type: ignore[attr-defined]  # as torch does for modules
        metadata = getattr(out, "_metadata", {})
        if flatten:
            _write_flat(self, out, metadata, prefix, keep_vars)
        else:
            _write_nested(self, out, metadata, prefix, keep_vars, prefix)
        return out

    def load_state_dict(
        self,
        state_dict: Mapping[str, Any],
        strict: bool = True,
        assign: bool = False,
        from_flatten: bool | None = None,
    ) -> Self:
        """Load tensors from a state dict, flat or nested.

        Args:
            state_dict: the state dict. Empty nodes in it are ignored.
            strict: the keys must match; else missing ones keep their value and further ones are inserted.
            assign: take over the tensors themselves; else values are copied into the existing ones.
            from_flatten: False takes the keys of a flat dict as they are, without splitting them at ".".

        Returns:
            This container.

        Raises:
            TDRuntimeError: `strict`, and the keys differ.
            InplaceWriteError: a value cannot be copied into the entry.
            LockedError: the container is locked, and a tensor is to be replaced or inserted.
        """
        own = dict(_own_paths(self))
        given = dict(_given_paths(state_dict, own, from_flatten is not False, ()))
        missing = sorted(KEY_SEPARATOR.join(path) for path in own.values() if path not in given)
        unexpected = sorted(KEY_SEPARATOR.join(path) for path in given if path not in set(own.values()))
        if strict and (missing or unexpected):
            raise TDRuntimeError(
                f"The state dict does not match the tensordict. Missing keys: {missing}. Unexpected keys: "
                f"{unexpected}. Pass strict=False to load what fits."
            )
        metadata = getattr(state_dict, "_metadata", {})
        if assign:
            _shrink(self, metadata, "")
        known = set(own.values())
        for path, value in given.items():
            if path in known and not assign:
                self.set_(path, value)  # type: ignore[attr-defined]  # every container has it
            else:
                self.set(path, value)  # type: ignore[attr-defined]  # every container has it
        _restore(self, metadata, "")
        return self


def _entries(node: Kernel) -> Iterator[tuple[str, Any, Kernel | None]]:
    for key, value in node._storage.items():
        yield key, value, None if type(value) is Tensor else kind_of(value).node(value)


def _describe(node: Kernel) -> dict[str, Any]:
    return {
        "batch_size": tuple(node._batch_size),
        "device": None if node._device is None else str(node._device),
        "non_tensors": {
            key: value
            for key, value in node._storage.items()
            if type(value) is not Tensor and kind_of(value).is_non_tensor
        },
    }


def _write_flat(node: Kernel, out: dict[str, Any], metadata: dict[str, Any], prefix: str, keep_vars: bool) -> None:
    metadata[prefix.removesuffix(KEY_SEPARATOR)] = _describe(node)
    for key, value, child in _entries(node):
        if child is not None:
            _write_flat(child, out, metadata, f"{prefix}{key}{KEY_SEPARATOR}", keep_vars)
        elif isinstance(value, Tensor):
            name = prefix + key
            if name in out:
                raise TDValueError(
                    f"Two entries share the joined key {name!r}. Use state_dict(flatten=False), or rename one of them."
                )
            out[name] = value if keep_vars else value.detach()


def _write_nested(
    node: Kernel, out: dict[str, Any], metadata: dict[str, Any], prefix: str, keep_vars: bool, path: str
) -> None:
    metadata[path.removesuffix(KEY_SEPARATOR)] = _describe(node)
    for key, value, child in _entries(node):
        if child is not None:
            inner: dict[str, Any] = OrderedDict()
            _write_nested(child, inner, metadata, "", keep_vars, f"{path}{key}{KEY_SEPARATOR}")
            out[prefix + key] = inner
        elif isinstance(value, Tensor):
            out[prefix + key] = value if keep_vars else value.detach()


def _own_paths(node: Kernel, path: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (joined key, path) for every tensor."""
    for key, value, child in _entries(node):
        if child is not None:
            yield from _own_paths(child, (*path, key))
        elif isinstance(value, Tensor):
            yield KEY_SEPARATOR.join((*path, key)), (*path, key)


def _given_paths(
    state_dict: Mapping[str, Any], own: dict[str, tuple[str, ...]], split: bool, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield (path, tensor) for every tensor of a flat or nested state dict."""
    for key, value in state_dict.items():
        if isinstance(value, Mapping):
            yield from _given_paths(value, own, split, (*path, key))
        elif isinstance(value, Tensor):
            joined = KEY_SEPARATOR.join((*path, key))
            if not split:
                yield (*path, key), value
            else:
                yield own.get(joined) or (*path, *key.split(KEY_SEPARATOR)), value


def _shrink(node: Any, metadata: Mapping[str, Any], name: str) -> None:
    """Cut every batch size down to what it has in common with the recorded one, so that new tensors fit."""
    recorded = metadata.get(name)
    if recorded is not None:
        common = 0
        for a, b in zip(recorded["batch_size"], node._batch_size, strict=False):
            if a != b:
                break
            common += 1
        if common != len(node._batch_size):
            node.batch_size = node._batch_size[:common]
    for key, child in node._nodes():
        _shrink(child, metadata, _below(name, key))


def _restore(node: Any, metadata: Mapping[str, Any], name: str) -> None:
    """Set the recorded batch size and non-tensor data, here and in every node."""
    recorded = metadata.get(name)
    if recorded is not None:
        size = Size(recorded["batch_size"])
        if size != node._batch_size:
            node.batch_size = size
        for key, value in recorded.get("non_tensors", {}).items():
            node.set(key, value.clone(), inplace=node._locked)
    for key, child in node._nodes():
        _restore(child, metadata, _below(name, key))


def _below(name: str, key: str) -> str:
    return f"{name}{KEY_SEPARATOR}{key}" if name else key
