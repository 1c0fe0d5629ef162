"""The storage of a lazy stack: a list of containers and the dim along which they stand.

Entries are stacked when read and split when written. What changes no shape is done member by member; a structural op is
moved past the stack dim and handed to the members where that is possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from torch import Size, Tensor

from ..abc import DENSE_CAPABILITIES, Capability, LeafSpec, Storage
from ..errors import BatchSizeError, LockedError, TDKeyError, TDRuntimeError
from ..leaves import kind_of, kind_of_type
from ..structural import Index, StructuralOp
from .stack_index import split_index
from .stack_moves import MOVES


class LazyStack(Storage):
    """Containers of one batch size, stacked along `dim`.

    Only the keys that all members have are visible; the others stay in their members.

    Attributes:
        members: the containers.
        dim: the stack dim, counted from the front of the stack's batch size.
        dim_name: the name of the stack dim; the members name the others.
    """

    name: ClassVar[str] = "lazy-stack"
    capabilities: ClassVar[Capability] = (DENSE_CAPABILITIES | Capability.HETEROGENEOUS) & ~(
        Capability.COMPILE | Capability.VIEWS
    )

    __slots__ = ("dim", "dim_name", "members")

    def __init__(self, members: Sequence[Any], dim: int, dim_name: str | None = None) -> None:
        self.members = list(members)
        self.dim = dim
        self.dim_name = dim_name

    def __repr__(self) -> str:
        return f"LazyStack({len(self.members)} members along dim {self.dim}, {list(self)})"

    # -- the mapping --------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[str]:
        if not self.members:
            return iter(())
        first, *others = [member._storage for member in self.members]
        return iter([key for key in first if all(key in other for other in others)])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, key: object) -> bool:
        return bool(self.members) and all(key in member._storage for member in self.members)

    def __getitem__(self, key: str) -> Any:
        values = self.values_of(key)
        kind = kind_of(values[0])
        if kind.node(values[0]) is not None and all(kind_of(value).node(value) is not None for value in values):
            return stack_nodes(values, self.dim, self.dim_name)
        try:
            return kind.stack(values, self.dim)
        except (RuntimeError, TypeError, AttributeError) as error:
            shapes = [list(kind_of(value).shape(value)) for value in values]
            raise TDRuntimeError(
                f"The entry {key!r} cannot be read as one tensor: its shapes are {shapes}. Call get() with as_list, "
                "as_nested_tensor or as_padded_tensor, read it member by member (td[i][key]), or call densify() to get "
                "nested tensors."
            ) from error

    def __setitem__(self, key: str, value: Any) -> None:
        self._require_unlocked(f"set {key!r} in")
        for member, piece in zip(self.members, self._pieces(value), strict=True):
            member._store(key, piece)

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        self._require_unlocked(f"delete {key!r} from")
        for member in self.members:
            del member._storage[key]

    def _require_unlocked(self, action: str) -> None:
        if any(member._locked for member in self.members):
            raise LockedError(f"{action} a member of")

    def values_of(self, key: str) -> list[Any]:
        """Return the value of each member.

        Raises:
            TDKeyError: a member lacks the key.
        """
        try:
            values = [member._storage[key] for member in self.members]
        except KeyError:
            values = []
        if values:
            return values
        holders = [i for i, member in enumerate(self.members) if key in member._storage]
        where = f" Only the members {holders} have it." if holders else ""
        raise TDKeyError(f"The key {key!r} is not in every member of the lazy stack.{where}")

    def _pieces(self, value: Any) -> Sequence[Any]:
        """Split a value of the stack's batch size into one for each member."""
        kind = kind_of_type(type(value))
        if kind is None or kind.is_tensor or kind.node(value) is not None:
            return self.cut(value)
        size = kind.shape(value)
        whole = (slice(None),) * self.dim
        rest = size[: self.dim] + size[self.dim + 1 :]
        return [kind.transform(value, Index((*whole, i), rest, len(size))) for i in range(len(self.members))]

    # -- parts --------------------------------------------------------------------------------------------------------

    @property
    def parts(self) -> Sequence[Any]:  # type: ignore[override]  # a property where the base has a constant
        """The members."""
        return self.members

    def join(self, parts: Sequence[Any], named: bool = True) -> LazyStack:
        """Return a stack of other members along the same dim."""
        return LazyStack(parts, self.dim, self.dim_name if named else None)

    def cut(self, operand: Any) -> Sequence[Any]:
        """Split along the stack dim what has it; the rest goes to every member as it is."""
        n, dim = len(self.members), self.dim
        kind = kind_of_type(type(operand))
        if kind is None:
            if type(operand) is LazyStack and operand.dim == dim and len(operand.members) == n:
                return [member._storage for member in operand.members]
            if isinstance(operand, Mapping):
                columns = [(key, self.cut(value)) for key, value in operand.items()]
                return [{key: pieces[i] for key, pieces in columns} for i in range(n)]
            return [operand] * n
        if kind.is_tensor:
            if operand.ndim <= dim:
                return [operand] * n
            if operand.shape[dim] not in (1, n):
                raise TDRuntimeError(
                    f"A tensor of shape {list(operand.shape)} cannot be split among the {n} members of a lazy stack "
                    f"along dim {dim}."
                )
            return [operand.select(dim, 0)] * n if operand.shape[dim] == 1 != n else operand.unbind(dim)
        node: Any = kind.node(operand)
        if node is not None and len(node._batch_size) <= dim:
            node = self._widened(node)
        if node is None:
            return [operand] * n
        storage = node._storage
        alike = type(storage) is LazyStack and storage.dim == dim
        pieces = list(storage.members) if alike else node._unbound(dim)
        if len(pieces) == 1 != n:
            pieces = pieces * n
        if len(pieces) != n:
            raise TDRuntimeError(
                f"A container of batch size {list(node._batch_size)} cannot be split among the {n} members of a lazy "
                f"stack along dim {dim}."
            )
        return [kind.wrap(operand, piece) for piece in pieces]

    def name_dims(self, names: list[str | None]) -> list[str | None]:
        """Keep the name of the stack dim, and return those of the members' dims."""
        self.dim_name = names[self.dim]
        return [*names[: self.dim], *names[self.dim + 1 :]]

    def _widened(self, node: Any) -> Any:
        """Return the node with the batch size of the stack; None where its entries do not start with it."""
        if not self.members:
            return None
        inner = self.members[0]._batch_size
        try:
            return node._rebatched(Size((*inner[: self.dim], len(self.members), *inner[self.dim :])))
        except BatchSizeError:
            return None

    def rebatched(self, batch_size: Size) -> LazyStack | None:
        """Return a shallow copy for another batch size; None when that loses the stack dim."""
        dim = self.dim
        if len(batch_size) <= dim or batch_size[dim] != len(self.members):
            return None
        return self.join([member._rebatched(batch_size[:dim] + batch_size[dim + 1 :]) for member in self.members])

    # -- bulk operations ----------------------------------------------------------------------------------------------

    def nodes(self) -> list[tuple[str, Any]]:
        """The members: what a lock has to reach."""
        return [(str(i), member) for i, member in enumerate(self.members)]

    def value_type(self, key: str) -> type:
        """Return the type of the entry in the first member."""
        first = self.members[0]._storage
        return type(first[key]) if type(first) is dict else first.value_type(key)

    def peek(self, key: str) -> Any:
        """Describe a tensor entry without stacking it; sizes that differ are -1."""
        values = [_shown(member, key) for member in self.members]
        first = values[0]
        if not all(isinstance(value, (Tensor, LeafSpec)) for value in values):
            return self[key]
        rank = len(first.shape)
        if any(len(value.shape) != rank for value in values):
            shared = len(self.members[0]._batch_size)
            sizes = [*first.shape[:shared], -1]
        else:
            sizes = [dims[0] if len(set(dims)) == 1 else -1 for dims in zip(*(v.shape for v in values), strict=True)]
        shape = (*sizes[: self.dim], len(values), *sizes[self.dim :])
        grad = any(value.requires_grad for value in values)
        name = first.type_name if isinstance(first, LeafSpec) else type(first).__name__
        return LeafSpec(name, shape, first.dtype, first.device, grad)

    def exclusive(self) -> list[dict[str, Any]]:
        """Return, for each member, the entries that not all members have."""
        shared = set(self)
        found = []
        for member in self.members:
            storage = member._storage
            keys = [key for key in storage if key not in shared]
            found.append({key: _shown(member, key) for key in keys})
        return found

    def rename(self, old: str, new: str) -> None:
        """Rename the entry in every member."""
        self._require_unlocked(f"rename {old!r} in")
        for member in self.members:
            storage = member._storage
            if type(storage) is dict:
                value = storage.pop(old)
                storage.pop(new, None)
                storage[new] = value
            else:
                storage.rename(old, new)

    def clear(self) -> None:
        """Remove every entry of every member, exclusive ones too."""
        self._require_unlocked("clear")
        for member in self.members:
            member._storage.clear()

    def empty(self, batch_size: Size) -> Any:
        """Return the storage of an empty node: a lazy stack of empty nodes."""
        return self.join([member._empty_node() for member in self.members])

    def write(self, key: str, index: Index, value: Any) -> None:
        """Write into the members that the index selects."""
        target = split_index(index, self.dim, len(self.members))
        if target is None:
            whole = self[key]
            whole = kind_of(whole).write(whole, index, value)
            self.overwrite(key, whole)
            return
        pieces = target.share(value, index)
        for i, piece in zip(target.members, pieces, strict=True):
            member = self.members[i]
            member._write_parsed(key, target.index_for(member._batch_size), piece)

    def assign(self, index: Index, value: Any) -> bool:
        """Give the members that the index selects their rows of a lazy stack, whatever the shapes of its entries."""
        source = value._storage
        target = split_index(index, self.dim, len(self.members))
        if type(source) is not LazyStack or target is None or target.dim != source.dim:
            return False
        n = len(target.members)
        rows = source.members * n if len(source.members) == 1 else source.members
        if len(rows) != n or any(key not in self for row in rows for key in row._storage):
            return False
        for i, row in zip(target.members, rows, strict=True):
            member = self.members[i]
            op = target.index_for(member._batch_size)
            member._write_index(op, row)
        return True

    def overwrite(self, key: str, value: Any, non_blocking: bool = False) -> None:
        """Overwrite the entry of every member in place."""
        self.values_of(key)
        for member, piece in zip(self.members, self._pieces(value), strict=True):
            member._overwrite(key, piece, non_blocking)

    def transform(self, op: StructuralOp) -> Any:
        """Hand the op to the members if it can be moved past the stack dim; otherwise stack first."""
        move = MOVES.get(type(op))
        moved = None if move is None else move(self, op)
        return super().transform(op) if moved is None else moved

    def moved(self, op: StructuralOp, dim: int) -> LazyStack:
        """Return the stack, along `dim`, of the members after an op."""
        return LazyStack([member._transform(op) for member in self.members], dim, self.dim_name)

    def readable(self) -> bool:
        """Whether every entry can be read as one value."""
        return not any(-1 in getattr(self.peek(key), "shape", ()) for key in self)


def _shown(member: Any, key: str) -> Any:
    storage = member._storage
    return storage[key] if type(storage) is dict else storage.peek(key)


def stack_nodes(nodes: Sequence[Any], dim: int, dim_name: str | None = None) -> Any:
    """Stack containers lazily; the result has the class that goes with the storage."""
    kind = kind_of(nodes[0])
    members: list[Any] = [kind_of(node).node(node) for node in nodes]
    first = members[0]
    size = first._batch_size
    device = first._device if all(member._device == first._device for member in members) else None
    own = first._names
    names = None
    if own is not None or dim_name is not None:
        own = [None] * len(size) if own is None else own
        names = [*own[:dim], dim_name, *own[dim:]]
    storage = LazyStack(members, dim, dim_name)
    stacked = first._build(storage, Size((*size[:dim], len(nodes), *size[dim:])), device, names)
    if all(member._locked for member in members):
        stacked._locked = True  # without being a parent of theirs: reading a node must not hold it locked
    return kind.wrap(nodes[0], stacked)
