"""Imported facts go in by the same door as all others: sensitive classes, what was deleted or rejected, what the
person wrote themselves, and review. What is known already is no new evidence, so that a second import changes nothing.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory import audit, facts, key_aliases, sensitive
from memory.db import now
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

MOST_FACTS = 100  # in one transaction
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


def batches(found: Iterable[FoundFact]) -> Iterator[list[FoundFact]]:
    """So many at once, and no key twice: what a file says of one key is a series of sayings, not one."""
    batch: list[FoundFact] = []
    keys: set[str] = set()
    for fact in found:
        if len(batch) == MOST_FACTS or fact.key in keys:
            yield batch
            batch, keys = [], set()
        batch.append(fact)
        if fact.key is not None:
            keys.add(fact.key)
    if batch:
        yield batch


def take(row: Import, batch: Sequence[FoundFact], *, where: Space, spaces: dict[str, uuid.UUID], actor: str) -> Taken:
    """Write what is new. Call inside the profile's scope, under `facts.lock`; `where` is its default space."""
    taken = Taken()
    profile = where.profile
    aliases, alike = key_aliases.both(profile.id)
    audit_id = audit.draw_id()
    at = now()
    told: list[Told] = []
    found_of: dict[uuid.UUID, FoundFact] = {}
    refused: set[SensitiveClass] = set()
    for n, found in enumerate(batch):
        value = read_value(found.value)
        key = canonical(found.key, aliases) if found.key else None
        if not isinstance(value, str) or (found.key and key is None):
            taken.counts["unusable"] += 1
            continue
        mark = sensitive.judge(Proposal(value, key), sensitive.policy_of(profile), quote="")
        if mark.handling is Handling.NEVER:
            refused |= set(mark.classes)
            taken.counts["refused as sensitive"] += 1
            continue
        said_at = min(found.at or at, at)
        reasons = tuple(_reasons(found, key, value, profile, mark))
        claim = Claim(
            id=new_id(),
            space_id=spaces.get(found.space) if found.space else None,
            key=key,
            value=value,
            value_norm=same_form(value),
            cardinality=cardinality_of(key, found.cardinality, None),
            op=Op.SET,
            confidence=found.confidence,
            said_at=said_at,
            audit_id=audit_id,
            current=not reasons,
            place=(0, n),
            reasons=reasons,
            said_in=where.id,
        )
        found_of[claim.id] = found
        told.append(
            Told(
                claim=claim,
                category=found.category,
                importance=found.importance,
                stance=Stance.ASSERTED,
                quote="",
                source_kind=SourceKind.IMPORTED,
                valid_from=found.valid_from and min(found.valid_from, said_at),
                sensitive=bool(mark.classes),
                spellings=alike.get(key or "", frozenset({key})),
                expires_at=found.expires_at,
                pinned=found.own and not reasons,
            )
        )
    if refused:
        audit.record(sensitive.refusal(profile.id, refused, actor=actor, import_id=str(row.id)))
    fresh = _unknown(profile.id, told, {claim_id for claim_id, found in found_of.items() if found.at is None})
    taken.counts["known"] += len(told) - len(fresh)
    if fresh:
        payload: dict[str, Any] = {"import_id": str(row.id), "format": row.format, "name": row.name}
        payload |= {"rows": {"facts": len(fresh)}}
        audit.record(audit.Entry(Event.IMPORTED, profile.id, payload, actor, id=audit_id))
        outcomes = facts.apply(
            profile_id=profile.id, told=fresh, conversation_id=None, review_most=len(fresh), actor=actor
        )
        for outcome in outcomes:
            taken.counts[BECAME.get(outcome.did, "known")] += 1
            _answer(profile.id, outcome, found_of[outcome.claim.id], actor)
    for each in told:
        valid_to = found_of[each.claim.id].valid_to
        if valid_to and valid_to <= at:
            taken.over.append(facts.Ended(each.claim.key, each.claim.value_norm, each.claim.said_at, valid_to))
    return taken


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


def _unknown(profile_id: uuid.UUID, told: Sequence[Told], timeless: set[uuid.UUID]) -> list[Told]:
    """Those that say something that was not said of the key at that time or later; without a time, at any."""
    norms = {t.claim.value_norm for t in told}
    there = Fact.objects.filter(profile_id=profile_id, value_norm__in=norms).exclude(state=FactState.DELETED)
    last: dict[tuple[str | None, str], datetime] = {}
    for key, norm, at in there.values_list("key", "value_norm", "said_at"):
        last[key, norm] = max(at, last.get((key, norm), at))
    found = [(each, last.get((each.claim.key, each.claim.value_norm))) for each in told]
    return [each for each, at in found if at is None or (at < each.claim.said_at and each.claim.id not in timeless)]


def _answer(profile_id: uuid.UUID, outcome: Outcome, found: FoundFact, actor: str) -> None:
    """What the person turned down there is turned down here."""
    if found.rejected and outcome.did is Did.PROPOSED and outcome.fact_id:
        facts.refuse(profile_id, outcome.fact_id, actor=actor)
