"""Writes what a reading taught: added, confirmed, updated, closed, proposed."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from memory import audit, bulk, entities, hashing, key_aliases, sql
from memory.domain import merge
from memory.domain.cardinality import of_one_kind
from memory.domain.merge import Did, Known, Outcome, Plan
from memory.domain.types import Category, Op, Stance
from memory.facts import quoting
from memory.facts import rows as facts
from memory.facts.deleting import mark_deleted
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


@dataclass(frozen=True)
class Told:
    """A claim together with what only its row keeps, and the spellings of its key (None: they are still to be read)."""

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
    spellings: frozenset[str | None] | None = None
    expires_at: datetime | None = None
    pinned: bool = False


def apply(
    *,
    profile_id: uuid.UUID,
    told: Sequence[Told],
    conversation_id: uuid.UUID | None,
    review_most: int = merge.MOST_REVIEWED,
    actor: str = "worker",
) -> list[Outcome]:
    """Write what a reading (or an import) taught. Call inside the profile's scope, under `lock`.

    Of each chat, `review_most` questions at most are asked of who reviews everything. The number of queries does not
    depend on the number of claims.
    """
    if not told:
        return []
    rows = _touched(profile_id, told)
    over = {row.id for row in rows if facts.has_expired(row)}
    known = [_known(row) for row in rows]
    answered = _answered(profile_id, told)
    claims = [answered.get(t.claim.id, t.claim) for t in told]
    plan = merge.plan(known, of_one_kind(claims, known), review_most=review_most)
    _write(profile_id, plan, {row.id: row for row in rows}, {t.claim.id: t for t in told}, over)
    expired = facts.expired_entries(row for row in rows if row.id in over)
    audit.record_many([*expired, *_entries(profile_id, plan, conversation_id, actor)])
    return plan.outcomes


def _touched(profile_id: uuid.UUID, told: Sequence[Told]) -> list[Fact]:
    """The facts that the claims may touch, locked; `heard` are those of the claims' chats that are evidence already."""
    about: dict[str, Any] = {
        "profile": profile_id,
        "keys": sorted({t.claim.key for t in told if t.claim.key is not None}),
        "loose": sorted({t.claim.value_norm for t in told if t.claim.key is None}),
        "forget": sorted({t.claim.value_norm for t in told if t.claim.forget}),
        "chats": sorted({t.claim.audit_id for t in told}),
        "values": sorted({t.claim.value_norm for t in told}),
    }
    return list(Fact.objects.raw(sql.read("touched"), about))


def _known(fact: Fact) -> Known:
    """The row as the domain sees it: a fact whose time is over is closed, even if no sweep has done it yet."""
    seen = facts.known(fact, frozenset(fact.heard))  # type: ignore[attr-defined]
    return replace(seen, state="retracted", valid_to=facts.expired_at(fact)) if facts.has_expired(fact) else seen


def _answered(profile_id: uuid.UUID, told: Sequence[Told]) -> dict[uuid.UUID, merge.Claim]:
    """The claims to which the person has said something, under whatever spelling of their keys, with their answers."""
    alike = key_aliases.alike(profile_id) if any(t.spellings is None for t in told) else {}
    exact: dict[bytes, list[merge.Claim]] = {}
    anywhere: dict[bytes, list[merge.Claim]] = {}
    for t in told:
        claim = t.claim
        closing = claim.op is Op.RETRACT
        for key in t.spellings or alike.get(claim.key or "") or (claim.key,):
            exact.setdefault(hashing.value_digest(key, claim.value_norm, closing=closing), []).append(claim)
        loose = None if closing else hashing.anywhere_digest(claim.value_norm)
        if loose is not None:
            anywhere.setdefault(loose, []).append(claim)
    found: dict[uuid.UUID, merge.Claim] = {}
    answers = Tombstone.objects.filter(profile_id=profile_id, digest__in=[*exact, *anywhere])
    for digest, kind, at in answers.order_by("at").values_list("digest", "kind", "at"):
        answer = {"rejected": True} if kind == TombstoneKind.REJECTED else {"deleted_at": at}
        for claim in exact.get(bytes(digest), ()):
            found[claim.id] = replace(found.get(claim.id, claim), **answer)
        for claim in anywhere.get(bytes(digest), ()):
            found[claim.id] = replace(found.get(claim.id, claim), deleted_elsewhere_at=at)
    return found


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
    were_held = {row.id for row in rows.values() if row.state == FactState.CURRENT}
    touched = {*plan.changed, *over, *(heard & set(rows))}
    saved = [_changed(rows[i], plan.changed.get(i), i in heard, i in over, now) for i in sorted(touched)]
    for fact_id, claim in plan.clearer.items():
        if fact_id in rows:
            _reword(rows[fact_id], told[claim.id])
    made = [_made(profile_id, fact, claim, told[claim.id], now) for claim, fact in plan.new.values()]
    quoting.clear([*made, *(rows[i] for i in plan.clearer if i in rows)], rows.values())
    gone = [row for row in (*saved, *made) if row.state == FactState.DELETED and row.op != Op.RETRACT]
    masked = quoting.mask_beside(profile_id, gone, {t.claim.audit_id for t in told.values()}, among=[*saved, *made])
    # What begins to hold is written after what gives way to it.
    rises = {row.id for row in saved if row.state == FactState.CURRENT} - were_held
    bulk.update([row for row in (*saved, *masked) if row.id not in rises], CHANGING)
    entities.place(profile_id=profile_id, facts=[row for row in made if row.op != Op.RETRACT])
    evidence = [FactSource(profile_id=profile_id, fact_id=f, audit_id=a) for f, a in sorted(plan.evidence)]
    bulk.run(
        bulk.updates([row for row in saved if row.id in rises], CHANGING),
        bulk.inserts(made),
        bulk.inserts(evidence, skip_known=True),
        facts.burial(profile_id, plan.forgotten),
    )


CHANGING = (
    "state",
    "was_state",
    "cardinality",
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
        row.state, row.valid_to = FactState.RETRACTED, facts.expired_at(row)
    row.version += over or now is not None
    if now is None:
        return row
    if now.state == "deleted":
        mark_deleted(row, at)
        return row
    if row.state == FactState.PENDING:
        row.reasons = list(now.reasons) if now.state == FactState.PENDING else []
    row.state, row.confidence, row.said_at = FactState(now.state), now.confidence, now.said_at
    row.cardinality = now.cardinality.value
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
        pinned=told.pinned,
        expires_at=told.expires_at,
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


def _entries(profile_id: uuid.UUID, plan: Plan, conversation_id: uuid.UUID | None, actor: str) -> list[audit.Entry]:
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
        entries.append(audit.Entry(event, profile_id, payload, actor, conversation_id, claim.space_id))
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
