"""Non-tensor entries: single values and columns."""

from __future__ import annotations

import re

from ..relaxations import with_equal_values_as_one, without_non_tensors, without_none
from .rows import Case, Deliberate, any_of, differs, peer_raises, we_raise

UNSPECIFIED = ("type", "keys", "lazy", "batch_size", "non-tensor value", "non-tensor batch_size")
ORDER = ("<", "<=", ">", ">=", "&", "|", "^")
WITH_A_PLAIN_OPERAND = re.compile(
    r"(==|!=) \(*(\{|torch\.|np\.|-?\d|True|False)|(\d|\)|True|False) (==|!=) td|\(td [<>]=? -?\d"
)


def compares_values(case: Case) -> bool:
    """Tell whether the step orders entries, or compares them with a number or a tensor."""
    return (
        case.during(*(f"td {symbol} other" for symbol in ORDER), *(f"other {symbol} td" for symbol in ORDER))
        or WITH_A_PLAIN_OPERAND.search(case.step.text()) is not None
    )


def unspecified(case: Case) -> bool:
    """Tell whether the difference is in what non-tensor entries became, and in nothing else."""
    return case.difference.aspect in UNSPECIFIED and case.equal_but(without_non_tensors)


ROWS: tuple[Deliberate, ...] = (
    Deliberate(
        "reductions-over-columns",
        "Reductions pass columns of non-tensor values through; the peer raises where there is one.",
        "A non-tensor entry passes through every other reduction, in the peer too.",
        any_of(
            peer_raises("requires this object to be cast to a regular TensorDict"),
            differs("non-tensor value", during=("any", "all", "sum", "prod", "mean")),
        ),
    ),
    Deliberate(
        "mixed-tuples-stay",
        "A tuple of unlike values is kept as it is; the peer makes an array of strings of it.",
        "Values come out as they went in.",
        lambda case: "<U" in case.difference.detail and case.difference.aspect.startswith("non-tensor"),
    ),
    Deliberate(
        "non-tensors-into-out",
        "cat and stack with out= replace non-tensor entries of out; the peer raises where their kinds differ.",
        "A value and a column are the same entry, held in two ways.",
        peer_raises("Cannot update a NonTensorDataBase with a NonTensorStack"),
    ),
    Deliberate(
        "empty-columns",
        "A column without rows can be reshaped, stacked and copied; the peer raises or loses dims. It cannot "
        "fill another batch, as it has no value; the peer then gives an empty tensordict.",
        "Zero rows are a legal number of rows.",
        any_of(
            peer_raises("items cannot be empty", "a NonTensorStack cannot be empty"),
            peer_raises("list index out of range", operations=("numpy", "to_dict", "tolist")),
            we_raise("A column without rows has no value"),
            differs("non-tensor value", "value", "type", detail=r"peer (\[\]|sequence), ours (\[\[|\[\]$|\w)"),
            differs("non-tensor batch_size", detail=r", ours \((0|.*\b0\b)"),
        ),
    ),
    Deliberate(
        "nothing-to-compare-in-non-tensors",
        "What a non-tensor entry becomes in a comparison with a number, and in reductions of it, is not specified.",
        "It has no meaning; equality of two tensordicts is specified and compared.",
        lambda case: (
            compares_values(case)
            and (
                unspecified(case)
                or "unsupported operand type(s) for" in str(case.peer_error)
                or differs("type", detail="peer (tensor|nontensor), ours node|peer node, ours tensor")(case)
                or (case.difference.aspect == "keys" and case.we_have_more())
            )
        ),
    ),
    Deliberate(
        "expand-as-keeps-non-tensors",
        "expand_as() keeps non-tensor entries; the peer drops them.",
        "No shape operation loses entries.",
        lambda case: (
            case.during("expand_as") and case.difference.aspect == "keys" and case.equal_but(without_non_tensors)
        ),
    ),
    Deliberate(
        "shared-values-stay-shared",
        "A value shared by all rows is read back as that value after a shape operation; the peer may give lists.",
        "What kind an entry is, is fixed when it is written.",
        lambda case: (
            case.difference.aspect in ("type", "value", "length", "non-tensor value")
            and case.equal_but(with_equal_values_as_one)
        ),
    ),
    Deliberate(
        "columns-with-three-dims",
        "A list nested to the depth of three batch dims is a column; the peer fails.",
        "So it is with one and two.",
        peer_raises("'list' object has no attribute 'shape'"),
    ),
    Deliberate(
        "none-is-a-value",
        "numpy() and to_namedtuple() keep entries whose value is None; the peer drops them.",
        "to_dict() keeps them, in the peer too.",
        lambda case: (
            case.during("numpy", "namedtuple", "conversions")
            and case.difference.aspect == "keys"
            and case.equal_but(without_none)
        ),
    ),
    Deliberate(
        "pad-sequence-of-non-tensors",
        "pad_sequence() stacks non-tensor entries on any device; the peer fails where a device is set.",
        "They are not padded, so there is nothing that could fail.",
        peer_raises("pad_sequence failed for key", operations=("pad_sequence",)),
    ),
    Deliberate(
        "columns-stay-columns",
        "Reductions, factories, casts and cuts keep columns as non-tensor entries; the peer turns some to empty "
        "tensordicts.",
        "No operation changes what kind an entry is.",
        any_of(
            differs("type", detail="peer node, ours nontensor"),
            lambda case: (
                case.difference.aspect == "keys" and case.we_have_more() and case.equal_but(without_non_tensors)
            ),
        ),
    ),
    Deliberate(
        "applying-keeps-non-tensors",
        "apply() and named_apply() keep non-tensor entries whatever the options; the peer drops them when "
        "batch_size is given.",
        "A function of tensors has nothing to say about them.",
        differs("keys", during=("apply", "named_apply", "apply with others"), but=without_non_tensors),
    ),
    Deliberate(
        "shapes-of-columns",
        "Columns can be viewed as any shape; the peer refuses view().",
        "A column is indexed by positions, which are reshaped.",
        peer_raises(
            "Cannot call `view` on a lazy stacked tensordict",
            "Cannot pass other arguments to LazyStackedTensorDict.apply",
            operations=("view", "context manager", "contexts", "context manager, written in place", "apply_"),
        ),
    ),
    Deliberate(
        "unlocked-columns",
        "A result that holds columns can be unlocked; in the peer its columns are locked containers of another graph.",
        "Non-tensor entries are values, not containers.",
        peer_raises(
            "Cannot unlock a tensordict that is part of a locked graph",
            operations=("unlock_ a locked one", "with unlock_", "context manager"),
        ),
    ),
    Deliberate(
        "where-selects-rows",
        "where() selects among the rows of non-tensor entries in every shape; the peer fails for some.",
        "As for tensors.",
        lambda case: (
            case.during("where")
            and case.peer_error is not None
            and any(
                words in str(case.peer_error) for words in ("Incompatible dim", "Tensor with no values is ambiguous")
            )
        ),
    ),
    Deliberate(
        "others-without-non-tensors",
        "apply() with others does not look for non-tensor entries in them; the peer raises KeyError or "
        "IndexError where they lack one.",
        "The function is not called on them.",
        peer_raises("not found in TensorDict with keys", "Incompatible dim", operations=("apply with others",)),
    ),
    Deliberate(
        "values-in-pytrees",
        "The leaves of a pytree are tensors; the peer has columns among them.",
        "Functions over leaves are functions of tensors. Single values are no leaves in the peer either.",
        differs("length", during=("pytree",), code="tree_leaves"),
    ),
    Deliberate(
        "state-dict-without-values",
        "state_dict(flatten=False) holds tensors and nodes; non-tensor data stands in its metadata. The peer "
        "adds an empty dict for each.",
        "What has no tensors has no place among them; loading restores the values.",
        differs("keys", during=("state_dict",), detail=r"ours"),
    ),
    Deliberate(
        "state-dict-restores-columns",
        "load_state_dict() restores columns as well as single values; the peer leaves columns as they are, or "
        "refuses the dict.",
        "What was saved comes back.",
        lambda case: (
            case.during("load_state_dict")
            and (case.difference.aspect == "non-tensor value" or peer_raises("the key sets don't match")(case))
        ),
    ),
    Deliberate(
        "values-of-results-are-their-own",
        "The columns of a result of cat() can be written without writing to the sources; in the peer they are "
        "the same objects.",
        "cat() copies.",
        differs(
            "non-tensor value", detail="peer", during=("index write", "index write a number", "set_at_", "update_at_")
        ),
    ),
    Deliberate(
        "auto-batch-size-of-values",
        "auto_batch_size_() is not limited by a value that all rows share, nor by an empty node with a longer "
        "batch; such values follow the batch size. In the peer they limit it, and keep theirs.",
        "They fit any batch size.",
        differs("batch_size", "non-tensor batch_size", during=("auto_batch_size_",)),
    ),
    Deliberate(
        "values-have-no-arithmetic",
        "Non-tensor entries given to a function by call_on_nested=True have no arithmetic and no reductions; "
        "those of the peer have some.",
        "They hold Python objects: `.data` and `.tolist()` give them.",
        lambda case: (
            case.during("apply", "named_apply", "apply call_on_nested")
            and "call_on_nested=True" in case.step.text()
            and (case.difference.aspect == "ours lacks" or "NonTensor" in str(case.our_error))
        ),
    ),
    Deliberate(
        "values-in-arrays",
        "to_struct_array() keeps Python objects; the peer writes their repr.",
        "Values come out as they went in.",
        differs("value", code="to_struct_array"),
    ),
    Deliberate(
        "columns-are-contiguous",
        "is_contiguous() asks the tensors; in the peer a column makes the answer False.",
        "Contiguity is a property of memory.",
        differs("value", code="is_contiguous", detail="peer False, ours True"),
    ),
    Deliberate(
        "kinds-of-results",
        "A value that all rows share stays one in an expanded result; the peer makes a stack of it.",
        "What kind an entry is, is fixed when it is written.",
        differs("value", during=("entry_class",), detail="peer 'NonTensorStack', ours 'NonTensorData'"),
    ),
    Deliberate(
        "squeezed-columns",
        "squeeze() drops the dims of columns with those of the batch; the peer leaves some.",
        "A column has the batch dims.",
        differs("non-tensor batch_size", during=("squeeze", "view", "reshape", "context manager")),
    ),
    Deliberate(
        "dicts-as-values",
        "to_namedtuple() leaves a dict that is a value as it is; the peer makes a named tuple of it.",
        "Values come out as they went in.",
        differs("type", during=("namedtuple",), detail="peer GenericDict, ours mapping"),
    ),
)
