"""Names of dims."""

from __future__ import annotations

import re

from ..relaxations import without_names
from .rows import Deliberate, any_of, differs, peer_raises

ROWS: tuple[Deliberate, ...] = (
    Deliberate(
        "device-names-and-longer-nodes",
        "A named tensordict with a device takes a node with more batch dims; the peer raises ValueError.",
        "The peer hands the parent's names to the moved node although it has more dims.",
        peer_raises("the length of the dimension names must equate"),
    ),
    Deliberate(
        "comparisons-have-no-names",
        "Comparisons and masked_select drop names; the peer keeps them where there is no tensor entry.",
        "The names of a result must not depend on whether there are entries.",
        lambda case: (
            case.difference.aspect == "names"
            and (
                case.during("masked_select")
                or "masked_select" in case.step.text()
                or re.fullmatch(r"(td|other) (==|!=|<=?|>=?|&|\||\^) (td|other)", case.step.operation) is not None
            )
            and case.equal_but(without_names)
        ),
    ),
    Deliberate(
        "names-of-unflattened-dims",
        "unflatten() leaves the new dims nameless; the peer gives the old name to the last of them.",
        "None of the new dims is what the name meant.",
        lambda case: (
            case.difference.aspect == "names" and "unflatten" in case.step.code and case.equal_but(without_names)
        ),
    ),
    Deliberate(
        "names-of-index-tensors",
        "An index tensor with several dims makes nameless dims; the peer gives the name to the last of them.",
        "None of the new dims is what the name meant.",
        lambda case: (
            case.during("index read")
            and case.difference.aspect == "names"
            and re.search(r"reshape\(|\[\[|range\(|np\.array|\[-?\d", case.step.code) is not None
            and case.equal_but(without_names)
        ),
    ),
    Deliberate(
        "broadcasts-keep-names",
        "broadcast_to(), expand_as() and tile() keep the names of the dims they keep, as expand() and repeat() "
        "do; the peer drops all.",
        "One rule for all.",
        differs("names", during=("broadcast_to", "expand_as", "tile", "repetitions"), but=without_names),
    ),
    Deliberate(
        "names-of-new-batches",
        "new_zeros() and its kin keep the names when the number of dims stays; the peer hands the names of the "
        "last dims to whatever dims there are.",
        "The first dim of the result is what the first dim was.",
        differs("names", during=("factory",)),
    ),
    Deliberate(
        "names-of-empty-nodes",
        "Nodes follow the names of their parent; the peer keeps or drops them where a node has no tensor.",
        "The names of a node must not depend on whether there are entries in it.",
        differs(
            "names",
            during=(
                "amax",
                "amin",
                "max",
                "min",
                "cummax",
                "cummin",
                "squeeze",
                "dense constructor",
                "construct",
                "copies",
                "lock",
                "indices of extremes",
                "view",
                "reshape",
                "expand_as",
                "context manager",
                "torch functions",
            ),
        ),
    ),
    Deliberate(
        "apply-erases-names",
        "apply() with names=None, or with a batch size and no names, erases the names; the peer keeps some.",
        "None means none, as for the device.",
        any_of(
            differs("names", code="names=None", but=without_names),
            differs("names", during=("apply call_on_nested",), code="batch_size=", but=without_names),
        ),
    ),
    Deliberate(
        "pad-sequence-has-no-names",
        "The result of pad_sequence() has no names; the peer keeps some of the first tensordict.",
        "The tensordicts are stacked, and may be named in different ways.",
        differs("names", during=("pad_sequence",)),
    ),
    Deliberate(
        "names-are-counted",
        "Names are checked: one for each batch dim, and no name twice. The peer takes too many where there is no "
        "entry, or raises IndexError or RuntimeError.",
        "A name without a dim is a mistake.",
        lambda case: (
            isinstance(case.our_error, ValueError)
            and any(
                words in str(case.our_error) for words in ("names are needed", "names are not unique", "refine_names")
            )
        ),
    ),
)
