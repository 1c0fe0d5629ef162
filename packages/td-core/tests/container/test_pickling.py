"""Pickling and copying."""

import copy
import io
import pickle

import numpy as np
import pytest
import torch

from td_core import LazyStackedTensorDict, MetaData, NonTensorStack, TensorDict, lazy_stack


class Subclass(TensorDict):
    pass


def make():
    return TensorDict(
        {
            "a": torch.arange(3.0),
            "n": TensorDict({"b": torch.ones(3, 2)}, [3, 2]),
            "s": "hi",
            "col": NonTensorStack(*"xyz"),
            "meta": MetaData({"k": [1]}),
        },
        [3],
        names=["t"],
        device="cpu",
    )


def through_torch(td, **kwargs):
    file = io.BytesIO()
    torch.save(td, file)
    file.seek(0)
    return torch.load(file, **kwargs)


def through_pickle(td):
    return pickle.loads(pickle.dumps(td))


@pytest.mark.parametrize("through", [through_pickle, lambda td: through_torch(td, weights_only=True)])
@pytest.mark.parametrize("prepare", [lambda td: td, lambda td: td.consolidate()])
def test_everything_comes_back(through, prepare):
    td = make()
    back = through(prepare(td))
    assert type(back) is TensorDict
    assert list(back.keys(True)) == list(td.keys(True))
    assert back["a"].tolist() == [0, 1, 2]
    assert back["n"].batch_size == (3, 2)
    assert back["s"] == "hi"
    assert back["col"] == ["x", "y", "z"]
    assert back["meta"] == {"k": [1]}
    assert back.names == ["t"]
    assert back.device == back["n"].device == torch.device("cpu")
    assert back.is_consolidated() is prepare(td).is_consolidated()


def test_lock_comes_back():
    assert not through_pickle(make()).is_locked
    back = through_pickle(make().lock_())
    assert back.is_locked
    assert back["n"].is_locked
    with pytest.raises(RuntimeError):
        back["n"].unlock_()
    assert not back.unlock_()["n"].is_locked


def test_weights_only_still_refuses_other_code():
    class_with_code = TensorDict({"x": np.random.default_rng(0)})
    with pytest.raises(pickle.UnpicklingError):
        through_torch(class_with_code, weights_only=True)


def test_slices_ship_only_their_rows():
    td = TensorDict(
        {"a": torch.arange(200_000.0), "n": {"b": torch.randn(200_000)}, "col": NonTensorStack(*range(200_000))},
        [200_000],
    )
    data = pickle.dumps(td[10:20])
    assert len(data) < 5_000
    back = pickle.loads(data)
    assert back["a"].tolist() == list(range(10, 20))
    assert torch.equal(back["n", "b"], td["n", "b"][10:20])
    assert back["col"] == list(range(10, 20))


def test_requires_grad_survives_compaction():
    base = torch.arange(6.0, requires_grad=True)
    back = through_pickle(TensorDict({"whole": base, "part": base.detach()[:2].requires_grad_()}))
    assert back["whole"].requires_grad
    assert back["part"].requires_grad
    assert back["part"].tolist() == [0, 1]


def test_shared_flag_needs_shared_memory():
    td = make().share_memory_()
    back = through_pickle(td)
    assert back.is_locked
    assert back["a"].tolist() == [0, 1, 2]
    assert not back.is_shared()


def test_shared_memory_through_a_queue():
    td = make().share_memory_()
    queue = torch.multiprocessing.get_context("fork").SimpleQueue()
    queue.put(td)
    back = queue.get()
    assert back.is_shared()
    back["a"].fill_(5)
    assert td["a"].tolist() == [5, 5, 5]


def test_subclass_comes_back():
    back = through_pickle(Subclass({"a": torch.ones(2)}, [2]))
    assert type(back) is Subclass
    assert back.batch_size == (2,)


def test_lazy_stack():
    stack = lazy_stack([TensorDict({"x": torch.ones(i + 1)}) for i in range(2)])
    for back in (through_pickle(stack), through_torch(stack, weights_only=True), copy.deepcopy(stack)):
        assert type(back) is LazyStackedTensorDict
        assert [td["x"].numel() for td in back.unbind(0)] == [1, 2]


def test_copy_is_shallow_and_unlocked():
    td = make().lock_()
    new = copy.copy(td)
    assert not new.is_locked
    assert new["a"] is td["a"]
    assert new["n"] is not td["n"]
    assert new["n", "b"] is td["n", "b"]


def test_deepcopy_is_independent_and_unlocked():
    x = torch.ones(3)
    td = TensorDict(
        {"a": x, "tied": x, "n": {"b": torch.nn.Parameter(torch.ones(3))}, "l": NonTensorStack(1, 2, 3)}, [3]
    )
    new = copy.deepcopy(td.lock_())
    assert not new.is_locked
    assert not new["n"].is_locked
    assert new["a"] is new["tied"]
    new["a"].zero_()
    assert td["a"].tolist() == [1, 1, 1]
    assert isinstance(new["n", "b"], torch.nn.Parameter)
    assert new["l"] == [1, 2, 3]


def test_deepcopy_keeps_identities_across_objects():
    td = make()
    first, second = copy.deepcopy([td, {"again": td}])
    assert second["again"] is first
