"""Consolidation in memory and in files."""

import json
import pickle
import struct

import pytest
import torch

from td_core import NonTensorData, NonTensorStack, TensorDict, from_consolidated
from td_core.errors import LockedError, TDNotImplementedError, TDTypeError, TDValueError


def make():
    return TensorDict(
        {
            "a": torch.arange(3.0),
            "n": {"b": torch.ones(3, 2, dtype=torch.int8), "deep": {"z": torch.zeros(3, dtype=torch.bool)}},
            "s": "hi",
            "col": NonTensorStack("x", "y", "z"),
            "empty": {},
        },
        [3],
        names=["t"],
    )


def same(a, b):
    assert a.batch_size == b.batch_size
    assert a.names == b.names
    assert set(a.keys(True)) == set(b.keys(True))
    for key, value in b.items(True, True):
        assert a[key].dtype is value.dtype
        assert torch.equal(a[key], value)
    assert a["n"].batch_size == b["n"].batch_size
    assert a["s"] == b["s"]
    assert a["col"] == b["col"]


class TestInMemory:
    def test_leaves_are_views_of_one_buffer(self):
        td = make()
        out = td.consolidate()
        same(out, td)
        assert len({leaf.untyped_storage().data_ptr() for leaf in out.values(True, True)}) == 1
        assert out.is_consolidated()
        assert not td.is_consolidated()
        assert out.is_locked
        assert out.consolidate() is out
        assert list(out.keys(True)) == list(td.keys(True))

    def test_what_ends_it(self):
        out = make().consolidate()
        for other in (out.clone(), out.clone(False), out[0], out.to(torch.float64), out.to_tensordict()):
            assert not other.is_consolidated()
        out.unlock_()
        assert not out.is_consolidated()
        out["new"] = torch.ones(3)
        assert pickle.loads(pickle.dumps(out))["new"].tolist() == [1, 1, 1]

    def test_a_write_is_refused_or_kept(self):
        out = make().consolidate()
        with pytest.raises(LockedError):
            out["new"] = torch.ones(3)
        with pytest.raises(LockedError):
            out["a"] = torch.ones(3)
        out.set_("a", torch.full((3,), 3.0))
        assert pickle.loads(pickle.dumps(out))["a"].tolist() == [3, 3, 3]
        assert out.to(torch.float64)["a"].tolist() == [3, 3, 3]

    def test_in_place(self):
        td = make()
        node, leaf = td["n"], td["a"]
        assert td.consolidate(inplace=True) is td
        assert td["n"] is node
        assert td["a"] is not leaf
        same(td, make())
        assert td.is_consolidated()
        with pytest.raises(LockedError):
            make().lock_().consolidate(inplace=True)

    def test_unusual_layouts(self):
        td = TensorDict(
            {
                "transposed": torch.arange(6.0).view(2, 3).T,
                "expanded": torch.ones(1).expand(2, 5),
                "none": torch.ones(0, 4),
                "scalar": torch.tensor(1.5),
                "byte": torch.tensor([1], dtype=torch.uint8),
                "wide": torch.tensor([1 + 2j, 3j], dtype=torch.complex128),
                "half": torch.ones(3, dtype=torch.bfloat16),
                "eighth": torch.ones(3).to(torch.float8_e4m3fn),
            }
        )
        out = td.consolidate()
        for key, value in td.items():
            assert out[key].dtype is value.dtype
            assert out[key].shape == value.shape
            assert out[key].is_contiguous()
            assert torch.equal(out[key].to(torch.complex128), value.to(torch.complex128))

    def test_gradients_are_cut(self):
        out = TensorDict(a=torch.ones(3, requires_grad=True)).consolidate()
        assert not out["a"].requires_grad

    def test_empty(self):
        out = TensorDict({}, [3]).consolidate()
        assert out.is_consolidated()
        assert out.batch_size == (3,)

    def test_jagged(self):
        parts = [torch.randn(2, i) for i in range(1, 5)]
        nested = torch.nested.as_nested_tensor(parts, layout=torch.jagged)
        out = pickle.loads(pickle.dumps(TensorDict({"t": nested}, [4]).consolidate()))
        assert out["t"]._ragged_idx == nested._ragged_idx == 2
        assert all(torch.equal(a, b) for a, b in zip(out["t"].unbind(), parts, strict=True))

    def test_sparse_and_strided_nested_are_refused(self):
        with pytest.raises(TDNotImplementedError, match="to_dense"):
            TensorDict(a=torch.eye(3).to_sparse()).consolidate()

    def test_device(self):
        out = make().consolidate().to("meta")
        assert out.is_consolidated()
        assert out.device == out["n"].device == torch.device("meta")
        assert out["n", "b"].device.type == "meta"
        assert make().consolidate(device="meta")["n", "b"].device.type == "meta"
        assert make().consolidate().to("cpu")["n", "deep", "z"].tolist() == [False] * 3

    def test_shared(self):
        out = make().consolidate(share_memory=True)
        assert out.is_shared()
        assert out["n", "b"].is_shared()
        same(out, make())

    @pytest.mark.parametrize("num_threads", [2, 5])
    def test_threads(self, num_threads):
        same(make().consolidate(num_threads=num_threads), make())

    def test_early_return(self):
        future = make().consolidate(num_threads=2, return_early=True)
        same(future.result(timeout=60), make())

    def test_metadata_is_the_format_of_the_file(self, tmp_path):
        td = make()
        out = td.consolidate(metadata=True)
        td.consolidate(tmp_path / "f")
        whole = torch.empty(0, dtype=torch.uint8).set_(out["a"].untyped_storage())
        assert bytes(whole.numpy()) == (tmp_path / "f").read_bytes()

    def test_pickle_is_consolidated_and_small(self):
        td = TensorDict({"a": torch.randn(100_000, 4), "n": {"b": torch.randn(100_000)}}, [100_000])
        data = pickle.dumps(td[:10].consolidate())
        assert len(data) < 5_000
        back = pickle.loads(data)
        assert back.is_consolidated()
        assert back.is_locked
        assert torch.equal(back["a"], td["a"][:10])


class TestFile:
    def test_round_trip(self, tmp_path):
        td = make()
        out = td.consolidate(tmp_path / "f")
        same(out, td)
        assert out.is_consolidated()
        back = TensorDict.from_consolidated(tmp_path / "f")
        same(back, td)
        assert back.is_consolidated()
        assert back["empty"].batch_size == (3,)
        same(from_consolidated(str(tmp_path / "f")), td)

    @pytest.mark.parametrize("use_buffer", [False, True])
    def test_layout(self, tmp_path, use_buffer):
        td = TensorDict({"a": torch.arange(3.0), "n": {"b": torch.ones(3, 2, dtype=torch.int8)}, "s": "hi"}, [3])
        td.consolidate(tmp_path / "f", use_buffer=use_buffer)
        data = (tmp_path / "f").read_bytes()
        (length,) = struct.unpack("<q", data[-8:])
        description = json.loads(data[-8 - length : -8])
        metadata = {"device": None, "names": [None], "batch_size": [3], "is_locked": False}
        assert data[: -8 - length] == struct.pack("<3f4x6b2x", 0, 1, 2, 1, 1, 1, 1, 1, 1)
        assert description == {
            "cls": "TensorDict",
            "non_tensors": {"s": ["hi", [3], None]},
            "leaves": {"a": ["torch.float32", [3], 0, 16, 4]},
            "cls_metadata": metadata,
            "n": {
                "cls": "TensorDict",
                "non_tensors": {},
                "leaves": {"b": ["torch.int8", [3, 2], 16, 24, 2]},
                "cls_metadata": metadata,
            },
        }

    def test_writes_reach_the_file_of_the_writer_only(self, tmp_path):
        out = make().consolidate(tmp_path / "f")
        out["a"].fill_(7)
        back = from_consolidated(tmp_path / "f")
        assert back["a"].tolist() == [7, 7, 7]
        back["a"].fill_(8)
        assert from_consolidated(tmp_path / "f")["a"].tolist() == [7, 7, 7]

    def test_jagged_with_lengths(self, tmp_path):
        nested = torch.nested.nested_tensor_from_jagged(
            torch.arange(10.0), torch.tensor([0, 3, 7]), torch.tensor([2, 3])
        )
        TensorDict(x=nested).consolidate(tmp_path / "f")
        rows = from_consolidated(tmp_path / "f")["x"].unbind()
        assert [row.tolist() for row in rows] == [[0, 1], [3, 4, 5]]

    def test_columns_of_two_dims(self, tmp_path):
        column = NonTensorStack.from_list([["a", "b"], ["c", "d"], ["e", "f"]])
        TensorDict({"col": column}, [3]).consolidate(tmp_path / "f")
        assert from_consolidated(tmp_path / "f")["col"] == [["a", "b"], ["c", "d"], ["e", "f"]]

    @pytest.mark.parametrize("value", [("a", 1), {1: 2}, {1, 2}, object(), [("x",)], torch.float32])
    def test_values_that_json_would_change_are_refused(self, tmp_path, value):
        path = tmp_path / "f"
        path.write_bytes(b"old")
        with pytest.raises(TDTypeError, match=r"\('n', 'v'\)"):
            TensorDict({"n": {"v": NonTensorData(value)}}).consolidate(path)
        assert path.read_bytes() == b"old"

    def test_plain_values_come_back(self, tmp_path):
        values = {"t": "ü", "i": 3, "f": 2.5, "b": True, "none": None, "list": [1, "a"], "dict": {"k": [1, 2]}}
        TensorDict({key: NonTensorData(value) for key, value in values.items()}).consolidate(tmp_path / "f")
        back = from_consolidated(tmp_path / "f")
        for key, value in values.items():
            assert back[key] == value
            assert type(back[key]) is type(value)

    def test_reserved_names(self, tmp_path):
        td = TensorDict({"leaves": torch.ones(1), "cls": torch.zeros(1)})
        td.consolidate(tmp_path / "f")
        assert from_consolidated(tmp_path / "f")["leaves"] == 1
        with pytest.raises(TDValueError, match="'leaves'"):
            TensorDict({"leaves": {"a": torch.ones(1)}}).consolidate(tmp_path / "g")
        with pytest.raises(TDValueError, match="NJT"):
            TensorDict({"<NJT_VALUES>a": torch.ones(1)}).consolidate(tmp_path / "g")
        assert [path.name for path in tmp_path.iterdir()] == ["f"]

    def test_file_and_device_exclude_each_other(self, tmp_path):
        with pytest.raises(TDValueError, match="filename"):
            make().consolidate(tmp_path / "f", device="meta")

    def test_missing(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            from_consolidated(tmp_path / "nothing")
        with pytest.raises(FileNotFoundError):
            make().consolidate(tmp_path / "nowhere" / "f")


class TestDamage:
    def write(self, path, change, data=bytes(16)):
        description = {
            "cls": "TensorDict",
            "non_tensors": {},
            "leaves": {"a": ["torch.float32", [3], 0, 16, 4]},
            "cls_metadata": {"device": None, "names": [None], "batch_size": [3], "is_locked": False},
        }
        change(description)
        text = json.dumps(description).encode()
        path.write_bytes(data + text + struct.pack("<q", len(text)))
        return path

    def test_the_file_as_it_should_be(self, tmp_path):
        assert from_consolidated(self.write(tmp_path / "f", lambda d: None))["a"].tolist() == [0, 0, 0]

    @pytest.mark.parametrize(
        ("leaf", "found"),
        [
            (["torch.float32", [3], 0, 160, 148], "outside"),
            (["torch.float32", [3], -8, 8, 4], "outside"),
            (["torch.float32", [3], 0, 8, 0], "needs 12 bytes, found 8"),
            (["torch.float32", [300], 0, 16, 4], "needs 1200 bytes"),
            (["torch.float32", [-3], 0, 16, 28], "outside"),
            (["torch.load", [3], 0, 16, 4], "expected dtype"),
            (["torch.float32", [3]], "expected dtype"),
            (["torch.float32", [3], 2, 14, 0], "cannot start at byte 2"),
            (["torch.float32", [1, 3], 0, 16, 4], "batch size"),
            (None, "expected dtype"),
        ],
    )
    def test_leaf(self, tmp_path, leaf, found):
        path = self.write(tmp_path / "f", lambda d: d["leaves"].update(a=leaf))
        with pytest.raises(TDValueError, match=found) as caught:
            from_consolidated(path)
        assert str(path) in str(caught.value)
        assert "'a'" in str(caught.value)

    @pytest.mark.parametrize("section", ["cls", "non_tensors", "leaves", "cls_metadata"])
    def test_section(self, tmp_path, section):
        path = self.write(tmp_path / "f", lambda d: d.pop(section))
        with pytest.raises(TDValueError, match="the root"):
            from_consolidated(path)

    @pytest.mark.parametrize(
        "data", [b"", b"123", bytes(8), b"x" * 100, struct.pack("<q", 5), b"{}" + struct.pack("<q", 2)]
    )
    def test_foreign_file(self, tmp_path, data):
        (tmp_path / "f").write_bytes(data)
        with pytest.raises(TDValueError, match="damaged"):
            from_consolidated(tmp_path / "f")

    def test_truncated(self, tmp_path):
        make().consolidate(tmp_path / "f")
        data = (tmp_path / "f").read_bytes()
        for keep in range(0, len(data), 37):
            (tmp_path / "g").write_bytes(data[:keep])
            with pytest.raises(TDValueError):
                from_consolidated(tmp_path / "g")

    def test_unknown_class_is_read_with_a_warning(self, tmp_path):
        path = self.write(tmp_path / "f", lambda d: d.update(cls="Recording"))
        with pytest.warns(UserWarning, match="Recording"):
            back = from_consolidated(path)
        assert type(back) is TensorDict
