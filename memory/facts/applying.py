"""Writes what a reading taught: added, confirmed, updated, closed, proposed."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q

from memory import audit, bulk, entities, hashing, key_aliases
from memory.domain import merge
from memory.domain.merge import Did, Known, Outcome, Plan
from memory.domain.types import Category, Op, Stance
from memory.facts import rows as facts
from memory.facts.deleting import mark_deleted
from memory.facts.quoting import mask_beside
from memory.models import Event, Fact, FactSource, FactState, SourceKind, Tombstone, TombstoneKind

EVENTS = {
    Did.ADDED: Event.FACT_ADDED,
    Did.CONFIRMED: Event.FACT_CONFIRMED,
    Did.UPDATED: Event.FACT_UPDATED,
    Did.RETRACTED: Event.FACT_RETRACTED,
    Did.PROPOSED: Event.FACT_PROPOSED,
    Did.HISTORY: Event.FACT_UPDATED,
    Did.FORGOTTEN: Event.FACT_USER_DELETED,
}
NEVER_HELD = (FactState.PENDING, FactState.REJECTED)


@dataclass(frozen=True)
class Told:
    """A claim together with what only its row keeps."""

    claim: merge.Claim
    category: Category
    importance: float
    stance: Stance
    quote: str
    source_kind: SourceKind = SourceKind.EXTRACTED
    valid_from: datetime | None = None
    sensitive: bool = False
    prompt_version: str = ""
    model: str = ""


def apply(*, profile_id: uuid.UUID, told: Sequence[Told], conversation_id: uuid.UUID | None) -> list[Outcome]:
    """Write what a reading taught. Call inside the profile's scope, under `lock`.

    The number of queries does not depend on the number of claims.
    """
    if not told:
        return []
    rows = _touched(profile_id, told)
    over = [row for row in rows if facts.has_expired(row)]
    heard = _heard(rows, told)
    answered = _answered(profile_id, told)
    claims = [_with_answer(t.claim, answered) for t in told]
    plan = merge.plan([_known(row, heard.get(row.id, frozenset())) for row in rows], claims)
    _write(profile_id, plan, {row.id: row for row in rows}, {t.claim.id: t for t in told}, {row.id for row in over})
    audit.record_many([*facts.expired_entries(over), *_entries(profile_id, plan, conversation_id)])
    return plan.outcomes


def _touched(profile_id: uuid.UUID, told: Sequence[Told]) -> list[Fact]:
    """The facts that the claims may touch, locked in the order of ids."""
    keys = {t.claim.key for t in told if t.claim.key is not None}
    loose = {t.claim.value_norm for t in told if t.claim.key is None}
    about = Q(key__in=keys) | Q(key__isnull=True, value_norm__in=loose)
    if forget := {t.claim.value_norm for t in told if t.claim.forget}:
        about |= Q(value_norm__in=forget) | Q(superseded_by__key__isnull=True, superseded_by__value_norm__in=forget)
    rows = Fact.objects.filter(about, profile_id=profile_id)
    # What was deleted still says when something was said; what never held says nothing any more.
    rows = rows.exclude(state=FactState.DELETED, was_state__in=[s.value for s in NEVER_HELD])
    return list(rows.order_by("id").select_for_update(of=("self",)))


def _heard(rows: Sequence[Fact], told: Sequence[Told]) -> dict[uuid.UUID, frozenset[int]]:
    """Which of the claims' chats are evidence for which fact already."""
    audits = {t.claim.audit_id for t in told}
    pairs = FactSource.objects.filter(fact__in=rows, audit_id__in=audits).values_list("fact_id", "audit_id")
    heard: dict[uuid.UUID, frozenset[int]] = {}
    for fact_id, audit_id in pairs:
        heard[fact_id] = heard.get(fact_id, frozenset()) | {audit_id}
    return heard


def _known(fact: Fact, heard_in: frozenset[int]) -> Known:
    """The row as the domain sees it: a fact whose time is over is closed, even if no sweep has done it yet."""
    seen = facts.known(fact, heard_in)
    return replace(seen, state="retracted", valid_to=fact.expires_at) if facts.has_expired(fact) else seen


def _answered(profile_id: uuid.UUID, told: Sequence[Told]) -> dict[uuid.UUID, list[tuple[str, datetime]]]:
    """What the person has said to each claim, under whatever spelling of its key."""
    alike = key_aliases.alike(profile_id)
    digests: dict[bytes, list[uuid.UUID]] = {}
    for claim in (t.claim for t in told):
        for key in alike.get(claim.key or "", (claim.key,)):
            digest = hashing.value_digest(claim.space_id, key, claim.value_norm, closing=claim.op is Op.RETRACT)
            digests.setdefault(digest, []).append(claim.id)
    answers = Tombstone.objects.filter(profile_id=profile_id, digest__in=digests)
    found: dict[uuid.UUID, list[tuple[str, datetime]]] = {}
    for known, kind, at in answers.order_by("at").values_list("digest", "kind", "at"):
        for claim_id in digests[bytes(known)]:
            found.setdefault(claim_id, []).append((kind, at))
    return found


def _with_answer(claim: merge.Claim, answered: dict[uuid.UUID, list[tuple[str, datetime]]]) -> merge.Claim:
    for kind, at in answered.get(claim.id, ()):
        answer = {"rejected": True} if kind == TombstoneKind.REJECTED else {"deleted_at": at}
        claim = replace(claim, **answer)
    return claim


def _write(
    profile_id: uuid.UUID,
    plan: Plan,
    rows: dict[uuid.UUID, Fact],
    told: dict[uuid.UUID, Told],
    over: set[uuid.UUID],
) -> None:
    """Close before insert, so that there is never a second current value."""
    now = datetime.now(UTC)
    heard = {fact_id for fact_id, _ in plan.evidence}
    touched = {*plan.changed, *over, *(heard & set(rows))}
    saved = [_changed(rows[i], plan.changed.get(i), i in heard, i in over, now) for i in sorted(touched)]
    for fact_id, claim in plan.clearer.items():
        if fact_id in rows:
            _reword(rows[fact_id], told[claim.id])
    for batch in (
        [row for row in saved if row.state != FactState.CURRENT],
        [row for row in saved if row.state == FactState.CURRENT],
    ):
        bulk.update(batch, CHANGING)
    made = [_made(profile_id, fact, claim, told[claim.id], now) for claim, fact in plan.new.values()]
    entities.place(profile_id=profile_id, facts=[row for row in made if row.op != Op.RETRACT])
    Fact.objects.bulk_create(made)
    FactSource.objects.bulk_create(
        [FactSource(profile_id=profile_id, fact_id=f, audit_id=a) for f, a in sorted(plan.evidence)],
        ignore_conflicts=True,
    )
    gone = [row for row in (*saved, *made) if row.state == FactState.DELETED and row.op != Op.RETRACT]
    mask_beside(profile_id, gone, {t.claim.audit_id for t in told.values()})
    facts.bury(profile_id, plan.forgotten)


CHANGING = (
    "state",
    "was_state",
    "confidence",
    "said_at",
    "first_seen_at",
    "last_confirmed_at",
    "valid_from",
    "valid_to",
    "superseded_by",
    "edit_count",
    "evidence_count",
    "reasons",
    "quote",
    "source_audit",
    "stance",
    "prompt_version",
    "model",
    "deleted_at",
    "version",
)


def _changed(row: Fact, now: Known | None, heard: bool, over: bool, at: datetime) -> Fact:
    row.evidence_count += heard
    if over:
        row.state, row.valid_to = FactState.RETRACTED, row.expires_at
    row.version += over or now is not None
    if now is None:
        return row
    if now.state == "deleted":
        mark_deleted(row, at)
        return row
    if row.state == FactState.PENDING:
        row.reasons = list(now.reasons) if now.state == FactState.PENDING else []
    row.state, row.confidence, row.said_at = FactState(now.state), now.confidence, now.said_at
    if now.since < row.first_seen_at:
        row.first_seen_at = now.since
        row.valid_from = min(row.valid_from or now.since, now.since)
    row.last_confirmed_at = now.last_confirmed_at or row.last_confirmed_at
    row.valid_to, row.superseded_by_id, row.edit_count = now.valid_to, now.superseded_by, now.edit_count
    return row


def _reword(row: Fact, told: Told) -> None:
    """A row that waited for want of clear words gets those that make it clear."""
    row.quote, row.source_audit_id, row.stance = told.quote, told.claim.audit_id, told.stance.value
    row.prompt_version, row.model = told.prompt_version, told.model


def _made(profile_id: uuid.UUID, known: Known, claim: merge.Claim, told: Told, at: datetime) -> Fact:
    """The row of a new fact; `claim` may have more doubts than the one that was told."""
    return Fact(
        id=known.id,
        profile_id=profile_id,
        space_id=claim.space_id,
        key=claim.key,
        value=claim.value,
        value_norm=claim.value_norm,
        category=told.category.value,
        state=known.state,
        was_state=known.was_state if known.state == "deleted" else "",
        deleted_at=at if known.state == "deleted" else None,
        cardinality=claim.cardinality.value,
        confidence=known.confidence,
        importance=told.importance,
        source_kind=told.source_kind.value,
        source_audit_id=claim.audit_id,
        quote="" if claim.forget else told.quote,
        reasons=list(known.reasons),
        sensitive=told.sensitive,
        op=claim.op.value if claim.op is Op.RETRACT else Op.SET.value,
        stance=told.stance.value,
        edit_count=known.edit_count,
        said_at=known.said_at,
        first_seen_at=claim.said_at,
        last_confirmed_at=known.last_confirmed_at or claim.said_at,
        valid_from=told.valid_from or claim.said_at,
        valid_to=known.valid_to,
        superseded_by_id=known.superseded_by,
        prompt_version=told.prompt_version,
        model=told.model,
    )


def _entries(profile_id: uuid.UUID, plan: Plan, conversation_id: uuid.UUID | None) -> list[audit.Entry]:
    """What the log tells of each outcome; a claim that changed nothing leaves no row."""
    entries = []
    for outcome in plan.outcomes:
        event = EVENTS.get(outcome.did)
        if event is None:
            continue
        claim = outcome.claim
        payload: dict[str, Any] = {"fact_id": str(outcome.fact_id), "key": claim.key, "source_audit_id": claim.audit_id}
        if outcome.did is Did.FORGOTTEN:
            payload |= _forgotten(plan, outcome)
        else:
            payload |= {"value": claim.value, "confidence": claim.confidence}
        if claim.op is Op.RETRACT:
            payload["op"] = Op.RETRACT.value
        if outcome.old:
            payload["old"] = [{"fact_id": str(f.id), "value": f.value} for f in outcome.old]
        if outcome.did is Did.HISTORY:
            payload["history"] = True
        if outcome.did is Did.PROPOSED:
            payload["reasons"] = list(plan.new[claim.id][0].reasons)
        entries.append(audit.Entry(event, profile_id, payload, "worker", conversation_id, claim.space_id))
    return entries


def _forgotten(plan: Plan, outcome: Outcome) -> dict[str, Any]:
    """What the log tells of a wish to forget: which facts went, nothing of what they said."""
    rows = {**plan.changed, **{fact_id: fact for fact_id, (_, fact) in plan.new.items()}}
    gone = sorted(str(f.id) for f in rows.values() if f.state == "deleted" and not f.closes)
    fact = rows[outcome.fact_id] if outcome.fact_id else None
    return {
        "key": fact.key if fact else None,
        "asked_for": True,
        "with": [i for i in gone if i != str(outcome.fact_id)],
    }
