"""Reads of the log for a person who looks through it, newest first. Call inside the profile's scope."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from memory import overview, sql
from memory.models import AuditLog, Event
from memory.overview import AuditFilter

LAST = 2**63 - 1
# A row's time is that of the beginning of its transaction, its id is drawn later: near each other they may disagree.
SKEW = timedelta(minutes=2)


@dataclass(frozen=True)
class Wanted:
    """What the log is narrowed by; None, or no events, means any. `since` is included, `until` is not."""

    events: tuple[Event, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    conversation_id: str | None = None


def newest(*, profile_id: uuid.UUID, wanted: Wanted, before: int | None = None, most: int) -> list[AuditLog]:
    """The newest rows, or those before an id. A bounded number of queries, quick in a log of a million rows."""
    first = _place(profile_id, wanted.since - SKEW) if wanted.since else 0
    end = _place(profile_id, wanted.until + SKEW) if wanted.until else LAST
    end = min(end, before if before is not None else LAST)
    narrowed = AuditFilter(since=wanted.since, until=wanted.until, conversation_id=wanted.conversation_id)
    rows = overview.audit_listed(profile_id=profile_id, wanted=narrowed).filter(id__gte=first, id__lt=end)
    rows = rows.order_by("-id")
    if wanted.conversation_id:
        chosen = rows.filter(event_type__in=wanted.events) if wanted.events else rows
        return list(chosen[:most])
    if not wanted.events:
        return list(rows[:most])
    found: list[AuditLog] = []
    # Near its ends a span of time may have ids whose times lie outside: then there is another round.
    while len(found) < most:
        ids = _ids(profile_id, wanted.events, first, end, most)
        found += rows.filter(id__in=ids)[: most - len(found)]
        if len(ids) < most or not (wanted.since or wanted.until):
            break
        end = ids[-1]
    return found


def _ids(profile_id: uuid.UUID, events: Sequence[Event], first: int, before: int, most: int) -> list[int]:
    with connection.cursor() as cursor:
        names = [event.value for event in events]
        sent: dict[str, Any] = {
            "events": names,
            "profile_id": profile_id,
            "first": first,
            "before": before,
            "most": most,
        }
        cursor.execute(sql.read("audit_newest"), sent)
        return [row[0] for row in cursor.fetchall()]


def _place(profile_id: uuid.UUID, at: datetime) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql.read("audit_place"), {"profile_id": profile_id, "at": at})
        return int(cursor.fetchone()[0])
