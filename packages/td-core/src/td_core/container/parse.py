"""From the printed form of a container back to a container of zeros with the same structure: for bug reports."""

from __future__ import annotations

import re
from typing import Any

import torch
from torch import Size

from ..errors import TDValueError
from .describe import short_dtype
from .kernel import Kernel

_DTYPES = {short_dtype(value): value for value in vars(torch).values() if isinstance(value, torch.dtype)}

_HEAD = re.compile(r"\s*([A-Za-z_]\w*)\(\s*")
_ATTRIBUTE = re.compile(r"\s*,?\s*(\w+)=(torch\.Size\(\[[^\]]*\]\)|\[[^\]]*\]|[^,(){}\[\]\n]+)")
_FIELDS = re.compile(r"\s*,?\s*fields=\{")
_EXCLUSIVE = re.compile(r"\s*,?\s*exclusive_fields=\{\s*\}")
_KEY = re.compile(r"\s*,?\s*(.+?): ")
_COMPACT_LEAF = re.compile(r"([a-z]\w*)\[([^\]]*)\](?:@([\w:]+))?(?=\s*[,}])")
_COMPACT_NODE = re.compile(r"(?:\[([^\]]*)\])?\{")


def parse_tensor_dict_string(s: str) -> Any:
    """Rebuild a container from its `repr`: the keys, shapes, dtypes, devices and batch sizes, filled with zeros.

    Args:
        s: what `repr` gave, in the compact or the detailed form, with the default options otherwise.

    Raises:
        TDValueError: the text is something else, or has fields that are not tensors.
    """
    parser = _Parser(s)
    container = parser.container()
    if s[parser.at :].strip():
        parser.fail("the end of the text")
    return container


class _Parser:
    """A cursor in the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def skip(self, token: str) -> bool:
        """Step over a token and the blanks before it, if it is there."""
        rest = self.text[self.at :]
        blank = len(rest) - len(rest.lstrip())
        if not rest.startswith(token, blank):
            return False
        self.at += blank + len(token)
        return True

    def fail(self, expected: str) -> Any:
        found = self.text[self.at : self.at + 40]
        raise TDValueError(
            f"This is not the printed form of a container of tensors: expected {expected} at character {self.at}, "
            f"found {found!r}."
        )

    def container(self) -> Any:
        """Read `Name(attributes, fields={...}, attributes)`."""
        if self.match(_HEAD) is None:
            self.fail("'TensorDict('")
        attributes: dict[str, str] = {}
        fields_at: int | None = None
        while not self.skip(")"):
            if self.match(_EXCLUSIVE):
                continue
            if self.match(_FIELDS):
                fields_at = self.at
                self.step_over_fields()
            else:
                found = self.match(_ATTRIBUTE)
                if found is None:
                    self.fail("an attribute, 'fields=' or ')'")
                else:
                    attributes[found[1]] = found[2].strip()
        if fields_at is None:
            self.fail("'fields={'")
        end = self.at
        size = _sizes(attributes.get("batch_size", "[]"))
        device = attributes.get("device", "None")
        names = attributes.get("names")
        node = Kernel._build({}, size, None if device == "None" else torch.device(device))
        self.at = fields_at or 0
        self.fill(node)
        self.at = end
        if names is not None:
            node.names = [None if name == "None" else name for name in names.strip("[]").split(",")]
        return node

    def step_over_fields(self) -> None:
        """Step behind the brace that closes the fields."""
        depth = 1
        while depth:
            if self.at >= len(self.text):
                self.fail("'}'")
            depth += {"{": 1, "}": -1}.get(self.text[self.at], 0)
            self.at += 1

    def fill(self, node: Any) -> None:
        """Read `key: value, ...}` into a node."""
        while not self.skip("}"):
            key = self.match(_KEY)
            if key is None:
                self.fail("a key")
            else:
                node._storage[key[1]] = self.value(node, key[1])

    def value(self, node: Any, key: str) -> Any:
        leaf = self.match(_COMPACT_LEAF)
        if leaf is not None:
            if leaf[1] not in _DTYPES:
                self.fail(f"a dtype for {key!r}")
            shape = [*node._batch_size, *_sizes(leaf[2])]
            return torch.zeros(shape, dtype=_DTYPES[leaf[1]], device=leaf[3] or node._device)
        inner = self.match(_COMPACT_NODE)
        if inner is not None:
            child = Kernel._build({}, Size([*node._batch_size, *_sizes(inner[1] or "")]), node._device)
            self.fill(child)
            return child
        start = self.at
        head = self.match(_HEAD)
        if head is None or head[1].startswith("NonTensor"):
            return self.fail(f"a tensor or container for {key!r} (non-tensor fields cannot be rebuilt)")
        found = self.match(_ATTRIBUTE)
        if found is None or found[1] != "shape":
            self.at = start
            return self.container()
        attributes = {"shape": found[2]}
        while not self.skip(")"):
            found = self.match(_ATTRIBUTE)
            if found is None:
                return self.fail("an attribute or ')'")
            attributes[found[1]] = found[2].strip()
        dtype = getattr(torch, attributes.get("dtype", "").removeprefix("torch."), None)
        if not isinstance(dtype, torch.dtype):
            return self.fail(f"a dtype for {key!r}")
        return torch.zeros(_sizes(attributes["shape"]), dtype=dtype, device=attributes.get("device"))


def _sizes(text: str) -> Size:
    """Read "[2,3]", "torch.Size([2, 3])" or "2,3"."""
    inner = text.removeprefix("torch.Size(").removesuffix(")").strip("[]")
    try:
        return Size([int(n) for n in inner.split(",") if n.strip()])
    except ValueError as error:
        raise TDValueError(f"The sizes {text!r} cannot be rebuilt: they are not all whole numbers.") from error
