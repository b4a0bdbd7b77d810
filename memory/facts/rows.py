"""What the verbs on facts share: rows locked, closed, folded into one another, buried and forgiven.

Call all of it inside the profile's scope, under `lock`.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db.models import F, Q

from memory import audit, bulk, hashing, key_aliases
from memory.domain.known import Known, Value, confirmed_confidence
from memory.domain.types import Cardinality, Op
from memory.errors import Conflict, NotFound
from memory.models import Event, Fact, FactSource, FactState, Tombstone, TombstoneKind
from memory.models.fields import new_id, terms_of

FOLDED = "folded"  # the reason on a proposal that said what was known: it is no value that the key had


def known(fact: Fact, heard_in: frozenset[int] = frozenset()) -> Known:
    """A row as the domain sees it."""
    return Known(
        id=fact.id,
        space_id=fact.space_id,
        key=fact.key,
        value=fact.value,
        value_norm=fact.value_norm,
        state=fact.state,
        cardinality=Cardinality(fact.cardinality),
        said_at=fact.said_at,
        confidence=fact.confidence,
        pinned=fact.pinned,
        edit_count=fact.edit_count,
        valid_to=fact.valid_to,
        superseded_by=fact.superseded_by_id,
        last_confirmed_at=fact.last_confirmed_at,
        op=Op(fact.op),
        heard_in=heard_in,
        first_said_at=fact.first_seen_at,
        was_state=fact.was_state,
        deleted_at=fact.deleted_at,
        reasons=tuple(fact.reasons),
    )


def locked(profile_id: uuid.UUID, fact_id: uuid.UUID, version: int | None = None) -> Fact:
    """The row, unless it is deleted. Raises NotFound; Conflict where it has another version by now."""
    rows = Fact.objects.select_for_update().filter(profile_id=profile_id, id=fact_id)
    fact = rows.exclude(state=FactState.DELETED).first()
    if fact is None:
        raise NotFound("There is no such fact.")
    if version is not None and version != fact.version:
        raise Conflict("Somebody changed this fact meanwhile: load it again.")
    return fact


def held(
    profile_id: uuid.UUID,
    key: str | None,
    space_id: uuid.UUID | None,
    value_norm: str,
    *,
    but: uuid.UUID | None = None,
) -> list[Fact]:
    """What holds now of a key in a scope (without a key, of the value), but for one row, in order of ids.

    What has expired is closed on the way.
    """
    about = (Q(key=key) if key is not None else Q(key__isnull=True, value_norm=value_norm)) & Q(space_id=space_id)
    about &= ~Q(id=but) if but else Q()
    found = Fact.objects.filter(about, profile_id=profile_id, state=FactState.CURRENT)
    rows = list(found.order_by("id").select_for_update())
    over = [row for row in rows if has_expired(row)]
    expire(over)
    return [row for row in rows if row not in over]


def kind_of(fact: Fact) -> str:
    """Whether its key holds one value or many: what holds now under it decides, wherever that is; else the fact."""
    if fact.key is None:
        return Cardinality.MANY.value
    there = Fact.objects.filter(profile_id=fact.profile_id, key=fact.key, state=FactState.CURRENT).exclude(id=fact.id)
    kinds = set(there.values_list("cardinality", flat=True))
    return Cardinality.MANY.value if Cardinality.MANY.value in kinds else next(iter(kinds), fact.cardinality)


def has_expired(fact: Fact) -> bool:
    """Whether its time is over though no sweep has closed it yet."""
    at = fact.expires_at
    return fact.state == FactState.CURRENT and at is not None and at <= datetime.now(UTC)


def expired_at(fact: Fact) -> datetime | None:
    """When its time was over; where a person says that it was before all that is known of it, from the beginning."""
    return fact.expires_at and max(fact.expires_at, fact.first_seen_at)


def expire(rows: Sequence[Fact]) -> None:
    """Close facts whose time is over; history keeps them, and the log says so once."""
    if not rows:
        return
    for row in rows:
        row.state, row.valid_to, row.version = FactState.RETRACTED, expired_at(row), row.version + 1
    bulk.update(rows, ("state", "valid_to", "version"))
    audit.record_many(expired_entries(rows))


def expired_entries(rows: Iterable[Fact]) -> list[audit.Entry]:
    return [
        audit.Entry(
            Event.FACT_EXPIRED,
            row.profile_id,
            {"fact_id": str(row.id), "key": row.key, "value": row.value, "expires_at": row.expires_at},
            space_id=row.space_id,
        )
        for row in rows
    ]


def close(rows: Sequence[Fact], *, state: FactState, at: datetime, by: uuid.UUID | None = None) -> None:
    """Let facts hold no longer: they stay as history, without their vectors."""
    if rows:
        Fact.objects.filter(id__in=[row.id for row in rows]).update(
            state=state, valid_to=at, superseded_by=by, version=F("version") + 1
        )


def rename(profile_id: uuid.UUID, ids: Sequence[uuid.UUID], key: str) -> None:
    """Put facts under another key."""
    found = list(Fact.objects.filter(profile_id=profile_id, id__in=ids).order_by("id"))
    for row in found:
        row.key, row.version = key, row.version + 1
        row.terms = terms_of(row)
    bulk.update(found, ("key", "version", "terms"))


def fold(waiting: Fact, into: Fact, at: datetime) -> None:
    """A proposal that says what holds already confirms it; its evidence goes over, itself into history."""
    taught = set(FactSource.objects.filter(fact=into).values_list("audit_id", flat=True))
    mine = FactSource.objects.filter(fact=waiting)
    news = mine.exclude(audit_id__in=taught)
    moved = [
        FactSource(profile_id=into.profile_id, fact=into, audit_id=audit_id)
        for audit_id in news.values_list("audit_id", flat=True)
    ]
    FactSource.objects.bulk_create(moved, ignore_conflicts=True)
    into.evidence_count += len(moved)
    into.confidence = confirmed_confidence(into.confidence, waiting.confidence)
    into.last_confirmed_at = max(into.last_confirmed_at, waiting.last_confirmed_at)
    into.version += 1
    into.save(update_fields=["evidence_count", "confidence", "last_confirmed_at", "version"])
    waiting.state, waiting.valid_to, waiting.superseded_by_id = FactState.SUPERSEDED, at, into.id
    waiting.reasons, waiting.version = [FOLDED], waiting.version + 1
    waiting.save(update_fields=["state", "valid_to", "superseded_by", "reasons", "version"])


def fold_waiting(fact: Fact, at: datetime) -> list[Fact]:
    """Fold the (other) proposals that say what this fact, which holds now or waits, says already."""
    same = Fact.objects.select_for_update().filter(
        Q(key=fact.key, space_id=fact.space_id),
        Q(op=Op.RETRACT.value) if fact.op == Op.RETRACT else ~Q(op=Op.RETRACT.value),
        profile_id=fact.profile_id,
        value_norm=fact.value_norm,
        state=FactState.PENDING,
    )
    waiting = list(same.exclude(id=fact.id).order_by("id"))
    for row in waiting:
        fold(row, fact, at)
    return waiting


def digests(profile_id: uuid.UUID, found: Iterable[Fact]) -> set[bytes]:
    """Those of the facts' values, under every spelling that is or once was one with their key, and under any key."""
    found = list(found)
    alike = key_aliases.alike(profile_id)
    exact = {
        hashing.value_digest(key, row.value_norm, closing=row.op == Op.RETRACT)
        for row in found
        for key in alike.get(row.key or "", (row.key,))
    }
    values = {row.value_norm for row in found if row.op != Op.RETRACT}
    return exact | {digest for digest in map(hashing.anywhere_digest, values) if digest is not None}


def bury(profile_id: uuid.UUID, values: Mapping[Value, datetime]) -> None:
    """Keep deleted values from coming back by what was said until then."""
    bulk.run(burial(profile_id, values))


def burial(profile_id: uuid.UUID, values: Mapping[Value, datetime]) -> bulk.Part | None:
    """What `bury` does."""
    if not values:
        return None
    times: dict[bytes, datetime] = {}
    for (key, value_norm), at in values.items():
        for digest in (hashing.value_digest(key, value_norm), hashing.anywhere_digest(value_norm)):
            if digest is not None:
                times[digest] = max(at, times.get(digest, at))
    return bulk.Part(
        "INSERT INTO tombstones (id, profile_id, digest, kind, at)"
        " SELECT t.id, %s, t.digest, %s, t.at FROM unnest(%s::uuid[], %s::bytea[], %s::timestamptz[])"
        " AS t (id, digest, at) ORDER BY t.digest"
        " ON CONFLICT (profile_id, digest, kind) DO UPDATE SET at = greatest(tombstones.at, excluded.at)",
        (profile_id, TombstoneKind.DELETED, [new_id() for _ in times], list(times), list(times.values())),
    )


def answer(fact: Fact, kind: TombstoneKind, at: datetime) -> None:
    """Remember what the person said to a claim, be it of a value or that something is over."""
    digest = hashing.value_digest(fact.key, fact.value_norm, closing=fact.op == Op.RETRACT)
    Tombstone.objects.update_or_create(profile_id=fact.profile_id, digest=digest, kind=kind, defaults={"at": at})


def forgive(fact: Fact) -> None:
    """Who writes or approves a value that they once deleted or rejected wants it."""
    Tombstone.objects.filter(profile_id=fact.profile_id, digest__in=digests(fact.profile_id, [fact])).delete()


def named(folded: Iterable[Fact]) -> dict[str, Any]:
    """How the log tells of proposals that were folded on the way."""
    ids = [str(row.id) for row in folded]
    return {"folded": ids} if ids else {}


def mentioned(rows: Iterable[Fact]) -> list[dict[str, Any]]:
    """Facts as the log names them beside the one that it tells about."""
    return [{"fact_id": str(row.id), "value": row.value} for row in rows]
