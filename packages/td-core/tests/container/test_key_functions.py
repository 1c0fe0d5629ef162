"""Functions on nested keys (rows CORE-016 to CORE-018)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from td_core import unravel_key, unravel_key_list
from td_core.keys import join_key, key_parts, require_parts

nested = st.recursive(
    st.text(), lambda inner: st.lists(inner, min_size=1, max_size=3).map(tuple), max_leaves=6
)  # fmt: skip


def flatten(key):
    return [key] if isinstance(key, str) else [part for item in key for part in flatten(item)]


@given(nested)
def test_unravel_key(key):
    """CORE-016, CORE-017: a string for one part, a flat tuple otherwise."""
    parts = flatten(key)
    assert unravel_key(key) == (parts[0] if len(parts) == 1 else tuple(parts))
    assert key_parts(key) == tuple(parts)
    assert unravel_key(unravel_key(key)) == unravel_key(key)


def test_unravel_key_list():
    """CORE-017"""
    assert unravel_key_list(["a", ("a",), ("b", ("c", ("d",)))]) == ["a", "a", ("b", "c", "d")]


@pytest.mark.parametrize("wrong", [1, None, (), ("a", 1), ("a", ()), (slice(None),), 1.5, ["a"]])
def test_what_is_no_key(wrong):
    """CORE-017, TRAP-009: no parts, which is how an item assignment tells an index from a key."""
    assert key_parts(wrong) == ()
    with pytest.raises(KeyError):
        require_parts(wrong)


def test_join_key():
    """CORE-018"""
    assert join_key("a") == "a"
    assert join_key(("a", ("b", "c"))) == "a.b.c"
    assert join_key(("a", "b"), "") == "ab"


def test_subclasses_of_str_are_keys():
    """CORE-016"""

    class Name(str):
        __slots__ = ()

    assert key_parts(Name("a")) == ("a",)
    assert type(key_parts(Name("a"))[0]) is str
