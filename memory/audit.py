"""The only writer of the audit log. A row is written in the transaction of what it tells about."""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection

from memory import bulk
from memory.domain.text import clamp
from memory.models import AuditLog, Event

MAX_STRING = 16 * 1024
MAX_CHAT_TEXT = 64 * 1024


@dataclass(frozen=True)
class Entry:
    """One thing that happened. `actor` is person, operator, worker or system."""

    event: Event
    profile_id: uuid.UUID | None
    payload: dict[str, Any] = field(default_factory=dict)
    actor: str = "system"
    conversation_id: uuid.UUID | None = None
    space_id: uuid.UUID | None = None
    said_at: datetime | None = None
    mine_facts: bool = False
    mine_summary: bool = False
    id: int | None = None


def record(entry: Entry) -> None:
    """Write one row. Who needs to name it draws its id before."""
    record_many([entry])


def record_many(entries: Iterable[Entry]) -> None:
    """Write rows in one statement, in the order given."""
    rows = [
        AuditLog(
            id=entry.id,
            profile_id=entry.profile_id,
            event_type=entry.event.value,
            actor=entry.actor,
            conversation_id=entry.conversation_id,
            space_id=entry.space_id,
            said_at=entry.said_at,
            mine_facts=entry.mine_facts,
            mine_summary=entry.mine_summary,
            payload=storable(entry.payload, MAX_CHAT_TEXT if entry.event is Event.CHAT_COMPLETED else MAX_STRING),
        )
        for entry in entries
    ]
    bulk.run(bulk.inserts(rows))


def draw() -> tuple[int, datetime]:
    """The id of a row that will be written later, so that it can be named before; and the database's time now."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('audit_log', 'id')), clock_timestamp()")
        row_id, now = cursor.fetchone()
        return int(row_id), now


def draw_ids(count: int) -> list[int]:
    """Ids of rows that will be written later, in order."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('audit_log', 'id')) FROM generate_series(1, %s)", [count])
        return sorted(int(row[0]) for row in cursor.fetchall())


def draw_id() -> int:
    """The id alone."""
    return draw()[0]


def storable(value: Any, limit: int = MAX_STRING) -> Any:
    """A JSON value that PostgreSQL takes: no NUL, no half characters, no NaN, strings cut at `limit`."""
    if isinstance(value, str):
        return clamp(storable_text(value), limit)
    if isinstance(value, bool) or value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {storable_text(str(k))[:200]: storable(v, limit) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [storable(v, limit) for v in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return clamp(storable_text(str(value)), limit)


def storable_text(text: str) -> str:
    """The text without what PostgreSQL cannot hold: NUL is removed, a lone surrogate becomes U+FFFD."""
    if "\0" in text:
        text = text.replace("\0", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
