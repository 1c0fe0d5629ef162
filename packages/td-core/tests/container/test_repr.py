"""What people see: the compact and the detailed repr, the notebook tree, and reading a repr back."""

from html.parser import HTMLParser

import pytest
import torch

from td_core import (
    NonTensorData,
    TensorDict,
    get_printoptions,
    lazy_stack,
    parse_tensor_dict_string,
    set_printoptions,
)
from td_core.container.describe import human_bytes
from td_core.errors import TDTypeError, TDValueError


def heterogeneous():
    return TensorDict(
        {
            "z": torch.ones(2, 3),
            "a": torch.zeros(2, dtype=torch.bool),
            "n": {"b": torch.zeros(2, 3, dtype=torch.bfloat16), "e": {}},
            "s": "x",
            "l": ["a", "b"],
            "p": torch.nn.Parameter(torch.zeros(2)),
        },
        batch_size=[2],
    )


def deep(levels):
    td = TensorDict({"x": torch.zeros(2)})
    for _ in range(levels):
        td = TensorDict({"d": td, "y": torch.zeros(3)})
    return td


def wide(n):
    return TensorDict({f"key_{i:04}": torch.zeros(3) for i in range(n)}, batch_size=[3])


class TestCompact:
    def test_one_line(self):
        td = TensorDict({"b": torch.ones(2, 3), "a": {"c": torch.zeros(2, dtype=torch.long)}}, batch_size=[2])
        assert repr(td) == "TensorDict(batch_size=[2], fields={a: {c: i64[]}, b: f32[3]})"

    def test_empty(self):
        assert repr(TensorDict()) == "TensorDict(batch_size=[], fields={})"

    def test_heterogeneous(self):
        assert repr(heterogeneous()) == (
            "TensorDict(batch_size=[2], fields={\n"
            "    a: bool[],\n"
            "    l: NonTensorStack,\n"
            "    n: {b: bf16[3], e: {}},\n"
            "    p: f32[],\n"
            "    s: str,\n"
            "    z: f32[3]})"
        )

    def test_metadata(self):
        td = TensorDict(
            {"n": TensorDict({"q": torch.zeros(2, 3, 4)}, [2, 3]), "m": torch.zeros(2, device="meta")},
            batch_size=[2],
            names=["x"],
        )
        assert repr(td) == "TensorDict(batch_size=[2], names=[x], fields={m: f32[]@meta, n: [3]{q: f32[4]}})"
        assert repr(TensorDict({}, device="cpu")) == "TensorDict(batch_size=[], device=cpu, fields={})"

    def test_deep(self):
        assert repr(deep(6)) == (
            "TensorDict(batch_size=[], fields={\n"
            "    d: {\n"
            "        d: {\n"
            "            d: {d: {d: {d: {x: f32[2]}, y: f32[3]}, y: f32[3]}, y: f32[3]},\n"
            "            y: f32[3]},\n"
            "        y: f32[3]},\n"
            "    y: f32[3]})"
        )
        assert repr(deep(60)).count("d: {") == 60

    def test_wide(self):
        lines = repr(wide(1000)).splitlines()
        assert len(lines) == 1001
        assert lines[1] == "    key_0000: f32[],"
        assert lines[-1] == "    key_0999: f32[]})"

    def test_lines_fit_where_they_can(self):
        td = TensorDict({f"n{i}": {f"entry_number_{j}": torch.zeros(1) for j in range(6)} for i in range(3)})
        assert max(len(line) for line in repr(td).splitlines()) <= 80

    def test_unusual_tensors(self):
        td = TensorDict(
            {
                "jagged": torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)], layout=torch.jagged),
                "sparse": torch.eye(2).to_sparse(),
                "complex": torch.zeros((), dtype=torch.complex64),
                "small": torch.zeros(2).to(torch.float8_e4m3fn),
            }
        )
        text = repr(td)
        assert "sparse: f32[2,2]" in text
        assert "complex: c64[]" in text
        assert "small: f8_e4m3fn[2]" in text
        assert "jagged: f32[2,j" in text

    def test_lazy_stack_of_unequal_shapes(self):
        stack = lazy_stack([TensorDict({"a": torch.zeros(2), "o": 1}), TensorDict({"a": torch.zeros(3)})])
        assert repr(stack) == (
            "LazyStackedTensorDict(batch_size=[2], stack_dim=0, fields={\n    a: f32[-1]}, "
            "exclusive_fields={0: {o: i64[]}})"
        )

    def test_an_entry_that_cannot_be_read_is_named(self):
        stack = lazy_stack([TensorDict({"a": torch.zeros(2)}), TensorDict({"a": {"b": 1}})])
        assert "a: <" in repr(stack)


class TestDetailed:
    def test_format(self):
        td = TensorDict({"z": torch.ones(2, 3), "e": {}, "s": NonTensorData("x")}, batch_size=[2], device="cpu")
        with set_printoptions(compact=False):
            assert repr(td) == (
                "TensorDict(\n"
                "    fields={\n"
                "        e: TensorDict(\n"
                "            fields={\n"
                "            },\n"
                "            batch_size=torch.Size([2]),\n"
                "            device=cpu,\n"
                "            is_shared=False),\n"
                "        s: NonTensorData(data=x, batch_size=torch.Size([2]), device=cpu),\n"
                "        z: Tensor(shape=torch.Size([2, 3]), device=cpu, dtype=torch.float32, is_shared=False)},\n"
                "    batch_size=torch.Size([2]),\n"
                "    device=cpu,\n"
                "    is_shared=False)"
            )
        assert repr(td).startswith("TensorDict(batch_size=[2], device=cpu, fields={")

    def test_types(self):
        with set_printoptions(compact=False):
            text = repr(heterogeneous())
        assert "p: Parameter(shape=torch.Size([2])" in text
        assert "l: NonTensorStack(\n            ['a', 'b'],\n            batch_size=torch.Size([2])" in text

    @pytest.mark.parametrize(
        ("option", "shown"),
        [
            ("show_grad", "requires_grad=True"),
            ("show_is_contiguous", "is_contiguous=True"),
            ("show_is_view", "is_view=False"),
            ("show_storage_size", "storage_size=8"),
            ("plain", "mean=0, std=0"),
        ],
    )
    def test_more_details(self, option, shown):
        td = TensorDict({"p": torch.nn.Parameter(torch.zeros(2))})
        with set_printoptions(**{option: True}):
            assert shown in repr(td)
        assert shown not in repr(td)

    @pytest.mark.parametrize(
        ("option", "gone"),
        [
            ("show_batch_size", "batch_size"),
            ("show_device", "device=None"),
            ("show_is_shared", "    is_shared"),
            ("show_shape", "shape"),
            ("show_field_device", "device=cpu"),
            ("show_dtype", "dtype"),
            ("show_field_is_shared", ", is_shared"),
        ],
    )
    def test_fewer_details(self, option, gone):
        td = TensorDict({"a": torch.zeros(2)})
        with set_printoptions(compact=False):
            assert gone in repr(td)
            with set_printoptions(compact=False, **{option: False}):
                assert gone not in repr(td)

    @pytest.mark.parametrize(
        "td", [deep(40), wide(200), TensorDict(), heterogeneous()], ids=["deep", "wide", "empty", "het"]
    )
    def test_never_raises(self, td):
        with set_printoptions(compact=False, plain=True):
            assert repr(td).endswith("is_shared=False)")

    def test_lazy_stack_of_unequal_shapes(self):
        stack = lazy_stack([TensorDict({"a": torch.zeros(2)}), TensorDict({"a": torch.zeros(3)})])
        with set_printoptions(compact=False):
            assert "a: Tensor(shape=torch.Size([2, -1])" in repr(stack)
            assert repr(stack).endswith("stack_dim=0)")


class TestOptions:
    def test_restored_after_the_block(self):
        before = get_printoptions()
        with set_printoptions(compact=False), set_printoptions(show_dtype=False):
            assert get_printoptions()["show_dtype"] is False
            assert get_printoptions()["compact"] is False
        assert get_printoptions() == before

    def test_decorator(self):
        @set_printoptions(sort_keys="insertion")
        def show():
            return repr(TensorDict({"z": torch.zeros(()), "a": torch.zeros(())}))

        assert show() == "TensorDict(batch_size=[], fields={z: f32[], a: f32[]})"
        assert get_printoptions()["sort_keys"] == "alphabetical"

    def test_set_for_good(self):
        before = get_printoptions()
        try:
            set_printoptions(verbose=False).set()
            assert repr(TensorDict({"a": torch.zeros(2)}, device="cpu")) == "TensorDict(batch_size=[], fields={a: [2]})"
        finally:
            set_printoptions(**before).set()
        assert get_printoptions() == before

    def test_details_imply_the_detailed_form(self):
        with set_printoptions(show_grad=True):
            assert get_printoptions()["compact"] is False
        with set_printoptions(show_grad=True, compact=True):
            assert get_printoptions()["compact"] is True

    def test_unknown(self):
        with pytest.raises(TDTypeError, match="foo"):
            set_printoptions(foo=1)
        with pytest.raises(TDValueError, match="sort_keys"):
            set_printoptions(sort_keys="random")


class Outline(HTMLParser):
    """Checks that tags are balanced, and collects the text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.counts = [], [], {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join(self.texts)


class TestHtml:
    def test_heterogeneous(self):
        outline = Outline(heterogeneous().lock_()._repr_html_())
        for shown in (
            "TensorDict",
            "batch_size=[2], locked, 6 entries",
            "f32[2,3], cpu, 24 B",
            "bf16[2,3], cpu, 12 B",
            "Parameter",
            "requires grad",
            "column",
            "[2], ['a', 'b']",
            "'x'",
            "0 entries",
        ):
            assert shown in outline.text
        assert outline.counts["details"] == 3

    def test_values_and_keys_are_escaped(self):
        td = TensorDict({"<b>": "<script>alert(1)</script>", "l": ["<i>"] * 2}, batch_size=[2])
        html = td._repr_html_()
        assert "<script" not in html
        assert "<b>" not in html
        assert "<i>" not in html
        assert "<script>" in Outline(html).text

    def test_deep(self):
        assert Outline(deep(40)._repr_html_()).counts["details"] == 41

    def test_wide_is_cut(self):
        outline = Outline(wide(1000)._repr_html_())
        assert outline.counts["li"] == 201
        assert "800 more entries" in outline.text
        assert "1,000 entries" in outline.text

    def test_empty(self):
        assert "0 entries, 0 B" in Outline(TensorDict()._repr_html_()).text

    def test_lazy_stack(self):
        stack = lazy_stack([TensorDict({"a": torch.zeros(2)}), TensorDict({"a": torch.zeros(3)})])
        assert "f32[2,-1]" in Outline(stack._repr_html_()).text

    def test_turned_off(self):
        with set_printoptions(html=False):
            assert TensorDict()._repr_html_() is None
        with set_printoptions(compact=False):
            assert TensorDict()._repr_html_() is None

    @pytest.mark.parametrize(
        ("n", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (2**30, "1.0 GiB"), (2**50, "1024.0 TiB")]
    )
    def test_sizes(self, n, text):
        assert human_bytes(n) == text


class TestParse:
    @pytest.mark.parametrize("compact", [True, False])
    @pytest.mark.parametrize(
        "td",
        [
            TensorDict(),
            deep(8),
            wide(20),
            TensorDict(
                {
                    "n": TensorDict({"q": torch.zeros(2, 3, 4, dtype=torch.int16)}, [2, 3]),
                    "key with spaces": torch.ones(2),
                },
                batch_size=[2],
                device="cpu",
            ),
            TensorDict({"m": torch.zeros(2, device="meta"), "b": torch.zeros(0, dtype=torch.bool)}),
        ],
        ids=["empty", "deep", "wide", "metadata", "devices"],
    )
    def test_round_trip(self, td, compact):
        with set_printoptions(compact=compact):
            back = parse_tensor_dict_string(repr(td))
            assert repr(back) == repr(td)
        for key, value in back.items(True, True):
            assert (value.shape, value.dtype, value.device) == (td[key].shape, td[key].dtype, td[key].device)

    def test_names(self):
        td = TensorDict({"a": torch.zeros(2, 3)}, batch_size=[2, 3], names=["x", None])
        assert parse_tensor_dict_string(repr(td)).names == ["x", None]

    def test_values_are_zero(self):
        assert parse_tensor_dict_string("TensorDict(batch_size=[2], fields={a: f32[]})")["a"].tolist() == [0.0, 0.0]

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "nonsense",
            "TensorDict(batch_size=[2])",
            "TensorDict(batch_size=[2], fields={a: f32[]}",
            "TensorDict(batch_size=[2], fields={a: f32[]",
            "TensorDict(batch_size=[2], fields={a: q32[]})",
            "TensorDict(batch_size=[2], fields={a: f32[j1]})",
            "TensorDict(batch_size=[2], fields={s: str})",
            "TensorDict(batch_size=[2], fields={}) and more",
        ],
    )
    def test_other_text(self, text):
        with pytest.raises(TDValueError):
            parse_tensor_dict_string(text)
