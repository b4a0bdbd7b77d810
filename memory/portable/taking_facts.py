"""Imported facts go in by the same door as all others: sensitive classes, what was deleted or rejected, what the
person wrote themselves, and review. What is known already is no new evidence, so that a second import changes nothing.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory import audit, facts, key_aliases, sensitive
from memory.domain.cardinality import cardinality_of
from memory.domain.entry import read_value
from memory.domain.instructions import instruction_like
from memory.domain.judge import REVIEW
from memory.domain.keys import canonical
from memory.domain.merge import Claim, Did, Outcome
from memory.domain.sensitive import Handling, SensitiveClass
from memory.domain.text import same_form
from memory.domain.types import Op, Proposal, Stance
from memory.facts import Told
from memory.models import Event, Fact, FactState, Import, Profile, SourceKind, Space
from memory.models.fields import new_id
from memory.portable.found import FoundFact

LEAST_CONFIDENCE = 0.3
BECAME = {
    Did.ADDED: "new",
    Did.UPDATED: "new",
    Did.HISTORY: "history",
    Did.PROPOSED: "waiting",
    Did.ANSWERED: "deleted or rejected before",
    Did.OUTDATED: "outdated",
}


@dataclass
class Taken:
    """What became of a batch: how many facts went which way, and those that hold no longer where they come from."""

    counts: Counter[str] = field(default_factory=Counter)
    over: list[facts.Ended] = field(default_factory=list)


def take(row: Import, batch: Sequence[FoundFact], *, where: Space, spaces: dict[str, uuid.UUID], actor: str) -> Taken:
    """Write what is new. Call inside the profile's scope, under `facts.lock`; `where` is its default space."""
    reading = _Reading(row, where, spaces)
    told = [(found, one) for n, found in enumerate(batch) if (one := reading.told(found, n)) is not None]
    taken = reading.taken
    if reading.refused:
        refusal = sensitive.refusal(row.profile_id, reading.refused, actor=actor, import_id=str(row.id))
        audit.record(refusal)
    fresh = _unknown(row.profile_id, told)
    taken.counts["known"] += len(told) - len(fresh)
    if fresh:
        payload: dict[str, Any] = {"import_id": str(row.id), "format": row.format, "name": row.name}
        payload |= {"rows": {"facts": len(fresh)}}
        audit.record(audit.Entry(Event.IMPORTED, row.profile_id, payload, actor, id=reading.audit_id))
        claims, found_of = [one for _, one in fresh], {one.claim.id: found for found, one in fresh}
        outcomes = facts.apply(
            profile_id=row.profile_id, told=claims, conversation_id=None, review_most=len(claims), actor=actor
        )
        for outcome in outcomes:
            taken.counts[BECAME.get(outcome.did, "known")] += 1
            _answer(row.profile_id, outcome, found_of[outcome.claim.id], actor)
    for found, one in told:
        if found.valid_to and found.valid_to <= reading.at:
            taken.over.append(facts.Ended(one.claim.key, one.claim.value_norm, one.claim.said_at, found.valid_to))
    return taken


class _Reading:
    """Makes claims of what a batch says. `taken` counts what makes none; `refused` are the classes of what is never
    kept; `audit_id` is the row of the log that is their evidence."""

    def __init__(self, row: Import, where: Space, spaces: dict[str, uuid.UUID]) -> None:
        self._where, self._spaces, self._profile = where, spaces, where.profile
        self._policy = sensitive.policy_of(where.profile)
        self._aliases, self._alike = key_aliases.both(row.profile_id)
        self.audit_id, self.at = audit.draw()
        self.taken = Taken()
        self.refused: set[SensitiveClass] = set()

    def told(self, found: FoundFact, n: int) -> Told | None:
        value = read_value(found.value)
        key = canonical(found.key, self._aliases) if found.key else None
        if not isinstance(value, str) or (found.key and key is None):
            self.taken.counts["unusable"] += 1
            return None
        mark = sensitive.judge(Proposal(value, key), self._policy, quote="")
        if mark.handling is Handling.NEVER:
            self.refused |= set(mark.classes)
            self.taken.counts["refused as sensitive"] += 1
            return None
        reasons = tuple(_reasons(found, key, value, self._profile, mark))
        said_at = min(found.at or self.at, self.at)
        claim = Claim(
            id=new_id(),
            space_id=self._spaces.get(found.space) if found.space else None,
            key=key,
            value=value,
            value_norm=same_form(value),
            cardinality=cardinality_of(key, found.cardinality, None),
            op=Op.SET,
            confidence=found.confidence,
            said_at=said_at,
            audit_id=self.audit_id,
            current=not reasons,
            place=(0, n),
            reasons=reasons,
            said_in=self._where.id,
            undated=found.at is None,
        )
        return Told(
            claim=claim,
            category=found.category,
            importance=found.importance,
            stance=Stance.ASSERTED,
            quote="",
            source_kind=SourceKind.IMPORTED,
            valid_from=found.valid_from and min(found.valid_from, said_at),
            sensitive=bool(mark.classes),
            spellings=self._alike.get(key or "", frozenset({key})),
            expires_at=found.expires_at,
            pinned=found.own and not reasons,
        )


def _reasons(
    found: FoundFact, key: str | None, value: str, profile: Profile, mark: sensitive.Judgement
) -> Iterator[str]:
    """Why it waits for the person, if it does."""
    if profile.approval == REVIEW:
        yield REVIEW
    if found.waits or found.rejected:
        yield "waited_there"
    if instruction_like(value, key):
        yield "instruction_like"
    if found.confidence < LEAST_CONFIDENCE:
        yield "low_confidence"
    if mark.handling is Handling.REVIEW:
        yield from (f"sensitive:{cls.value}" for cls in mark.classes)


def _unknown(profile_id: uuid.UUID, told: Sequence[tuple[FoundFact, Told]]) -> list[tuple[FoundFact, Told]]:
    """Those that say something that was not said of the key at that time or later; without a time, at any."""
    norms = {one.claim.value_norm for _, one in told}
    there = Fact.objects.filter(profile_id=profile_id, value_norm__in=norms).exclude(state=FactState.DELETED)
    last: dict[tuple[str | None, str], datetime] = {}
    for key, norm, at in there.values_list("key", "value_norm", "said_at"):
        last[key, norm] = max(at, last.get((key, norm), at))
    fresh = []
    for found, one in told:
        before = last.get((one.claim.key, one.claim.value_norm))
        if before is None or (found.at is not None and before < one.claim.said_at):
            fresh.append((found, one))
    return fresh


def _answer(profile_id: uuid.UUID, outcome: Outcome, found: FoundFact, actor: str) -> None:
    """What the person turned down there is turned down here."""
    if found.rejected and outcome.did is Did.PROPOSED and outcome.fact_id:
        facts.refuse(profile_id, outcome.fact_id, actor=actor)
