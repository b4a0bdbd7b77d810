"""Reading again what was read before: all summaries, or a range of chats. What a person deleted stays deleted."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import QuerySet

from memory import consent, episodes, work
from memory.cursor import enabled
from memory.db import operator_scope, profile_scope
from memory.errors import Conflict
from memory.models import AuditLog, Event, Profile, WorkKind


@dataclass(frozen=True)
class Again:
    """`items` of work wait again; `episodes` are gone until they are written anew."""

    items: int
    episodes: int = 0


def summaries(*, profile_ids: Collection[uuid.UUID] | None = None) -> Again:
    """Delete all summaries (of these profiles) whose chats may still be read, and let them be written anew.

    Raises Conflict where nobody would: summaries are switched off.
    """
    if not enabled(WorkKind.SUMMARISE):
        raise Conflict(
            "Summaries are switched off (CAESAR_MEMORY__EPISODES_SUMMARISE__ENABLED): nobody would write them."
        )
    items = gone = 0
    for profile_id in _profiles(profile_ids):
        with profile_scope(profile_id):
            readable = _chats(WorkKind.SUMMARISE)
            gone += episodes.wipe(
                profile_id=profile_id,
                conversation_ids=list(readable.order_by().values_list("conversation_id", flat=True).distinct()),
            )
            items += work.reopen(profile_id=profile_id, kind=WorkKind.SUMMARISE, audit_ids=readable.values("id"))
    return Again(items, gone)


def chats(
    *,
    first: int,
    last: int,
    kinds: Collection[WorkKind] = tuple(WorkKind),
    profile_ids: Collection[uuid.UUID] | None = None,
) -> Again:
    """Let the chats with these ids in the log be read again, as far as they may be."""
    items = 0
    for profile_id in _profiles(profile_ids):
        with profile_scope(profile_id):
            for kind in kinds:
                audit_ids = _chats(kind).filter(id__gte=first, id__lte=last).values("id")
                items += work.reopen(profile_id=profile_id, kind=kind, audit_ids=audit_ids)
    return Again(items)


def _chats(kind: WorkKind) -> QuerySet[AuditLog]:
    """Those of the scope's profile that may be read for this."""
    return AuditLog.objects.filter(consent.readable(kind), event_type=Event.CHAT_COMPLETED)


def _profiles(wanted: Collection[uuid.UUID] | None) -> list[uuid.UUID]:
    with operator_scope():
        rows = Profile.objects.order_by("id") if wanted is None else Profile.objects.filter(id__in=list(wanted))
        return list(rows.values_list("id", flat=True))
