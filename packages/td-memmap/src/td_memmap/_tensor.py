"""A tensor whose memory is a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from typing import Any
from uuid import uuid4

import torch

from td_core.errors import TDFileNotFoundError, TDRuntimeError
from td_core.typing import StrPath

from .errors import MemmapFileError


class MemoryMappedTensor(torch.Tensor):
    """A tensor that is a mapping of a file: what is written in place reaches the file.

    Make one with `from_tensor` or `from_filename`. Operations return plain tensors; views share the mapping. Pickling
    passes the file name, not the data.
    """

    _filename: Path

    # As in nn.Parameter, operations take the tensor as a plain one.
    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]  # as torch itself does

    @property
    def filename(self) -> Path:
        """The file."""
        return self._filename

    @classmethod
    def from_tensor(cls, tensor: torch.Tensor, *, filename: StrPath, existsok: bool = False) -> MemoryMappedTensor:
        """Write a tensor to a file and map it.

        The file appears under its name when it is complete.

        Args:
            tensor: What to write.
            filename: Where to.
            existsok: Replace a file that is there. Mappings of the old file keep the old data.

        Raises:
            MemmapFileError: The file exists and `existsok` is False.
            TDRuntimeError: The tensor requires grad, or is not strided.
        """
        path = Path(filename)
        if tensor.requires_grad:
            raise TDRuntimeError("A tensor that requires grad cannot be memory-mapped. Call detach() first.")
        if tensor.layout is not torch.strided:
            raise TDRuntimeError(f"A tensor of layout {tensor.layout} cannot be memory-mapped. Call to_dense() first.")
        if path.exists() and not existsok:
            raise MemmapFileError(path, "the file exists already; pass existsok=True to replace it")
        temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
        try:
            _write(temporary, tensor)
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        return cls.from_filename(path, tensor.dtype, tensor.shape)

    @classmethod
    def from_filename(cls, filename: StrPath, dtype: torch.dtype, shape: Sequence[int]) -> MemoryMappedTensor:
        """Map a file.

        Args:
            filename: A file that holds at least the bytes of the tensor. It is never extended.
            dtype: The dtype of the elements.
            shape: The shape; elements are in row-major order from the start of the file.

        Raises:
            TDFileNotFoundError: There is no such file.
            MemmapFileError: The file is too short.
        """
        path, size = Path(filename), torch.Size(shape)
        if not path.is_file():
            raise TDFileNotFoundError(f"There is no file {str(path)!r} to map.")
        expected, found = prod(size) * dtype.itemsize, path.stat().st_size
        if found < expected:
            raise MemmapFileError(path, f"shape {list(size)} of {dtype} needs {expected} bytes, the file has {found}")
        if expected == 0:
            mapped = torch.empty(size, dtype=dtype)  # the system maps no empty range
        else:
            writable = os.access(path, os.W_OK)  # a private mapping opens the file for reading only
            mapped = torch.from_file(str(path), shared=writable, size=prod(size), dtype=dtype).view(size)
        result = mapped.as_subclass(cls)
        result._filename = path.absolute()
        return result

    def __reduce_ex__(self, protocol: object) -> tuple[Callable[..., MemoryMappedTensor], tuple[Any, ...]]:
        return type(self).from_filename, (self.filename, self.dtype, tuple(self.shape))

    def __deepcopy__(self, memo: dict[int, Any]) -> torch.Tensor:
        copied = self.clone()  # a plain tensor: a copy must not write to the file
        memo[id(self)] = copied
        return copied

    def __repr__(self) -> str:  # type: ignore[override]  # the keyword of Tensor.__repr__ is for its own subclasses
        return f"MemoryMappedTensor({self.as_subclass(torch.Tensor)!r}, filename={str(self.filename)!r})"


def _write(path: Path, tensor: torch.Tensor) -> None:
    """Write the elements in row-major order, and see that they reach the disk."""
    plain = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    with path.open("xb") as file:
        if plain.numel():
            file.write(plain.reshape(-1).view(torch.uint8).numpy().data)  # bytes, as numpy does not know every dtype
        file.flush()
        os.fsync(file.fileno())
