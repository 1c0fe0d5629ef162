"""Keys of a tensordict as names of links in an HDF5 group, and back.

HDF5 splits names at `/`, and `.` means the group itself. Such keys are written percent-encoded, so that every key
comes back as it was. Files of other programs are marked by nothing, and their names are taken as they are.
"""

from __future__ import annotations

import re
from typing import Final

from td_core.errors import TDKeyError

_RESERVED: Final = re.compile("[%/\0]|^[.]+$")
_ENCODED: Final = re.compile("%([0-9A-F]{2})")


def link_name(key: str) -> str:
    """Return the name of the link that holds a key."""
    if not key:
        raise TDKeyError("HDF5 cannot hold an entry whose key is the empty string. Rename it first.")
    return _RESERVED.sub(lambda match: "".join(f"%{ord(character):02X}" for character in match[0]), key)


def key_of(name: str) -> str:
    """Return the key that `link_name` turned into a name."""
    return _ENCODED.sub(lambda match: chr(int(match[1], 16)), name)
