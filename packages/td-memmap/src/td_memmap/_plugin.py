"""The plugin module of td-memmap. `MemoryMappedTensor` needs no hook: it is a tensor."""

from __future__ import annotations
