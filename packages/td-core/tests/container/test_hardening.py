"""Uses that could hang, lose writes or leave a container that nothing can be done with."""

import pytest
import torch

from td_core import TensorDict


def test_a_view_used_twice_as_a_context_writes_back_twice():
    td = TensorDict({"a": torch.zeros(6)}, [6])
    view = td.view(2, 3)
    with view:
        view["q"] = torch.ones(2, 3)
    with view:
        view["r"] = torch.full((2, 3), 2.0)
    assert torch.equal(td["q"], torch.ones(6))
    assert torch.equal(td["r"], torch.full((6,), 2.0))


@pytest.mark.parametrize(
    "write",
    [
        lambda td: td.set("x", td),
        lambda td: td.set(("a", "b"), td),
        lambda td: td.update({"a": td}),
    ],
)
def test_a_container_cannot_contain_itself(write):
    td = TensorDict({"a": {"c": torch.zeros(3)}}, [3])
    with pytest.raises(ValueError, match="contains"):
        write(td)
    assert td.clone()["a", "c"].shape == (3,)


def test_a_list_that_contains_itself_is_refused():
    loop: list = []
    loop.append(loop)
    with pytest.raises(ValueError, match="contains itself"):
        TensorDict({"x": loop})


def test_too_deep_a_tree_says_so():
    td = TensorDict({"x": torch.zeros(2)}, [2])
    for _ in range(600):
        td = TensorDict({"n": td}, [2])
    with pytest.raises(RecursionError):
        torch.stack([td, td])


def test_a_batch_size_may_be_given_as_a_number():
    td = TensorDict({"a": torch.zeros(3, 4)})
    td.batch_size = 3
    assert td.batch_size == (3,)
