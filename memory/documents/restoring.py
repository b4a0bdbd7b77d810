"""Documents that an export brings: the rows beside their text, and what is found of it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from memory import consent, passages
from memory.models import AuditLog, Conversation, Document, Event, Passage, Profile, WorkKind


def restore(*, profile: Profile, document_id: uuid.UUID, fields: Mapping[str, Any]) -> str:
    """What became of it: new, known, or unusable where its text did not come along.

    Call inside the profile's scope, once its pages are in the log.
    """
    mine = Document.objects.filter(profile_id=profile.id)
    where = fields["conversation_id"]
    if mine.filter(Q(id=document_id) | Q(digest=fields["digest"]) | Q(conversation_id=where)).exists():
        return "known"
    if not Conversation.objects.filter(profile_id=profile.id, id=where).exists():
        return "unusable"
    Document(id=document_id, profile_id=profile.id, **fields).save(force_insert=True)
    # The time is the database's own unless it is written afterwards.
    mine.filter(id=document_id).update(added_at=fields["added_at"])
    pages = AuditLog.objects.filter(
        consent.readable(WorkKind.EXTRACT), conversation_id=where, event_type=Event.CHAT_COMPLETED
    )
    if not Passage.objects.filter(conversation_id=where).exists():
        passages.keep(passages.of_document(profile=profile, chats=pages.order_by("said_at", "id")))
    return "new"
