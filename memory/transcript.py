"""What stored chats say, as messages that can be read: who said it, when, and whether it is new."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import reduce
from operator import and_
from typing import Any

from django.db.models import QuerySet

from memory import consent
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
    chats = _chats(kinds, conversation_id, after)
    rows = list(chats.filter(id__in=audit_ids).order_by("said_at", "id"))
    if not rows:
        return []
    before = chats.filter(said_at__lt=rows[0].said_at).order_by("-said_at").first()
    return [*_context(before), *(message for row in rows for message in messages(row))]


def since(
    *, kind: WorkKind, conversation_id: uuid.UUID, at: datetime | None, most: int, after: int = 0
) -> list[Message]:
    """The messages of the conversation from a time (or its beginning) on, of at most so many chats: the newest."""
    rows = _chats([kind], conversation_id, after)
    if at is not None:
        rows = rows.filter(said_at__gte=at)
    newest = list(rows.order_by("-said_at", "-id")[:most])
    return [message for row in reversed(newest) for message in messages(row)]


def _chats(kinds: Collection[WorkKind], conversation_id: uuid.UUID, after: int) -> QuerySet[AuditLog]:
    readable = reduce(and_, map(consent.readable, kinds))
    return AuditLog.objects.filter(
        readable, conversation_id=conversation_id, event_type=Event.CHAT_COMPLETED, id__gt=after
    )


def messages(row: AuditLog) -> Iterable[Message]:
    """The messages of one chat row that are new in it, the answer last.

    What was said before and sent again is left out: it may be from a time without consent.
    """
    payload: dict[str, Any] = row.payload
    for message in payload.get("messages", []):
        if not message.get("known", False):
            yield Message(
                role=str(message.get("role", "")),
                text=str(message.get("text", "")),
                at=row.said_at,
                audit_id=row.id,
                space_id=row.space_id,
            )
    answer = payload.get("answer") or {}
    if answer.get("text"):
        text = str(answer["text"])
        yield Message(role="assistant", text=text, at=row.said_at, audit_id=row.id, space_id=row.space_id)


def _context(row: AuditLog | None) -> list[Message]:
    if row is None:
        return []
    last = list(messages(row))[-CONTEXT_MESSAGES:]
    return [replace(m, text=m.text[:CONTEXT_CHARS], new=False) for m in last]
