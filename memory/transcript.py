"""What stored chats say, as messages that can be read: who said it, when, and whether it is new."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import connection

from memory import consent, sql
from memory.domain.types import Message
from memory.models import AuditLog, Event, WorkKind

CONTEXT_MESSAGES = 2
CONTEXT_CHARS = 400


def read(
    *, kinds: Collection[WorkKind], conversation_id: uuid.UUID, audit_ids: Sequence[int], after: int = 0
) -> list[Message]:
    """The messages of these chats in order, after a little of what stood before. Call inside the profile's scope.

    A chat whose row is gone (swept, erased) gives none; so does one that may not be read for each of these kinds, or
    is not `after` that row of the log, and nothing of it is shown as what stood before.
    """
    wanted: dict[str, Any] = {
        "conversation_id": conversation_id,
        "audit_ids": list(audit_ids),
        "after": after,
        "facts": WorkKind.EXTRACT in kinds,
        "summaries": WorkKind.SUMMARISE in kinds,
    }
    with connection.cursor() as cursor:
        cursor.execute(sql.read("transcript"), wanted)
        rows = cursor.fetchall()
    found: list[Message] = []
    for audit_id, said_at, space_id, said, answer, fresh in rows:
        chat = _messages(_loaded(said), _loaded(answer), said_at, audit_id, space_id)
        found += chat if fresh else _context(list(chat))
    return found


def _loaded(value: str | None) -> Any:
    return json.loads(value) if value is not None else None


def since(
    *, kind: WorkKind, conversation_id: uuid.UUID, at: datetime | None, most: int, after: int = 0
) -> list[Message]:
    """The messages of the conversation from a time (or its beginning) on, of at most so many chats: the newest."""
    rows = AuditLog.objects.filter(
        consent.readable(kind), conversation_id=conversation_id, event_type=Event.CHAT_COMPLETED, id__gt=after
    )
    if at is not None:
        rows = rows.filter(said_at__gte=at)
    newest = list(rows.order_by("-said_at", "-id")[:most])
    return [message for row in reversed(newest) for message in messages(row)]


def messages(row: AuditLog) -> Iterable[Message]:
    """The messages of one chat row that are new in it, the answer last.

    What was said before and sent again is left out: it may be from a time without consent.
    """
    payload: dict[str, Any] = row.payload
    return _messages(payload.get("messages"), payload.get("answer"), row.said_at, row.id, row.space_id)


def _messages(
    said: Any, answer: Any, at: datetime | None, audit_id: int, space_id: uuid.UUID | None
) -> Iterable[Message]:
    for message in said or []:
        if not message.get("known", False):
            role, text = str(message.get("role", "")), str(message.get("text", ""))
            page = message.get("page")
            yield Message(
                role=role,
                text=text,
                at=at,
                audit_id=audit_id,
                space_id=space_id,
                document=str(message.get("document") or ""),
                page=page if isinstance(page, int) else None,
            )
    if answer and answer.get("text"):
        yield Message(role="assistant", text=str(answer["text"]), at=at, audit_id=audit_id, space_id=space_id)


def _context(chat: Sequence[Message]) -> list[Message]:
    return [replace(m, text=m.text[:CONTEXT_CHARS], new=False) for m in chat[-CONTEXT_MESSAGES:]]
