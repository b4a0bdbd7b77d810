"""The facts as they stand while claims are taken one after another, and the plan that comes of it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import replace

from memory.domain.known import Claim, Did, Known, Outcome, Plan


class Board:
    """What is known, looked up and changed. Each change goes into the plan, too."""

    def __init__(self, known: Iterable[Known]) -> None:
        self.facts: dict[uuid.UUID, Known] = {}
        self._ids: dict[str | None, list[uuid.UUID]] = {}  # by key
        self.plan = Plan()
        for fact in known:
            self._put(fact)

    def _put(self, fact: Known) -> None:
        if fact.id not in self.facts:
            self._ids.setdefault(fact.key, []).append(fact.id)
        self.facts[fact.id] = fact

    def _anywhere(self, claim: Claim) -> list[Known]:
        """The rows of the key (without one, of the value) in whatever space."""
        rows = (self.facts[fact_id] for fact_id in self._ids.get(claim.key, ()))
        return [f for f in rows if f.key is not None or f.value_norm == claim.value_norm]

    def _of_key(self, claim: Claim) -> list[Known]:
        if claim.key is None:
            return []
        return [f for f in self._anywhere(claim) if f.space_id == claim.space_id]

    def _closing_words(self, claim: Claim) -> list[Known]:
        """The rows of the key (without one, of the value) that are words which close something."""
        return [f for f in self._anywhere(claim) if f.closes and f.space_id == claim.space_id]

    def _same_value(self, claim: Claim) -> list[Known]:
        rows = (f for f in self._anywhere(claim) if f.slot == claim.slot)
        return [f for f in rows if not f.closes and f.state != "deleted"]

    def _change(self, fact: Known) -> None:
        self._put(fact)
        if fact.id in self.plan.new:
            self.plan.new[fact.id] = (self.plan.new[fact.id][0], fact)
        else:
            self.plan.changed[fact.id] = fact

    def _create(self, claim: Claim, fact: Known) -> None:
        self._put(fact)
        self.plan.new[fact.id] = (claim, fact)

    def _hear(self, fact_id: uuid.UUID, claim: Claim) -> None:
        self.plan.evidence.add((fact_id, claim.audit_id))

    def _note(self, claim: Claim, did: Did, fact_id: uuid.UUID | None = None, old: tuple[Known, ...] = ()) -> None:
        self.plan.outcomes.append(Outcome(claim=claim, did=did, fact_id=fact_id, old=old))

    def _heard_before(self, claim: Claim, same: list[Known]) -> bool:
        """A chat that is read a second time teaches nothing a second time."""
        fact = next((f for f in same if claim.audit_id in f.heard_in), None)
        if fact is not None:
            self._note(claim, Did.REPEATED, fact.id)
        return fact is not None


def doubted(claim: Claim, reason: str) -> Claim:
    return replace(claim, current=False, reasons=(*claim.reasons, reason))


def fact_of(claim: Claim, *, state: str) -> Known:
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
        first_said_at=claim.said_at,
        reasons=claim.reasons if state == "pending" else (),
    )
