"""What a sweep would take, without taking it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from memory.db import operator_scope
from memory.sweep import Whose, before, due

# %(whose)s may be null: rows of nobody's.
WOULD_GO = """
WITH old AS MATERIALIZED (
  SELECT id, conversation_id, event_type = 'chat.completed' AS is_chat FROM audit_log
   WHERE profile_id IS NOT DISTINCT FROM %(whose)s::uuid AND at < %(before)s
),
chats AS MATERIALIZED (SELECT id, conversation_id FROM old WHERE is_chat),
touched AS MATERIALIZED (SELECT DISTINCT conversation_id AS id FROM chats WHERE conversation_id IS NOT NULL)
SELECT (SELECT count(*) FROM old),
       (SELECT count(*) FROM chats),
       (SELECT count(*) FROM work_items w WHERE w.audit_id IN (SELECT id FROM chats)
         AND w.state IN ('waiting', 'running', 'dead')),
       (SELECT count(*) FROM passages p WHERE p.profile_id = %(whose)s AND p.audit_id IN (SELECT id FROM chats)),
       (SELECT count(*) FROM episode_summaries e WHERE e.conversation_id IN (SELECT id FROM touched)
         AND e.source_audit_ids <> '{}' AND e.source_audit_ids <@ ARRAY(SELECT id FROM chats)),
       (SELECT count(*) FROM touched t WHERE NOT EXISTS (
          SELECT FROM audit_log a WHERE a.conversation_id = t.id AND a.event_type = 'chat.completed'
             AND a.at >= %(before)s)),
       (SELECT count(*) FROM off_record o WHERE o.profile_id = %(whose)s AND o.at < %(before)s)"""


@dataclass(frozen=True)
class Line:
    """What would go of one person's (no name: of nobody's)."""

    user: str
    profile: str
    audit_log: int
    chats: int
    unread: int
    passages: int
    episode_summaries: int
    conversations: int
    off_record: int


def plan() -> tuple[datetime, Sequence[Line]]:
    """Everything that is older than this time, person by person."""
    at = before()
    return at, list(_lines(at, due(at)))


def _lines(at: datetime, whose: Sequence[Whose]) -> Iterator[Line]:
    for each in whose:
        with operator_scope(), connection.cursor() as cursor:
            user, name = _named(cursor, each)
            cursor.execute(WOULD_GO, {"whose": each, "before": at})
            yield Line(user, name, *cursor.fetchone())


def _named(cursor: object, whose: uuid.UUID | None) -> tuple[str, str]:
    if whose is None:
        return "", ""
    cursor.execute(  # type: ignore[attr-defined]
        "SELECT u.username, p.name FROM profiles p JOIN auth_user u ON u.id = p.user_id WHERE p.id = %s", [whose]
    )
    row = cursor.fetchone()  # type: ignore[attr-defined]
    return (row[0], row[1]) if row else ("", "")
