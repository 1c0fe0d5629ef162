"""`assert_close` (row CORE-216)."""

from __future__ import annotations

import pytest
import torch

from td_core import TensorDict
from td_core.testing import assert_allclose_td, assert_close


def sample():
    return TensorDict({"a": torch.zeros(3), "n": {"b": torch.ones(3, 2), "s": "text"}}, batch_size=[3])


def test_equal_is_true():
    """CORE-216"""
    assert assert_close(sample(), sample()) is True
    assert assert_allclose_td is assert_close


def test_difference_names_the_key_and_the_error():
    """CORE-216"""
    other = sample()
    other["n", "b"] += 2
    with pytest.raises(AssertionError) as caught:
        assert_close(sample(), other, msg="while testing")
    text = str(caught.value)
    assert "('n', 'b')" in text
    assert "mse = 4.0000" in text
    assert "while testing" in text


def test_tolerance():
    """CORE-216"""
    other = sample()
    other["a"] += 0.1
    with pytest.raises(AssertionError):
        assert_close(sample(), other)
    assert assert_close(sample(), other, rtol=0, atol=0.2)
    assert assert_close(other, sample(), 0, 0.2)


def test_nan():
    """CORE-216"""
    td = sample()
    td["a"].fill_(float("nan"))
    assert assert_close(td, td.clone())
    with pytest.raises(AssertionError):
        assert_close(td, td.clone(), equal_nan=False)


@pytest.mark.parametrize("key", ["a", ("n", "b"), "n"])
def test_other_keys_raise(key):
    """CORE-216"""
    fewer = sample().exclude(key)
    for one, two in ((sample(), fewer), (fewer, sample())):
        with pytest.raises(KeyError, match="differ"):
            assert_close(one, two)
        assert assert_close(one, two, intersection=True)


def test_intersection_still_compares():
    """CORE-216"""
    other = sample().exclude("a")
    other["n", "b"] += 1
    with pytest.raises(AssertionError):
        assert_close(sample(), other, intersection=True)


@pytest.mark.parametrize("other", [{"a": torch.zeros(3)}, torch.zeros(3), None])
def test_other_types_raise(other):
    """CORE-216"""
    for one, two in ((sample(), other), (other, sample())):
        with pytest.raises(TypeError):
            assert_close(one, two)


@pytest.mark.parametrize(
    "value", [torch.zeros(3, dtype=torch.float64), torch.zeros(3, 1), "text", {"x": torch.zeros(3)}]
)
def test_dtype_shape_and_kind_count(value):
    """CORE-216"""
    other = sample()
    other["a"] = value
    for one, two in ((sample(), other), (other, sample())):
        with pytest.raises(AssertionError, match="'a'"):
            assert_close(one, two)


def test_non_tensor_data_counts():
    """CORE-216"""
    other = sample()
    other["n", "s"] = "other"
    with pytest.raises(AssertionError, match="'s'"):
        assert_close(sample(), other)


def test_names_and_lock_do_not_count():
    """CORE-216"""
    other = sample().lock_()
    other.names = ["x"]
    assert assert_close(sample(), other)
