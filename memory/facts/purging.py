"""The text of deleted facts leaves the rows, quotes, summaries and passages beside them, and the log.

Ids and keys are left; so are the chats themselves, which go with their conversation.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Q

from memory import audit, bulk, entities, episodes, passages, work
from memory.db import profile_scope
from memory.domain.stating import echoes, states, states_by_itself, telling
from memory.domain.text import same_form
from memory.facts.locking import lock
from memory.facts.quoting import mask_beside
from memory.models import AuditLog, Event, Fact, FactSource, FactState
from memory.search import mentions
from memory.search.given import past_facts

FACT_EVENTS = "memory.fact."
TEXT_FIELDS = ("value", "quote")


def purge(*, profile_id: uuid.UUID, before: datetime, most: int) -> int:
    """Purge facts that were deleted before a time, at most so many. Returns how many; a second call finds none."""
    with profile_scope(profile_id):
        lock(profile_id)
        due = Fact.objects.filter(profile_id=profile_id, state=FactState.DELETED, deleted_at__lte=before)
        found = list(due.exclude(value="").order_by("deleted_at", "id").select_for_update()[:most])
        if found:
            _purge(profile_id, found)
    return len(found)


def _purge(profile_id: uuid.UUID, found: Sequence[Fact]) -> None:
    ids = [row.id for row in found]
    _redact_log(profile_id, found)
    bulk.update(mask_beside(profile_id, found), ("quote",))
    taught = set(FactSource.objects.filter(fact__in=ids).values_list("audit_id", flat=True))
    taught |= {row.source_audit_id for row in found if row.source_audit_id is not None}
    work.drop_raw_replies(profile_id=profile_id, audit_ids=taught)
    said = [(row.value, row.quote) for row in found]
    values = [mentions.Value(row.value, row.deleted_at) for row in found if row.deleted_at]
    others = mentions.chats(profile_id=profile_id, values=[v for v in values if telling(v.text)]) - taught
    by_name = mentions.chats(profile_id=profile_id, values=[v for v in values if not telling(v.text)]) - taught
    given = past_facts(profile_id=profile_id, chats=by_name)
    told_by_name = {chat for row in found for chat in given.get(row.id, ())}
    for where in (episodes, passages):
        where.strike(
            profile_id=profile_id,
            audit_ids=taught,
            says=lambda text: any(states(text, value, quote) for value, quote in said),
        )
        where.strike(
            profile_id=profile_id,
            audit_ids=others,
            says=lambda text: any(states_by_itself(text, value) for value, _ in said),
        )
        where.strike(
            profile_id=profile_id,
            audit_ids=told_by_name,
            says=lambda text: any(echoes(text, value) for value, _ in said),
        )
    Fact.objects.filter(id__in=ids).update(value="", value_norm="", terms=[], quote="", reasons=[])
    entities.forget(profile_id=profile_id, fact_ids=ids)
    audit.record_many(
        audit.Entry(Event.FACT_DELETED, profile_id, {"fact_id": str(row.id), "key": row.key}, space_id=row.space_id)
        for row in found
    )


def _redact_log(profile_id: uuid.UUID, found: Sequence[Fact]) -> None:
    """What the log tells of the values: rows about these facts, and about their keys unless the value holds again."""
    ids = {str(row.id) for row in found}
    norms = {row.value_norm for row in found}
    quotes = {row.quote for row in found if row.quote}
    again = _told_again(profile_id, found)
    about = Q(payload__fact_id__in=list(ids)) | Q(payload__key__in=sorted({r.key for r in found if r.key}))
    for row_id in ids:
        about |= Q(payload__old__contains=[{"fact_id": row_id}])
    log = AuditLog.objects.filter(about, profile_id=profile_id, event_type__startswith=FACT_EVENTS)
    touched: list[int] = []
    texts: set[str] = set()
    for audit_id, payload in log.order_by("id").values_list("id", "payload"):
        if not (ids & _named(payload)) and payload.get("key") in again:
            continue
        hits = {text for text in _texts(payload) if text in quotes or same_form(text) in norms}
        if hits:
            touched.append(audit_id)
            texts |= hits
    if touched:
        with connection.cursor() as cursor:
            cursor.execute("SELECT audit_redact_texts(%s, %s)", [touched, sorted(texts)])


def _told_again(profile_id: uuid.UUID, found: Sequence[Fact]) -> set[str | None]:
    """The keys under which one of the values stands again in a fact that was not deleted."""
    keys = {row.key for row in found}
    norms = {row.value_norm for row in found}
    there = Fact.objects.filter(profile_id=profile_id, key__in=[k for k in keys if k], value_norm__in=norms)
    return set(there.exclude(state=FactState.DELETED).values_list("key", flat=True))


def _named(payload: dict[str, Any]) -> set[str]:
    """The facts that a row of the log is about."""
    old = payload.get("old")
    others = [each.get("fact_id") for each in old if isinstance(each, dict)] if isinstance(old, list) else []
    return {str(each) for each in (payload.get("fact_id"), *others) if each}


def _texts(told: Any) -> Iterator[str]:
    """The texts in the fields that hold a fact's words, at any depth."""
    if isinstance(told, dict):
        for name, inner in told.items():
            if name in TEXT_FIELDS and isinstance(inner, str):
                yield inner
            else:
                yield from _texts(inner)
    elif isinstance(told, list):
        for inner in told:
            yield from _texts(inner)
