"""What a batch of claims does to what is known: which facts are added, confirmed, closed or proposed.

Order of saying decides, not order of processing: a claim that was said before the current value enters
history closed. Pure: the caller reads the known facts under a lock, and writes the plan in one transaction.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from memory.domain.types import Cardinality, Op


@dataclass(frozen=True)
class Known:
    """A fact as it stands. `heard_in` are the audit ids that are already evidence for it."""

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


@dataclass(frozen=True)
class Claim:
    """A proposal that was judged. `place` orders claims said at the same time (message, character)."""

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
    rejected: bool = False


class Did(StrEnum):
    """What became of one claim."""

    ADDED = "added"
    CONFIRMED = "confirmed"
    UPDATED = "updated"
    RETRACTED = "retracted"
    PROPOSED = "proposed"
    HISTORY = "history"  # older than what is known: kept as history, closed
    REPEATED = "repeated"  # says nothing that is not known or already asked
    ANSWERED = "answered"  # the person deleted or rejected it


@dataclass(frozen=True)
class Outcome:
    """One claim and what it did. `fact_id` is the fact it made or met, `old` what it replaced or closed."""

    claim: Claim
    did: Did
    fact_id: uuid.UUID | None = None
    old: tuple[Known, ...] = ()


@dataclass
class Plan:
    """What to write. `changed` holds the final form of each known fact that changes, `new` of each made."""

    outcomes: list[Outcome] = field(default_factory=list)
    changed: dict[uuid.UUID, Known] = field(default_factory=dict)
    new: dict[uuid.UUID, tuple[Claim, Known]] = field(default_factory=dict)
    evidence: set[tuple[uuid.UUID, int]] = field(default_factory=set)


def confirmed_confidence(old: float, new: float) -> float:
    """c := max(c, new) + 0.2 (1 - max(c, new)): evidence adds up and never reaches certainty by itself."""
    base = max(old, new)
    return min(1.0, base + 0.2 * (1.0 - base))


def plan(known: Iterable[Known], claims: Sequence[Claim]) -> Plan:
    """Decide what the claims do, in the order in which they were said."""
    board = _Board(known)
    for claim in sorted(claims, key=lambda c: (c.said_at, c.place)):
        board.take(claim)
    return board.plan


class _Board:
    """The facts as they stand while claims are taken one after another."""

    def __init__(self, known: Iterable[Known]) -> None:
        self.facts: dict[uuid.UUID, Known] = {fact.id: fact for fact in known}
        self.plan = Plan()

    def take(self, claim: Claim) -> None:
        said_again = claim.deleted_at is None or (claim.grounded and claim.said_at > claim.deleted_at)
        if claim.rejected or not said_again:
            self._note(claim, Did.ANSWERED)
            return
        if claim.deleted_at is not None and claim.current:
            claim = replace(claim, current=False, reasons=(*claim.reasons, "deleted_before"))
        if claim.op is Op.RETRACT:
            self._retract(claim)
        elif claim.current:
            self._assert(claim)
        else:
            self._propose(claim)

    def _assert(self, claim: Claim) -> None:
        same = self._same_value(claim)
        if self._heard_before(claim, same):
            return
        standing = next((f for f in same if f.state == "current"), None)
        if standing is not None:
            self._confirm(standing, claim)
            return
        rivals = [f for f in self._of_key(claim) if f.state == "current"] if _single(claim) else []
        later = self._later(claim, same)
        if later is not None:
            self._into_history(claim, later, same)
        elif any(f.pinned for f in rivals):
            self._propose(replace(claim, current=False, reasons=(*claim.reasons, "against_pinned")))
        else:
            self._hold(claim, rivals, next((f for f in same if f.state == "pending"), None))

    def _hold(self, claim: Claim, rivals: list[Known], waiting: Known | None) -> None:
        """Make the claim current, closing what it replaces; a proposal of the same value becomes it."""
        new_id = waiting.id if waiting else claim.id
        for rival in rivals:
            self._change(replace(rival, state="superseded", valid_to=claim.said_at, superseded_by=new_id))
        edits = max((f.edit_count for f in self._of_key(claim)), default=0) if _single(claim) else 0
        fact = replace(_fact(claim, state="current"), id=new_id, edit_count=edits)
        if waiting:
            self._change(replace(fact, edit_count=max(edits, waiting.edit_count)))
        else:
            self._create(claim, fact)
        self._hear(new_id, claim)
        self._note(claim, Did.UPDATED if rivals else Did.ADDED, new_id, tuple(rivals))

    def _confirm(self, fact: Known, claim: Claim) -> None:
        if (fact.id, claim.audit_id) in self.plan.evidence:
            self._note(claim, Did.REPEATED, fact.id)
            return
        last = max(fact.last_confirmed_at or fact.said_at, claim.said_at)
        self._change(
            replace(
                fact,
                confidence=confirmed_confidence(fact.confidence, claim.confidence),
                last_confirmed_at=last,
                # A value that is said again has been in force since it was first said, but it is the last
                # saying that a rival must come after.
                said_at=max(fact.said_at, claim.said_at),
            )
        )
        self._hear(fact.id, claim)
        self._note(claim, Did.CONFIRMED, fact.id)

    def _heard_before(self, claim: Claim, same: list[Known]) -> bool:
        """A chat that is read a second time teaches nothing a second time."""
        fact = next((f for f in same if claim.audit_id in f.heard_in), None)
        if fact is not None:
            self._note(claim, Did.REPEATED, fact.id)
        return fact is not None

    def _later(self, claim: Claim, same: list[Known]) -> Known | None:
        """The earliest word on this key after the claim: a value said later, or a closing without successor."""
        words = self._of_key(claim) if _single(claim) else same
        after = [
            f
            for f in words
            if f.state in ("current", "superseded", "retracted") and self._end(f) > claim.said_at
        ]
        after = [f for f in after if f.said_at > claim.said_at or f.state == "retracted"]
        return min(after, key=self._begin, default=None)

    @staticmethod
    def _begin(fact: Known) -> datetime:
        return fact.said_at

    @staticmethod
    def _end(fact: Known) -> datetime:
        """When the last word on this row was said."""
        return (fact.valid_to or fact.said_at) if fact.state == "retracted" else fact.said_at

    def _into_history(self, claim: Claim, later: Known, same: list[Known]) -> None:
        met = next((f for f in same if f.state in ("superseded", "retracted")), None)
        if met is not None:
            self._hear(met.id, claim)
            self._note(claim, Did.REPEATED, met.id)
            return
        closed_at = (
            later.valid_to if later.state == "retracted" and later.said_at <= claim.said_at else later.said_at
        )
        successor = None if later.state == "retracted" and later.said_at <= claim.said_at else later.id
        state = "superseded" if successor else "retracted"
        self._create(claim, replace(_fact(claim, state=state), valid_to=closed_at, superseded_by=successor))
        self._hear(claim.id, claim)
        self._note(claim, Did.HISTORY, claim.id)

    def _propose(self, claim: Claim) -> None:
        same = self._same_value(claim)
        if self._heard_before(claim, same):
            return
        for fact in same:
            if fact.state in ("current", "pending", "superseded", "retracted") and (
                fact.state in ("current", "pending") or fact.said_at >= claim.said_at
            ):
                self._note(claim, Did.REPEATED, fact.id)
                return
        self._create(claim, _fact(claim, state="pending"))
        self._hear(claim.id, claim)
        self._note(claim, Did.PROPOSED, claim.id)

    def _retract(self, claim: Claim) -> None:
        open_facts = [f for f in self._of_key(claim) if f.state == "current" and f.said_at <= claim.said_at]
        hit = [f for f in open_facts if f.value_norm == claim.value_norm] or (
            open_facts if _single(claim) else []
        )
        if not hit and len(open_facts) == 1:
            hit = open_facts
        if not hit:
            self._note(claim, Did.REPEATED)
            return
        if not claim.current or any(f.pinned for f in hit):
            reason = () if not claim.current else ("against_pinned",)
            self._propose_closing(replace(claim, current=False, reasons=(*claim.reasons, *reason)))
            return
        for fact in hit:
            self._change(replace(fact, state="retracted", valid_to=claim.said_at))
        self._note(claim, Did.RETRACTED, hit[0].id, tuple(hit))

    def _propose_closing(self, claim: Claim) -> None:
        waits = [f for f in self._of_key(claim) if f.state == "pending" and f.op is Op.RETRACT]
        if waits:
            self._note(claim, Did.REPEATED, waits[0].id)
            return
        self._create(claim, _fact(claim, state="pending"))
        self._hear(claim.id, claim)
        self._note(claim, Did.PROPOSED, claim.id)

    def _of_key(self, claim: Claim) -> list[Known]:
        if claim.key is None:
            return []
        return [f for f in self.facts.values() if f.key == claim.key and f.space_id == claim.space_id]

    def _same_value(self, claim: Claim) -> list[Known]:
        return [
            f
            for f in self.facts.values()
            if f.key == claim.key
            and f.space_id == claim.space_id
            and f.value_norm == claim.value_norm
            and f.op is not Op.RETRACT
        ]

    def _change(self, fact: Known) -> None:
        self.facts[fact.id] = fact
        if fact.id in self.plan.new:
            self.plan.new[fact.id] = (self.plan.new[fact.id][0], fact)
        else:
            self.plan.changed[fact.id] = fact

    def _create(self, claim: Claim, fact: Known) -> None:
        self.facts[fact.id] = fact
        self.plan.new[fact.id] = (claim, fact)

    def _hear(self, fact_id: uuid.UUID, claim: Claim) -> None:
        self.plan.evidence.add((fact_id, claim.audit_id))

    def _note(
        self, claim: Claim, did: Did, fact_id: uuid.UUID | None = None, old: tuple[Known, ...] = ()
    ) -> None:
        self.plan.outcomes.append(Outcome(claim=claim, did=did, fact_id=fact_id, old=old))


def _single(claim: Claim) -> bool:
    return claim.key is not None and claim.cardinality is Cardinality.ONE


def _fact(claim: Claim, *, state: str) -> Known:
    return Known(
        id=claim.id,
        space_id=claim.space_id,
        key=claim.key,
        value=claim.value,
        value_norm=claim.value_norm,
        state=state,
        cardinality=claim.cardinality,
        said_at=claim.said_at,
        confidence=claim.confidence,
        last_confirmed_at=claim.said_at,
        op=claim.op,
    )
