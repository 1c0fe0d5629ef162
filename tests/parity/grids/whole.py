"""Grids of what concerns the tensordict as a whole: copies, apply, conversions, questions, locks, contexts."""

from __future__ import annotations

from .cells import cells

GRIDS: dict[str, tuple[str, ...]] = {
    "construct": cells(
        "out = lib.TensorDict({0})",
        " | td | td, td.batch_size | td, [3] | td.to_dict() | td.to_dict(), td.batch_size | [] | 1 | None"
        " | {1: 2} | a=1, b=[2]"
        " | {'a': 1}, a=2 | {}, 'x' | {}, 3 | {}, [3], names=['t'] | {}, [3], names=['t', 'u']"
        " | {}, [3, 4], names=['t', 't']"
        " | {}, [3], 'cpu' | {}, device='nonsense' | {'a': {}}, [3] | {'a': {'b': 1}}, [3] | {'a': torch.zeros(3)}, [4]"
        " | {'a': torch.zeros(3)}, [3], lock=True | {('a', 'b'): 1} | {('a', 'b'): 1, 'a': {'c': 2}}"
        " | {'a': 1, ('a', 'b'): 2}"
        " | {'': 1} | {'a.b': 1} | {'a': 'x', 'b': None, 'c': [1, 'x'], 'd': {1}} | {'a': [[1, 2], [3, 4]]}, [2]",
    ),
    "copies": cells(
        "out = {0}",
        "td.clone() | td.clone(False) | td.copy() | copy.copy(td) | copy.deepcopy(td) | pickle.loads(pickle.dumps(td))"
        " | td.contiguous() | td.to_tensordict() | td.detach() | td.data | lib.TensorDict(td, td.batch_size)"
        " | td.consolidate()",
    ),
    "apply": cells(
        "out = td.apply({0}{1})",
        "lambda x: x + 1 | lambda x: None | lambda x: x.sum()",
        " | , batch_size=[] | , device=None | , names=None | , inplace=True | , filter_empty=True"
        " | , filter_empty=False"
        " | , propagate_lock=True | , call_on_nested=True | , out=td.clone() | , out=td.empty() | , unknown=1",
    ),
    "apply with others": cells(
        "out = td.apply(lambda x, y: x if y is None else x + y, {0}{1})",
        "td | td.clone() | td.exclude('a') | td.exclude('n') | td.clone().set('z', torch.ones(td.batch_size))",
        " | , default=None | , default=torch.tensor(1)",
    ),
    "named_apply": cells(
        "seen = []\nout = td.named_apply(lambda key, x: seen.append(key) or x{0}), seen",
        " | , nested_keys=True | , call_on_nested=True | , is_leaf=lib.is_leaf_nontensor"
        " | , nested_keys=True, call_on_nested=True",
    ),
    "conversions": cells(
        "out = {0}",
        "td.to_dict() | td.numpy() | td.to_namedtuple() | td.state_dict() | td.state_dict(flatten=False) | td.tolist()"
        " | lib.TensorDict.from_dict(td.to_dict()) | lib.TensorDict.from_dict(td.to_dict(), auto_batch_size=True)"
        " | lib.TensorDict.from_dict(td.to_dict(), batch_dims=1) | lib.from_dict(td.to_dict(), batch_size=[3])"
        " | lib.TensorDict.from_dict(td, batch_size=td.batch_size) | td.from_dict_instance(td.to_dict())"
        " | lib.TensorDict.from_namedtuple(td.to_namedtuple(), auto_batch_size=True)"
        " | td.load_state_dict(td.state_dict()) | td.load_state_dict(td.state_dict(flatten=False))"
        " | td.load_state_dict({}) | td.load_state_dict({}, strict=False) | lib.TensorDict.from_pytree(td.to_pytree())"
        " | lib.from_any(td) | lib.from_any({'a': [1, 2], 'b': {'c': 'x'}}) | lib.make_tensordict(td.to_dict())"
        " | lib.make_tensordict(a=torch.ones(3), auto_batch_size=True) | td.to_struct_array().tolist()",
    ),
    "questions": cells(
        "out = {0}",
        "td.batch_size | td.shape | td.size() | td.size(0) | td.size(-1) | td.size(7) | td.ndim | td.dim()"
        " | td.batch_dims"
        " | td.numel() | td.depth | td.bytes() | td.param_count() | td.is_empty() | len(td) | list(td) | bool(td)"
        " | hash(td)"
        " | td.device | td.names | td.is_locked | td.is_contiguous() | td.dtype | td.is_floating_point()"
        " | td.requires_grad"
        " | td.grad | td.is_cpu | list(td.sorted_keys) | td.is_shared() | td.is_memmap() | td.saved_path"
        " | reversed(td)",
    ),
    "assignments": (
        "td.batch_dims = 1",
        "td.device = 'cpu'",
        "td.is_locked = True",
        "td.is_locked = False",
        "td.shape = [3]",
        "td.depth = 1",
        "out = td.unknown",
    ),
    "lock": (
        "out = td.lock_()",
        "out = td.unlock_()",
        "td.lock_(); out = td['n'].unlock_()",
        "td.lock_(); out = td['n'].set('z', 1)",
        "td.lock_(); td.names = None; td.batch_size = []",
        "with td.lock_(): out = td.is_locked",
        "with td.unlock_(): out = td.is_locked",
        "with td.lock_(): raise ValueError",
        "td.lock_(); td.unlock_(); out = td['n'].is_locked",
        "outer = lib.TensorDict({'x': td}, td.batch_size).lock_(); out = td.unlock_()",
        "outer = lib.TensorDict({'x': td}, td.batch_size).lock_(); del outer; out = td.unlock_()",
        "outer = lib.TensorDict({'x': td.lock_()}, td.batch_size); out = outer.set('y', td), outer.is_locked",
    ),
    "lock inheritance": cells(
        "td.lock_(); out = td.{0}",
        "view(-1) | reshape(-1) | permute(1, 0) | transpose(0, 1) | squeeze() | unsqueeze(0)"
        " | expand(2, *td.shape) | flatten()"
        " | unflatten(0, (1, -1)) | float() | to(torch.float64) | detach() | data | where(torch.tensor(True), 0)"
        " | add(1) | exp()"
        " | unbind(0) | split(1) | chunk(2) | clone() | copy() | contiguous() | select('a') | exclude('a') | empty()"
        " | apply(lambda x: x + 1) | flatten_keys() | unflatten_keys() | masked_fill(torch.tensor(True), 0)"
        " | mean() | sum(0)"
        " | any(0) | to('cpu') | to_tensordict() | rename(*['x', 'y', 'z'][: td.ndim]) | replace({}) | masked_select("
        "torch.ones(td.shape, dtype=torch.bool)) | __eq__(td) | gather(0, torch.zeros(td.shape, dtype=torch.long))",
    ),
    "contexts": cells(
        "with td.{0} as inner:\n    {1}\n    out = inner",
        "view(-1) | permute(1, 0) | transpose(0, 1) | squeeze() | squeeze(0) | unsqueeze(0) | flatten(0, 1)"
        " | unflatten(0, [-1, 1]) | flatten_keys() | unflatten_keys() | unlock_() | lock_() | to(torch.float64)",
        ("inner['z'] = torch.ones(inner.batch_size)", "inner.zero_()", "inner.pop('a', None)", "raise ValueError"),
    ),
}
