"""The switch of the peer that is always on here."""

import pytest

from td_core import NonTensorData, NonTensorStack, TensorDict, list_to_stack, set_list_to_stack


def test_lists_are_columns_in_and_out_of_the_context():
    with set_list_to_stack(True):
        inside = TensorDict.from_dict({"q": ["a", "b", "c"]}, auto_batch_size=True, batch_dims=1)
    set_list_to_stack(True).set()
    outside = TensorDict({"q": ["a", "b", "c"]}, [3])
    assert list_to_stack()
    assert inside.batch_size == outside.batch_size == (3,)
    assert inside["q"] == outside["q"] == ["a", "b", "c"]
    assert isinstance(inside.get("q"), NonTensorStack)


def test_as_a_decorator():
    @set_list_to_stack(True)
    def build():
        return TensorDict({"q": ["a", "b"]}, [2])["q"]

    assert build() == ["a", "b"]


def test_false_is_refused():
    with pytest.raises(ValueError, match="wrap it"):
        set_list_to_stack(False)
    assert TensorDict({"q": NonTensorData(["a", "b"])}, [2])["q"] == ["a", "b"]
