"""Reads of the summaries of conversations. Call inside the profile's scope."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import QuerySet

from memory import sql
from memory.domain.summary import Summary
from memory.models import AuditLog, EpisodeSummary, Event

REBUILT = "rebuilt"  # why a summary was deleted only to be written anew


@dataclass(frozen=True)
class Standing:
    """The summary of a conversation as a reading found it: up to when it tells, and of which chats."""

    id: uuid.UUID
    space_id: uuid.UUID
    summary: Summary
    said_at: datetime
    audit_ids: tuple[int, ...]


def standing(*, profile_id: uuid.UUID, conversation_id: uuid.UUID) -> tuple[Standing | None, int]:
    """The conversation's summary, where there is one, and the row of the log up to which nothing is summarised any
    more, since the person deleted it (or 0).
    """
    with connection.cursor() as cursor:
        cursor.execute(sql.read("standing"), {"profile_id": profile_id, "conversation_id": conversation_id})
        deleted_up_to, episode_id, space_id, text, details, said_at, audit_ids = cursor.fetchone()
    if episode_id is None:
        return None, deleted_up_to
    return Standing(episode_id, space_id, Summary(text, json.loads(details)), said_at, tuple(audit_ids)), deleted_up_to


def listed(*, profile_id: uuid.UUID, space: str | None = None, q: str | None = None) -> QuerySet[EpisodeSummary]:
    """The summaries of a profile, of one space or with a text in them."""
    rows = EpisodeSummary.objects.filter(profile_id=profile_id).select_related("space", "conversation")
    if space is not None:
        rows = rows.filter(space__slug=space, space__removed_at__isnull=True)
    return rows.filter(summary__icontains=q) if q else rows


def one(*, profile_id: uuid.UUID, episode_id: uuid.UUID) -> EpisodeSummary | None:
    return listed(profile_id=profile_id).filter(id=episode_id).first()


def recalls(*, episode: EpisodeSummary, most: int) -> list[AuditLog]:
    """The rows that say to which chats it was given, newest first, as far as the log still has them."""
    rows = AuditLog.objects.filter(conversation_id=episode.conversation_id, event_type=Event.EPISODE_RECALLED)
    return list(rows.filter(payload__episode_id=str(episode.id)).order_by("-id")[:most])


def scores_of(*, episodes: Sequence[EpisodeSummary], chat_audit_id: int) -> dict[uuid.UUID, dict[str, float]]:
    """Why each of them was given to a chat, as far as the log still says so."""
    rows = AuditLog.objects.filter(
        conversation_id__in=[row.conversation_id for row in episodes], event_type=Event.EPISODE_RECALLED
    )
    found = rows.filter(payload__chat_audit_id=chat_audit_id).values_list("payload", flat=True)
    return {uuid.UUID(payload["episode_id"]): payload for payload in found}


def chats_of(*, episode: EpisodeSummary, most: int) -> list[AuditLog]:
    """The chats of its conversation, newest first."""
    rows = AuditLog.objects.filter(conversation_id=episode.conversation_id, event_type=Event.CHAT_COMPLETED)
    return list(rows.order_by("-id")[:most])
