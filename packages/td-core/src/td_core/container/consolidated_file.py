"""Files of consolidated tensordicts: the bytes of the leaves, a JSON description, and its length.

The description has, for each node, its class, its non-tensor values, where each leaf lies, and its metadata; child
nodes are further keys of the same object. The last 8 bytes are the length of the description, little-endian. The peer
reads and writes the same files. Nothing in a file is ever executed, and no size in it is trusted before it is checked.
"""

from __future__ import annotations

import json
import math
import os
import struct
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Size, Tensor

from ..errors import TDNotImplementedError, TDTypeError, TDValueError
from ..leaves import NonTensorData, NonTensorDataBase, NonTensorStack, kind_of
from ..typing import StrPath
from .consolidate import AnySlot, JaggedSlot, Slot, around_buffer, fill
from .kernel import Kernel, normal_names

_RESERVED = ("cls", "non_tensors", "leaves", "cls_metadata")
_VALUES, _LENGTHS, _OFFSETS = "<NJT_VALUES>", "<NJT_LENGTHS>", "<NJT_OFFSETS>"
_LENGTH = struct.Struct("<q")
_PLAIN = (str, int, float, bool, type(None))


# -- writing ----------------------------------------------------------------------------------------------------------


def describe(td: Any, slots: list[AnySlot]) -> bytes:
    """Return what follows the bytes of the leaves in a file: the description and its length.

    Raises:
        TDTypeError: a non-tensor value would not come back from JSON as it is.
        TDValueError: a key cannot be expressed in the layout.
    """
    text = json.dumps(_describe_node(td, iter(slots), ())).encode()
    return text + _LENGTH.pack(len(text))


def write_file(
    path: StrPath, td: Any, leaves: list[Tensor], slots: list[AnySlot], size: int, use_buffer: bool
) -> Tensor:
    """Write a tree to a file and return its data part, mapped into memory.

    The file appears under its name complete or not at all; an old file of that name stays until then.

    Args:
        path: the file.
        td: the tree.
        leaves: its tensors.
        slots: where each of them goes.
        size: the size of the data part.
        use_buffer: assemble the data in memory first; else they are copied straight into the mapped file.
    """
    description = describe(td, slots)
    with _replacing(Path(path)) as temporary:
        if use_buffer:
            data = torch.empty(size, dtype=torch.uint8)
            fill(data, leaves, slots)
            temporary.write_bytes(data.numpy().data)
        else:
            with temporary.open("wb") as file:
                file.truncate(size)
            fill(_mapped(temporary, size, shared=True), leaves, slots)
        with temporary.open("ab") as file:
            file.write(description)
            file.flush()
            os.fsync(file.fileno())
    return _mapped(Path(path), size, shared=True)


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Yield a new file beside `path`, which takes its place when all went well and is removed otherwise."""
    path.parent.stat()  # an error that names the folder, rather than the temporary file
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _describe_node(td: Any, slots: Iterator[AnySlot], path: tuple[str, ...]) -> dict[str, Any]:
    non_tensors: dict[str, Any] = {}
    leaves: dict[str, Any] = {}
    nodes: dict[str, Any] = {}
    for key, value in td._storage.items():
        kind = kind_of(value)
        child = kind.node(value)
        if child is not None:
            nodes[key] = _describe_node(child, slots, (*path, key))
        elif isinstance(value, NonTensorStack):
            nodes[key] = _describe_column(value.tolist(), td._names, len(value.batch_size), (*path, key))
        elif kind.is_non_tensor:
            device = None if value.device is None else str(value.device)
            non_tensors[key] = [_checked_plain(value.data, (*path, key)), list(value.batch_size), device]
        elif isinstance(value, Tensor):
            leaves.update(_describe_leaf(key, next(slots), path))
        else:
            raise TDNotImplementedError(
                f"The entry {(*path, key)!r} is a {type(value).__name__}, which consolidated files cannot hold."
            )
    for key in nodes:
        if key in _RESERVED:
            raise TDValueError(
                f"The nested entry {(*path, key)!r} cannot be written to a consolidated file, whose layout reserves "
                f"the names {', '.join(_RESERVED)} for itself. Rename the entry first."
            )
    metadata = {
        "device": None if td._device is None else "cpu",
        "names": td.names,
        "batch_size": list(td._batch_size),
        "is_locked": td._locked,
    }
    return {
        "cls": type(td).__name__,
        "non_tensors": non_tensors,
        "leaves": leaves,
        "cls_metadata": metadata,
        **nodes,
    }


def _describe_leaf(key: str, slot: AnySlot, path: tuple[str, ...]) -> dict[str, Any]:
    if key.startswith("<NJT_"):
        raise TDValueError(
            f"The entry {(*path, key)!r} cannot be written to a consolidated file, whose layout reserves names that "
            "start with '<NJT_'. Rename the entry first."
        )
    if isinstance(slot, Slot):
        return {key: _describe_slot(slot)}
    described = {_VALUES + key: _describe_slot(slot.values)}
    if slot.lengths is not None:
        described[_LENGTHS + key] = _describe_slot(slot.lengths)
    described[_OFFSETS + key] = [*_describe_slot(slot.offsets), slot.ragged_dim]
    return described


def _describe_slot(slot: Slot) -> list[Any]:
    return [str(slot.dtype), list(slot.shape), slot.start, slot.stop, slot.pad]


def _describe_column(values: Any, names: Any, ndim: int, path: tuple[str, ...]) -> dict[str, Any]:
    """Describe a column as the layout knows it: a stack of one value, or of one further stack, a row."""
    described: dict[str, Any] = {
        "cls": "NonTensorStack",
        "non_tensors": {},
        "leaves": {},
        "cls_metadata": {"stack_dim": 0, "stack_dim_name": names[0] if names else None, "is_locked": False},
    }
    for i, value in enumerate(values):
        if ndim > 1:
            described[str(i)] = _describe_column(value, None, ndim - 1, path)
        else:
            described["non_tensors"][str(i)] = [_checked_plain(value, path), [], None]
    return described


def _checked_plain(value: Any, path: tuple[str, ...]) -> Any:
    if not _is_plain(value):
        raise TDTypeError(
            f"The non-tensor entry {path!r} of type {type(value).__name__} cannot be written to a consolidated file: "
            "only None, booleans, numbers, strings, and lists and dicts (with string keys) of these come back as they "
            "are. Convert it, or exclude it."
        )
    return value


def _is_plain(value: Any) -> bool:
    if type(value) is list:
        return all(map(_is_plain, value))
    if type(value) is dict:
        return all(type(key) is str and _is_plain(item) for key, item in value.items())
    return type(value) in _PLAIN


# -- reading ----------------------------------------------------------------------------------------------------------


def read_file(path: StrPath) -> Any:
    """Read a file into a consolidated tensordict whose leaves are views of the mapped file.

    The mapping is private: writes into the leaves do not reach the file.

    Raises:
        TDValueError: the file is not a consolidated tensordict, or is damaged.
    """
    file = Path(path)
    total = file.stat().st_size
    reader = _Reader(file, *_read_description(file, total))
    skeleton, slots = reader.read()
    buffer = _mapped(file, reader.size, shared=False)
    return around_buffer(skeleton, buffer, slots)


def _read_description(path: Path, total: int) -> tuple[Any, int]:
    """Return the parsed description, and the size of the data part."""
    with path.open("rb") as file:
        if total < _LENGTH.size:
            raise _damaged(path, f"it has {total} bytes, too few to be one")
        file.seek(total - _LENGTH.size)
        (length,) = _LENGTH.unpack(file.read(_LENGTH.size))
        size = total - _LENGTH.size - length
        if length < 2 or size < 0:
            raise _damaged(
                path, f"its last 8 bytes announce a description of {length} bytes, in a file of {total} bytes"
            )
        file.seek(size)
        text = file.read(length)
    try:
        return json.loads(text.decode()), size
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise _damaged(path, f"its description is not JSON ({error})") from error


def _damaged(path: Path, found: str) -> TDValueError:
    return TDValueError(f"{str(path)!r} is not a file of a consolidated tensordict, or is damaged: {found}.")


class _Reader:
    """Builds the skeleton of a tree from the description in a file."""

    def __init__(self, path: Path, description: Any, size: int) -> None:
        self.path = path
        self.description = description
        self.size = size
        self.slots: list[AnySlot] = []

    def read(self) -> tuple[Any, list[AnySlot]]:
        skeleton = self._node(self.description, ())
        return skeleton, skeleton._leaves()

    def _node(self, node: Any, key: tuple[str, ...]) -> Any:
        if not isinstance(node, dict) or any(not isinstance(node.get(name), kind) for name, kind in _SHAPE.items()):
            raise self._error(key, f"its description should have {', '.join(_RESERVED)}, found {_shown(node)}")
        if node["cls"] == "NonTensorStack":
            return NonTensorStack.from_nested(self._column(node, key), None)
        if node["cls"] != "TensorDict":
            self._warn_of_class(node["cls"], key)
        metadata = node["cls_metadata"]
        try:
            size = Size(metadata["batch_size"])
            names = normal_names(metadata["names"])
            device = None if metadata["device"] is None else torch.device("cpu")
        except (KeyError, TypeError, ValueError) as error:
            raise self._error(key, f"its metadata cannot be read, found {_shown(metadata)}") from error
        storage: dict[str, Any] = {}
        for name, value in node["non_tensors"].items():
            storage[name] = self._non_tensor(value, (*key, name))
        storage.update(self._leaves(node["leaves"], key))
        for name, child in node.items():
            if name not in _RESERVED:
                storage[name] = self._node(child, (*key, name))
        self._check_batch(storage, size, key)
        return Kernel._build(storage, size, device, names)

    def _column(self, node: dict[str, Any], key: tuple[str, ...]) -> list[Any]:
        rows = {name: self._non_tensor(row, (*key, name)).data for name, row in node["non_tensors"].items()}
        for name, child in node.items():
            if name not in _RESERVED:
                rows[name] = self._column(child, (*key, name))
        try:
            return [rows[str(i)] for i in range(len(rows))]
        except KeyError as error:
            raise self._error(key, f"the row {error} of a column of {len(rows)} rows is missing") from None

    def _non_tensor(self, value: Any, key: tuple[str, ...]) -> NonTensorDataBase:
        try:
            data, batch_size, device = value
            return NonTensorData(data, batch_size=batch_size, device=device)
        except (TypeError, ValueError, RuntimeError) as error:
            raise self._error(key, f"expected a value, a batch size and a device, found {_shown(value)}") from error

    def _leaves(self, leaves: dict[str, Any], key: tuple[str, ...]) -> dict[str, AnySlot]:
        found: dict[str, AnySlot] = {}
        for name, described in leaves.items():
            if name.startswith(_VALUES):
                leaf = name[len(_VALUES) :]
                offsets = leaves.get(_OFFSETS + leaf)
                if not isinstance(offsets, list) or len(offsets) != 6:
                    raise self._error((*key, leaf), f"expected the offsets of a jagged tensor, found {_shown(offsets)}")
                lengths = leaves.get(_LENGTHS + leaf)
                found[leaf] = JaggedSlot(
                    self._slot(described, (*key, leaf)),
                    self._slot(offsets[:5], (*key, leaf)),
                    None if lengths is None else self._slot(lengths, (*key, leaf)),
                    offsets[5],
                )
            elif not name.startswith((_OFFSETS, _LENGTHS)):
                found[name] = self._slot(described, (*key, name))
        return found

    def _slot(self, described: Any, key: tuple[str, ...]) -> Slot:
        try:
            dtype_name, shape, start, stop, pad = described
            dtype = _dtype(dtype_name)
            slot = Slot(int(start), int(stop), int(pad), dtype, tuple(int(n) for n in shape))
        except (TypeError, ValueError) as error:
            raise self._error(key, f"expected dtype, shape, start, stop and pad, found {_shown(described)}") from error
        needed = math.prod(slot.shape) * dtype.itemsize
        if min(slot.shape, default=0) < 0 or not 0 <= slot.start <= slot.stop <= self.size or slot.pad < 0:
            raise self._error(key, f"bytes {start} to {stop} lie outside of the data part of {self.size} bytes")
        if slot.stop - slot.start - slot.pad != needed:
            raise self._error(
                key, f"a {dtype} tensor of shape {list(slot.shape)} needs {needed} bytes, found {stop - start - pad}"
            )
        if slot.start % dtype.itemsize:
            raise self._error(key, f"a {dtype} tensor cannot start at byte {start}")
        return slot

    def _check_batch(self, storage: dict[str, Any], size: Size, key: tuple[str, ...]) -> None:
        for name, value in storage.items():
            shape = value.shape if isinstance(value, Slot) else None
            if shape is not None and shape[: len(size)] != tuple(size):
                raise self._error(
                    (*key, name), f"its shape {list(shape)} does not start with the batch size {list(size)}"
                )

    def _warn_of_class(self, name: str, key: tuple[str, ...]) -> None:
        warnings.warn(
            f"The class {name!r} of {_place(key)} in {str(self.path)!r} is not known here; it is read as a TensorDict.",
            UserWarning,
            stacklevel=5,
        )

    def _error(self, key: tuple[str, ...], found: str) -> TDValueError:
        return _damaged(self.path, f"in {_place(key)}, {found}")


_SHAPE: dict[str, type] = {"cls": str, "non_tensors": dict, "leaves": dict, "cls_metadata": dict}


def _place(key: tuple[str, ...]) -> str:
    return f"the entry {key!r}" if key else "the root"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "..."


def _dtype(name: Any) -> torch.dtype:
    """Return the dtype of a name such as `"torch.float32"`; never any other attribute of torch."""
    dtype = getattr(torch, str(name).removeprefix("torch."), None)
    if not isinstance(dtype, torch.dtype):
        raise TDValueError(f"There is no dtype {name!r}.")
    return dtype


def _mapped(path: Path, size: int, shared: bool) -> Tensor:
    """Map the first `size` bytes of a file, which has them."""
    if not size:
        return torch.empty(0, dtype=torch.uint8)
    return torch.from_file(str(path), shared=shared, size=size, dtype=torch.uint8)
