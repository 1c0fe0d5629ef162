"""Grids of indices: reads, writes, masks, gather, where."""

from __future__ import annotations

from .cells import cells

INDICES = """
    0 | -1 | 3 | 5 | -7 | None | ... | () | True | False | slice(None) | slice(1, 3) | slice(0, 0)
    | slice(None, None, 2)
    | [0, 1] | [] | [0, 7] | [True, False, True] | range(2) | range(0) | torch.tensor(1) | torch.tensor([0, 2])
    | torch.tensor([[0, 1], [2, 0]]) | torch.tensor(True) | torch.tensor(False) | torch.tensor([True, False, True])
    | torch.tensor([True, False]) | torch.zeros(3, 4, dtype=torch.bool) | torch.ones(3, 4, dtype=torch.bool)
    | torch.ones(1, 3, 1, dtype=torch.bool) | np.array([0, 1]) | np.int64(1) | np.array([True, False, True])
    | np.array([[0, 1]]) | (0, 0) | (0, slice(None)) | (slice(None), 0) | (None, 0) | (0, None) | (..., 0) | (0, ...)
    | (..., None) | (None, ..., None) | (..., ...) | (0, 0, 0) | (0, 0, 0, 0) | ([0, 1], [1, 2]) | (slice(None), [1, 2])
    | ([0, 1], 0) | (0, [0, 1]) | ([0, 1], slice(None), None) | (torch.tensor([0, 1]), torch.tensor([1, 0]))
    | (slice(None), torch.tensor([True] * 4)) | (torch.tensor([True, False, True]), 0)
    | (torch.tensor([True, False, True]), None) | (range(2), range(2)) | (slice(None), torch.tensor([[0, 1]]))
    | (torch.tensor([0, 1]), None, torch.tensor([0, 1])) | (slice(1), slice(1, 2)) | (None, None) | (True, 0)
    | 'missing' | 1.5 | {1} | torch.tensor([0.5])"""
MASKS = """
    torch.ones(3, dtype=torch.bool) | torch.tensor([True, False, True]) | torch.eye(3, 4, dtype=torch.bool)
    | torch.eye(3, 4, dtype=torch.bool)[..., None] | torch.ones(2, dtype=torch.bool) | torch.tensor(True)
    | torch.ones(3, 4, 2, dtype=torch.bool) | torch.ones(3, 4, 2, 1, 1, dtype=torch.bool)"""

GRIDS: dict[str, tuple[str, ...]] = {
    "index read": cells("out = td[{0}]", INDICES),
    "index write a number": cells("td[{0}] = 7", INDICES),
    "index write the same keys": cells("td[{0}] = td[{0}].clone().apply(lambda x: x + 1)", INDICES),
    "index write a new key": cells(
        "td[{0}] = td[{0}].apply(lambda x: x * 2).unlock_().set('z', td[{0}].get('a'))", INDICES
    ),
    "index write a dict": cells("td[{0}] = {{'a': td[{0}].get('a') + 1}}", INDICES),
    "set_at_": cells("out = td.set_at_('a', 5, {0})", INDICES),
    "get_at": cells("out = td.get_at('a', {0})", INDICES),
    "update_at_": cells("out = td.update_at_(td[{0}].apply(lambda x: x + 1), {0})", INDICES),
    "gather": cells(
        "out = td.gather({0}, {1})",
        "0 | 1 | -1 | 2 | -3",
        "torch.zeros(3, 4, dtype=torch.long) | torch.zeros(2, 4, dtype=torch.long)"
        " | torch.zeros(2, dtype=torch.long) | torch.full((3, 4), 9)",
    ),
    "masked_select": cells("out = td.masked_select({0})", MASKS),
    "masked_fill": cells("out = td.{0}({1}, {2})", "masked_fill | masked_fill_", MASKS, "1 | 0.5"),
    "where": cells(
        "out = td.where({0}, {1}{2})",
        MASKS,
        "0 | torch.tensor(1.5) | torch.ones(3, 4) | td.apply(lambda x: x - 5) | td.exclude('a') | td.exclude('n')"
        " | td.clone().set('z', torch.ones(td.batch_size))",
        " | , pad=0 | , out=td.empty()",
    ),
    "where on the other side": cells(
        "out = td.exclude('a').where({0}, td{1})", MASKS, " | , pad=0 | , pad=1, out=td.empty()"
    ),
}
