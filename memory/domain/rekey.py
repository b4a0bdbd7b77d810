"""What becomes of the facts of two keys that turn out to be one: the rules of superseding, applied to what is there.

Of a key with one value the last word holds, unless a person's own word stands against it; what says the same is folded
into one fact. Pure: the caller reads the rows under the lock, and writes what comes out.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from .cardinality import usual
from .known import Known
from .types import Cardinality


@dataclass
class Joined:
    """`closed`: what no longer holds, with what took its place; `folded`: what says the same as another row.

    `doubted` holds no longer but waits for the person, whose own word it contradicts.
    """

    closed: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    folded: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    doubted: set[uuid.UUID] = field(default_factory=set)


def cardinality(key: str, rows: Sequence[Known]) -> Cardinality:
    """What the table says of the key; else many if either key had many."""
    known = usual(key)
    if known is not None:
        return known
    values = [row for row in rows if not row.closes]
    return Cardinality.MANY if any(row.cardinality is Cardinality.MANY for row in values) else Cardinality.ONE


def join(rows: Sequence[Known], single: bool) -> Joined:
    """Decide for all rows of both keys, each space for itself: a space's value never retires the profile's."""
    joined = Joined()
    spaces: dict[uuid.UUID | None, list[Known]] = defaultdict(list)
    for row in rows:
        spaces[row.space_id].append(row)
    for own in spaces.values():
        standing = _fold([row for row in own if row.state == "current"], joined)
        _fold([*standing, *(row for row in own if row.state == "pending" and not row.closes)], joined)
        if single and len(standing) > 1:
            _one_of(standing, joined)
    return joined


def _fold(rows: Sequence[Known], joined: Joined) -> list[Known]:
    """One row for each value. What a proposal says that holds already is no question any more."""
    kept: dict[str, Known] = {}
    for row in sorted(rows, key=_rank, reverse=True):
        first = kept.setdefault(row.value_norm, row)
        if first is not row:
            joined.folded[row.id] = first.id
    return list(kept.values())


def _one_of(standing: Sequence[Known], joined: Joined) -> None:
    last = max(standing, key=_rank)
    for row in standing:
        if row.id == last.id:
            continue
        if last.pinned and row.said_at > last.said_at:
            joined.doubted.add(row.id)
        else:
            joined.closed[row.id] = last.id


def _rank(row: Known) -> tuple[bool, bool, object, uuid.UUID]:
    """What holds before what waits, the person's own word before what was learned, the last word before others."""
    return row.state == "current", row.pinned, row.said_at, row.id
