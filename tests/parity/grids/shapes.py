"""Grids of shapes and dims: shape operations, stack and cat, padding, batch sizes and names."""

from __future__ import annotations

from .cells import cells

DIMS = "-4 | -3 | -2 | -1 | 0 | 1 | 2 | 3"
FEW_DIMS = "0 | -1 | 1 | 3 | -4"
SHAPES = """
     | 12 | -1 | 4, 3 | 3, 4 | 2, -1 | 3, 2, 2 | -1, -1 | 5 | 1, 3, 1 | 3 | 0 | 2, 0 | 0, 2 | 1 | 3, 1 | [4, 3] | (3, 4)
    | torch.Size([12]) | []"""

GRIDS: dict[str, tuple[str, ...]] = {
    "view": cells("out = td.view({0})", SHAPES + " | size=[12] | torch.int32 | torch.float16"),
    "reshape": cells("out = td.reshape({0})", SHAPES),
    "expand": cells("out = td.expand({0})", SHAPES + " | 2, 3, 4 | 2, -1, -1 | 3, 3, 3 | 2, 1, 3, 1 | 2, 3 | 1, 3, 5"),
    "expand_as": cells("out = td.expand_as({0})", "torch.zeros(2, 3, 4) | td.expand(2, *td.shape) | torch.zeros(5)"),
    "permute": cells(
        "out = td.permute({0})",
        "0, 1 | 1, 0 | -1, 0 | -1, -2 | [1, 0] | dims=[1, 0] | 0 | 1 | 2, 1, 0 | 0, 0 | () | | 1, 2 | 0, 2, 1 | []",
    ),
    "transpose": cells("out = td.transpose({0}, {1})", DIMS, DIMS),
    "squeeze": cells("out = td.squeeze({0})", DIMS + " | | None"),
    "unsqueeze": cells("out = td.unsqueeze({0})", DIMS + " | 4 | -5"),
    "flatten": cells("out = td.flatten({0}, {1})", DIMS, DIMS),
    "flatten all": cells("out = td.flatten({0})", " | 1 | start_dim=1 | end_dim=0"),
    "unflatten": cells(
        "out = td.unflatten({0}, {1})", DIMS, "[-1, 1] | (1, -1) | [3, 1] | [2, 2] | [5] | () | [-1] | [-1, -1]"
    ),
    "unbind": cells("out = td.unbind({0})", DIMS),
    "split": cells(
        "out = td.split({0}, {1})",
        "1 | 2 | 9 | 0 | -1 | [1, 2] | (1, 3) | [3] | [4] | [] | [1] | [0, 3] | [5, -2] | [1.0, 2] | 1.5 | None",
        FEW_DIMS,
    ),
    "chunk": cells("out = td.chunk({0}, {1})", "1 | 2 | 3 | 9 | 0 | -1 | 1.5", FEW_DIMS),
    "torch functions": cells(
        "out = torch.{0}",
        "unsqueeze(td, 0) | squeeze(td) | squeeze(td, 0) | permute(td, (1, 0)) | transpose(td, 0, 1)"
        " | reshape(td, (-1,))"
        " | flatten(td) | unbind(td, 0) | split(td, 1) | chunk(td, 2) | unflatten(td, 0, (1, -1)) | clone(td)"
        " | zeros_like(td) | ones_like(td) | full_like(td, 3.0) | flip(td, (0,)) | movedim(td, 0, 1) | roll(td, 1, 0)"
        " | masked_select(td, torch.tensor([True, False, True])) | where(torch.tensor([True, False, True]), td, td * 2)"
        " | linalg.norm(td) | svd(td) | nn.functional.pad(td, (1, 1)) | mean(td) | sum(td) | cumsum(td, 0) | isnan(td)",
    ),
    "stack": cells("out = {0}([td, td.clone()], {1})", "torch.stack | lib.stack | lib.TensorDict.stack", DIMS),
    "cat": cells("out = {0}([td, td.clone()], {1})", "torch.cat | lib.cat | lib.TensorDict.cat", DIMS),
    "stack and cat of unequal ones": cells(
        "out = {0}([{1}])",
        "torch.stack | torch.cat | lib.TensorDict.stack | lib.TensorDict.maybe_dense_stack",
        " | td | td, td.exclude('a') | td.exclude('a'), td | td, td.clone().set('z', torch.ones(td.batch_size))"
        " | td, td[:1] | td, td.double() | td, torch.ones(3) | td, {} | td, None",
    ),
    "repetitions": cells(
        "out = td.{0}",
        "repeat(2) | repeat(2, 1) | repeat(1, 1, 2) | repeat(2, 2, 2, 2) | repeat() | repeat_interleave(2)"
        " | repeat_interleave(2, 0) | repeat_interleave(2, dim=-1) | repeat_interleave(torch.tensor([1, 0, 2]), dim=0)"
        " | repeat_interleave(2, dim=5) | tile((2,)) | tile((2, 1)) | flip(0) | flip((0, 1)) | flip(-1) | flip(4)"
        " | roll(1) | roll(1, 0) | roll((1, 1), (0, 1)) | movedim(0, -1) | movedim((0, 1), (1, 0)) | narrow(0, 0, 1)"
        " | narrow(0, 2, 5) | narrow(-1, 0, 1) | rot90() | tensor_split(2) | tensor_split([1]) | tensor_split(2, -1)",
    ),
    "pad": cells(
        "out = lib.pad(td, {0})",
        "[0, 1] | [1, 0] | [0, 1, 1, 0] | (1, 1) | [] | [1] | [0, 1] * 5 | [0, 1], 2.0 | [0, 1], value=1 | [-1, 0]",
    ),
    "pad_sequence": cells(
        "out = lib.pad_sequence([{0}]{1})",
        "td, td[:2] | td[:1], td | td | td, td |  | td, td.exclude('a')[:1]",
        " | , return_mask=True | , padding_value=1 | , pad_dim=1 | , return_mask='mask' | , padding_side='left'",
    ),
    "batch_size =": cells(
        "td.batch_size = {0}",
        "[] | [3] | [3, 4] | [3, 4, 2] | [4] | torch.Size([3]) | 3 | (1, 3) | [2, 0] | None | 'a' | [3, 5]",
    ),
    "auto_batch_size_": cells("out = td.auto_batch_size_({0})", " | 0 | 1 | 2 | 9 | batch_dims=1 | -1"),
    "names =": cells(
        "td.names = {0}",
        "None | ['x'] | ['x', 'y'] | ['x', None] | [None, None] | ['x', 'x'] | ['x', 'y', 'z'] | [] | ('x', 'y')"
        " | [1, 2]",
    ),
    "rename": cells(
        "out = td.{0}({1})",
        "rename | rename_ | refine_names",
        "'x', 'y' | 'x' | t='x' | z='x' | None, None | | 'x', ... | ..., 'y' | ..., 't' | 't', 'y' | None | 'x', 'x'",
    ),
}
