"""The values that merging takes and gives: what is known, what is claimed, and what became of it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from memory.domain.types import Cardinality, Op

HELD = ("current", "superseded", "retracted")  # it was or is what holds
Value = tuple[str | None, str]  # key, value as it is compared
Slot = tuple[uuid.UUID | None, str | None, str]  # space, key, value as it is compared


@dataclass(frozen=True)
class Known:
    """A row as it stands. `heard_in` are the audit ids that are already evidence for it.

    With `op` retract it holds no value but the word that closed one. A row in state deleted still says that
    something was said at that time, if it ever held; `was_state` is where it goes back to.
    """

    id: uuid.UUID
    space_id: uuid.UUID | None
    key: str | None
    value: str
    value_norm: str
    state: str
    cardinality: Cardinality
    said_at: datetime
    confidence: float
    pinned: bool = False
    edit_count: int = 0
    valid_to: datetime | None = None
    superseded_by: uuid.UUID | None = None
    last_confirmed_at: datetime | None = None
    op: Op = Op.SET
    heard_in: frozenset[int] = frozenset()
    first_said_at: datetime | None = None
    was_state: str = ""
    deleted_at: datetime | None = None
    reasons: tuple[str, ...] = ()

    @property
    def since(self) -> datetime:
        """When it was said for the first time."""
        return self.first_said_at or self.said_at

    @property
    def slot(self) -> Slot:
        return self.space_id, self.key, self.value_norm

    @property
    def closes(self) -> bool:
        return self.op is Op.RETRACT

    @property
    def has_held(self) -> bool:
        """Whether it is or was what holds, be it deleted by now."""
        return (self.was_state if self.state == "deleted" else self.state) in HELD


@dataclass(frozen=True)
class Claim:
    """A proposal that was judged. `place` orders claims said at the same time (message, character).

    `forget` says that the person asked for it to be forgotten; `op` is retract then. `said_in` is the space where it
    was said, wherever it is to hold. What the person has answered: `rejected` and `deleted_at` of this very claim,
    `deleted_elsewhere_at` of the same value under another key. `undated`: nobody knows when it was said, and `said_at`
    is when it came in.
    """

    id: uuid.UUID
    space_id: uuid.UUID | None
    key: str | None
    value: str
    value_norm: str
    cardinality: Cardinality
    op: Op
    confidence: float
    said_at: datetime
    audit_id: int
    current: bool
    grounded: bool = True
    place: tuple[int, int] = (0, 0)
    reasons: tuple[str, ...] = ()
    deleted_at: datetime | None = None
    deleted_elsewhere_at: datetime | None = None
    rejected: bool = False
    forget: bool = False
    said_in: uuid.UUID | None = None
    undated: bool = False

    def may_be_from_before(self, at: datetime) -> bool:
        """Whether it may have been said before something was deleted."""
        return self.undated or self.said_at <= at

    @property
    def slot(self) -> Slot:
        return self.space_id, self.key, self.value_norm

    @property
    def single(self) -> bool:
        return self.key is not None and self.cardinality is Cardinality.ONE


class Did(StrEnum):
    """What became of one claim."""

    ADDED = "added"
    CONFIRMED = "confirmed"
    UPDATED = "updated"
    RETRACTED = "retracted"
    PROPOSED = "proposed"
    HISTORY = "history"  # older than what is known: kept as history, closed
    REPEATED = "repeated"  # says nothing that is not known or already asked
    OUTDATED = "outdated"  # doubtful, and something newer is known: not worth a question
    ANSWERED = "answered"  # the person deleted or rejected it
    FORGOTTEN = "forgotten"  # deleted because the person asked for it
    OVER_CAP = "over_cap"  # one proposal too many for a person who reviews everything


@dataclass(frozen=True)
class Outcome:
    """One claim and what it did. `fact_id` is the fact it made or met, `old` what it replaced or closed."""

    claim: Claim
    did: Did
    fact_id: uuid.UUID | None = None
    old: tuple[Known, ...] = ()


@dataclass
class Plan:
    """What to write. `changed` holds the final form of each known fact that changes, `new` of each made.

    `forgotten` are the values that must not come back, in whatever space, by what was said until then. `clearer` says
    of rows that wait or waited which claim has better words for them.
    """

    outcomes: list[Outcome] = field(default_factory=list)
    changed: dict[uuid.UUID, Known] = field(default_factory=dict)
    new: dict[uuid.UUID, tuple[Claim, Known]] = field(default_factory=dict)
    evidence: set[tuple[uuid.UUID, int]] = field(default_factory=set)
    forgotten: dict[Value, datetime] = field(default_factory=dict)
    clearer: dict[uuid.UUID, Claim] = field(default_factory=dict)


def confirmed_confidence(old: float, new: float) -> float:
    """c := max(c, new) + 0.2 (1 - max(c, new)): evidence adds up and never reaches certainty by itself."""
    base = max(old, new)
    return min(1.0, base + 0.2 * (1.0 - base))
