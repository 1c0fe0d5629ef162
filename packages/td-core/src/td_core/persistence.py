"""Load a tensordict from a path, whichever storage backend wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .errors import TDFileNotFoundError, TDValueError, UnsupportedOperationError
from .plugins.known import KNOWN_STORAGE_BACKENDS
from .plugins.registry import registry
from .plugins.resolve import load_from, storage_backend
from .plugins.types import StorageBackend
from .typing import StrPath

if TYPE_CHECKING:
    from .container.base import TensorDictBase


def load(path: StrPath, *, backend: str | None = None, **options: object) -> TensorDictBase:
    """Load a tensordict from a file or a folder.

    Args:
        path: What was saved.
        backend: The name of the storage backend to read it with. By default each backend is asked whether it knows the
            path, by its content where the backend can tell, else by its suffix.
        options: Passed on to the backend.

    Raises:
        TDFileNotFoundError: There is nothing at `path`.
        TDValueError: No backend, or more than one of the same priority, knows the path.
        MissingBackendError: The plugin that knows the path cannot be used here.
    """
    source = Path(path)
    if not source.exists():
        raise TDFileNotFoundError(f"load() found nothing at {str(source)!r}.")
    name = _backend_for(source) if backend is None else backend
    call = f"load({str(path)!r})"
    loader = storage_backend(name, call).load
    if loader is None:
        raise UnsupportedOperationError(call, name, "PERSISTENT")
    return load_from(registry().storage_backends, name, loader, call)(source, **options)


def _backend_for(path: Path) -> str:
    backends = registry().storage_backends
    matches = [backend for backend in backends.values() if backend.load is not None and _knows(backend, path)]
    if not matches:
        absent = [name for name, source in KNOWN_STORAGE_BACKENDS.items() if path.suffix.lower() in source.suffixes]
        if absent:
            return absent[0]  # looking it up raises the error that tells what to install
        asked = ", ".join(name for name, backend in backends.items() if backend.load is not None) or "none"
        raise TDValueError(
            f"No storage backend recognises {str(path)!r}. Asked: {asked}. Pass backend=..., or install the "
            "plugin that wrote it; `python -m td_core plugins` lists what is there."
        )
    top = max(backend.priority for backend in matches)
    best = [backend.name for backend in matches if backend.priority == top]
    if len(best) > 1:
        raise TDValueError(
            f"More than one storage backend recognises {str(path)!r}: {', '.join(best)}. Pass backend=...."
        )
    return best[0]


def _knows(backend: StorageBackend, path: Path) -> bool:
    if backend.recognizes is None:
        return path.suffix.lower() in backend.suffixes
    return load_from(registry().storage_backends, backend.name, backend.recognizes, f"load({str(path)!r})")(path)
