"""Both libraries, or the reason why they cannot be compared here."""

from __future__ import annotations

import pytest
import torch

from .arena import Libraries
from .libraries import load_ours, load_peer, why_unavailable


@pytest.fixture(scope="session")
def libraries() -> Libraries:
    """The peer and the library under test."""
    reason = why_unavailable()
    if reason is not None:
        pytest.skip(reason)
    torch.set_num_threads(1)
    return Libraries(load_peer(), load_ours())


@pytest.fixture(scope="session")
def peer_twice() -> Libraries:
    """The peer on both sides, which must never differ."""
    reason = why_unavailable()
    if reason is not None:
        pytest.skip(reason)
    torch.set_num_threads(1)
    peer = load_peer()
    return Libraries(peer, peer)
