"""What is known of one plugin: where it comes from and how loading it went."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .errors import PluginError


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginRecord:
    """One entry point of the group `td_core.plugins`.

    Args:
        name: The name of the entry point.
        distribution: The distribution it belongs to, normalised.
        version: The version of that distribution.
        target: The module it points to.
        status: `loaded`, `failed` (it could not be imported or registered), or `left out` by `TD_PLUGINS`.
        errors: What went wrong. A loaded plugin has some when one of its hooks failed; its other hooks count.
    """

    name: str
    distribution: str
    version: str
    target: str
    status: Literal["loaded", "failed", "left out"] = "loaded"
    errors: tuple[PluginError, ...] = ()

    @property
    def label(self) -> str:
        """Name, distribution and version, for messages."""
        return f"{self.name} ({self.distribution} {self.version})"

    @property
    def key(self) -> str:
        """A name no other record has; two distributions may use one entry-point name."""
        return f"{self.distribution}:{self.name}"


def normalized_distribution(name: str) -> str:
    """Spell the name of a distribution as the package index does: `td_h5` is `td-h5`."""
    return re.sub(r"[-_.]+", "-", name).lower()
