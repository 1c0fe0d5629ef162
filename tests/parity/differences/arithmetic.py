"""Arithmetic, comparisons and reductions."""

from __future__ import annotations

from ..relaxations import without_non_tensors
from .rows import Deliberate, any_of, differs, error_classes, peer_raises, we_raise

ROWS: tuple[Deliberate, ...] = (
    Deliberate(
        "clamp-mixed-bounds",
        "clamp() takes a tensordict for one bound and a number for the other; the peer refuses the mix.",
        "Each bound has a clear meaning by itself.",
        peer_raises("Mixed tensordict and non-tensordict min/max values", operations=("clamp", "alpha and value")),
    ),
    Deliberate(
        "logical-and-with-a-number",
        "logical_and() takes a number, as other binary methods do; the peer raises TypeError.",
        "The operand is made a tensor.",
        peer_raises("argument 'other' (position 1) must be Tensor", operations=("logical_and", "binary methods")),
    ),
    Deliberate(
        "kernel-not-implemented",
        "Where torch has no kernel for a dtype, the error is RuntimeError or its subclass NotImplementedError.",
        "The fused functions of torch and the ones for single tensors differ in this.",
        lambda case: (
            case.difference.aspect == "error class"
            and isinstance(case.our_error, RuntimeError)
            and ("not implemented for" in str(case.peer_error) or "is not supported for" in str(case.peer_error))
        ),
    ),
    Deliberate(
        "prod-of-several-dims",
        "prod() takes one dim; a tuple raises TypeError. The peer accepts it, and dims out of range, where there "
        "is no entry to reduce.",
        "torch.prod takes one dim.",
        any_of(
            we_raise("prod reduces one dim at a time"),
            lambda case: (
                case.during("prod") and (case.difference.aspect == "batch_size" or we_raise("is out of range")(case))
            ),
        ),
    ),
    Deliberate(
        "prod-keepdim",
        "prod(keepdim=True) without a dim keeps the dims, as sum and mean do; the peer ignores keepdim.",
        "One rule for all reductions.",
        differs("shape", "batch_size", "names", during=("prod",), code="keepdim=True"),
    ),
    Deliberate(
        "dims-count-from-the-root",
        "A negative dim of min, max, cummin and cummax counts from the batch dims of the root; the peer takes"
        " it for each"
        " node by itself.",
        "It is the same dim in every entry, as in the other reductions.",
        lambda case: (
            case.during("min", "max", "amin", "amax", "cummin", "cummax")
            and case.difference.aspect == "batch_size"
            and "[" in case.difference.place
        ),
    ),
    Deliberate(
        "min-and-max-keep-the-structure",
        "min, max, cummin and cummax keep non-tensor entries and empty nodes; the peer drops them.",
        "All reductions do.",
        lambda case: (
            case.during("min", "max", "amin", "amax", "cummin", "cummax", "logsumexp")
            and (case.equal_but(without_non_tensors) or (case.difference.aspect == "keys" and case.we_have_more()))
        ),
    ),
    Deliberate(
        "more-torch-functions",
        "torch functions that the peer does not know work.",
        "The table of torch functions is generated from torch's own list.",
        peer_raises("Multiple dispatch failed for", "no implementation found for"),
    ),
    Deliberate(
        "aligned-operands",
        "A tensor operand of &, | and ^ is aligned with the batch dims, as in arithmetic; the peer broadcasts"
        " it from the"
        " right.",
        "One rule for all binary operators.",
        lambda case: (
            case.step.operation in ("td & other", "td | other", "td ^ other", "bitwise_and", "logical_and", "logic")
            and (peer_raises("must match the size of tensor")(case) or differs("tensor values", "shape")(case))
        ),
    ),
    Deliberate(
        "operands-with-other-keys",
        "Operands with other keys raise KeyError; the peer RuntimeError, returns None, or drops the keys.",
        "A missing key is a KeyError everywhere; default= and select() say what else may be meant.",
        lambda case: "The keys of the two tensordicts differ" in str(case.our_error),
    ),
    Deliberate(
        "dtype-of-results",
        "An integer entry and a float64 tensor give float64; the peer gives float32.",
        "The type promotion of torch, entry by entry.",
        differs("dtype", detail="peer torch.float32, ours torch.float64"),
    ),
    Deliberate(
        "reflected-remainder",
        "`x % td` works for numbers and tensors; the peer has no such operator.",
        "As every other operator.",
        lambda case: (
            case.during("td % other", "other % td") and "unsupported operand type(s) for %" in str(case.peer_error)
        ),
    ),
    Deliberate(
        "batchless-on-the-left",
        "A tensordict without batch dims is broadcast on either side of an operator by the rules of torch; the "
        "peer gives the batch size of the right side.",
        "The batch size of the result is that of the operand to which the method belongs.",
        differs("batch_size", code=r"batch_size=\[\]\)|lib\.TensorDict\(\{\}\)", detail="ours \\(\\)"),
    ),
    Deliberate(
        "default-with-tensors",
        "Methods with default= take tensors and tensordicts alike; the peer refuses, or fails for a number.",
        "A default is of use wherever keys are matched.",
        lambda case: (
            case.peer_error is not None
            and "default=" in case.step.text()
            and any(
                words in str(case.peer_error)
                for words in (
                    "unexpected keyword argument 'default'",
                    "expected Tensor as element",
                    "invalid combination of arguments",
                    "must have at least one tensor",
                    "object has no attribute",
                )
            )
        ),
    ),
    Deliberate(
        "entry-by-entry",
        "Where a fused function of torch does not support a dtype or gradients of it, we compute entry by entry; "
        "the peer raises.",
        "The function for one tensor works.",
        peer_raises("not implemented for", "Autograd not support dtype"),
    ),
    Deliberate(
        "gradients-of-integers",
        "In a fused function of torch, a result of an integer entry may require a gradient as the others do; the "
        "peer computes it apart.",
        "It is a constant of the graph: its gradient is never asked for.",
        differs("requires_grad", detail="peer False, ours True"),
    ),
    Deliberate(
        "bitwise-of-nothing",
        "&, |, ^ and the bitwise and logical methods of an empty tensordict return one; the peer returns None.",
        "The result of an operator is a tensordict.",
        differs("type", detail="peer NoneType None, ours node"),
    ),
    Deliberate(
        "min-and-max-take-the-same-arguments",
        "min() and max() take keepdim and reduce in every combination, and give values alone when no indices are "
        "asked for; the peer refuses some, or returns pairs.",
        "As for sum().",
        lambda case: (
            case.during("min", "max", "amin", "amax")
            and (
                "received an invalid combination of arguments - got (keepdim=bool" in str(case.peer_error)
                or differs("type", code="reduce=True", detail="peer sequence, ours tensor")(case)
            )
        ),
    ),
    Deliberate(
        "where-of-broken-batches",
        "where() with a tensor that breaks the batch size raises; the peer returns a tensordict whose entries do "
        "not start with it.",
        "No method may leave an entry that breaks the batch size.",
        we_raise("does not start with the batch size", operations=("where",)),
    ),
    Deliberate(
        "where-of-all-entries",
        "where() wants the same keys and kinds of entries on both sides, empty nodes included, unless pad is "
        "given; the peer passes over some.",
        "An entry must not vanish in silence.",
        lambda case: (
            case.during("where", "torch functions")
            and any(
                words in str(case.our_error)
                for words in ("is in one of the two tensordicts only", "in one tensordict and")
            )
        ),
    ),
    Deliberate(
        "reduced-together",
        "A reduction of all entries together reduces the same dim in each, counted from the root, and raises "
        "where the rest does not match or is empty; the peer takes negative dims for each entry by itself.",
        "The dim is a batch dim.",
        lambda case: (
            "reduce=True" in case.step.text()
            and (
                case.difference.aspect in ("shape", "tensor values")
                or we_raise("Sizes of tensors must match", "Expected reduction dim", "is out of range")(case)
                or peer_raises("must be int, not str")(case)
            )
        ),
    ),
    Deliberate(
        "errors-of-unsupported-functions",
        "A torch function that the peer does not know is a TypeError there, also where its arguments are wrong.",
        "The function is called and says what is wrong.",
        error_classes("all __torch_function__ handlers returned NotImplemented", "no implementation found for"),
    ),
    Deliberate(
        "prod-errors",
        "prod() over several dims raises TypeError; the peer complains of a column first.",
        "One error class for one mistake.",
        lambda case: (
            case.during("prod")
            and case.difference.aspect == "error class"
            and "prod reduces one dim at a time" in str(case.our_error)
        ),
    ),
    Deliberate(
        "no-growing-in-place",
        "In-place arithmetic that would enlarge the batch raises; the peer lets it pass where there are no "
        "entries, or fails in torch.",
        "Whether a program is right must not depend on what is in the tensordict.",
        lambda case: "cannot enlarge the batch size" in str(case.our_error),
    ),
    Deliberate(
        "reductions-of-nothing",
        "The extremes of an empty dim are an error, IndexError as in torch.amax; the peer raises RuntimeError at "
        "times.",
        "One error class for one mistake.",
        error_classes("Expected reduction dim to be specified for input.numel() == 0"),
    ),
    Deliberate(
        "conditions-first",
        "where() checks the condition before it looks for missing keys; the peer the other way round, or fails "
        "in between.",
        "Only one error can be reported.",
        lambda case: "The condition of shape" in str(case.our_error),
    ),
    Deliberate(
        "defaults-are-checked",
        'default= is None, "intersection", a number or a tensor; the peer takes any word where nothing is to match.',
        "A misspelt option must not pass in silence.",
        we_raise("default must be None"),
    ),
    Deliberate(
        "defaults-for-other-keys",
        "With default=, the result has the keys of both operands, also where one has none; the peer leaves out "
        "those of the other.",
        "default= says that it stands for missing entries.",
        differs("keys", code="default="),
    ),
    Deliberate(
        "operands-are-numbers-or-tensors",
        "An operand that is no number, tensor or tensordict raises TypeError; the peer lets a list pass, and "
        "anything where there is no entry, or fails in torch.",
        "torch takes no list either.",
        lambda case: (
            type(case.our_error) is TypeError
            and any(
                words in str(case.our_error)
                for words in ("unsupported operand type(s) for", "can only concatenate", "can't multiply sequence")
            )
        ),
    ),
    Deliberate(
        "operands-must-broadcast",
        "A tensor operand that does not broadcast to the batch raises, whatever the entries; the peer lets it "
        "pass where there are none.",
        "Whether a program is right must not depend on what is in the tensordict.",
        we_raise("Attempting to broadcast a dimension"),
    ),
    Deliberate(
        "dims-come-once",
        "A reduction over the same dim twice, or over no dim where one is needed, raises; the peer lets it pass "
        "where there is no entry.",
        "torch raises.",
        we_raise("a dim appears twice", "as dim, got None", "clamp needs min or max"),
    ),
    Deliberate(
        "extremes-in-longer-nodes",
        "min() and max() reduce one dim in a node with more batch dims than its parent; the peer drops the dims "
        "of the node.",
        "Nodes keep their own dims.",
        differs("batch_size", "names", during=("indices of extremes",)),
    ),
    Deliberate(
        "where-in-longer-nodes",
        "where() selects in nodes with more batch dims than their parent; the peer fails for some.",
        "Nodes keep their own dims.",
        peer_raises("cannot be expanded to the batch size", operations=("where",)),
    ),
    Deliberate(
        "missing-nodes-have-the-default",
        "With default=, the function given to apply() gets the default for each entry of a node that others "
        "lack; the peer gives it for the node.",
        "The function is one of entries.",
        lambda case: (
            case.during("apply with others")
            and "default=" in case.step.text()
            and (case.difference.aspect == "type" or we_raise("which does not start with the batch size")(case))
        ),
    ),
)
