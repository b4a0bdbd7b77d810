"""Reads for those who look at the log, the conversations and the work. Call inside the profile's scope."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from memory.models import AuditLog, Conversation, Fact, FactState, WorkItem


@dataclass(frozen=True)
class AuditFilter:
    """What the log is narrowed by; None means any. `since` is included, `until` is not."""

    event_type: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    conversation_id: str | None = None


def audit_listed(*, profile_id: uuid.UUID, wanted: AuditFilter) -> QuerySet[AuditLog]:
    rows = AuditLog.objects.filter(profile_id=profile_id).select_related("conversation", "space")
    if wanted.event_type:
        rows = rows.filter(event_type=wanted.event_type)
    if wanted.since:
        rows = rows.filter(at__gte=wanted.since)
    if wanted.until:
        rows = rows.filter(at__lt=wanted.until)
    if wanted.conversation_id:
        named = Conversation.objects.filter(_called(wanted.conversation_id), profile_id=profile_id)
        rows = rows.filter(conversation__in=named)
    return rows


def _called(public_id: str) -> Q:
    name = Q(client_id=public_id)
    try:
        return name | Q(id=uuid.UUID(public_id))
    except ValueError:
        return name


def audit_row(*, profile_id: uuid.UUID, audit_id: int) -> AuditLog | None:
    rows = AuditLog.objects.select_related("conversation", "space")
    return rows.filter(profile_id=profile_id, id=audit_id).first()


def facts_from(*, profile_id: uuid.UUID, audit_id: int) -> list[Fact]:
    """What one chat taught, as far as it is still there."""
    rows = Fact.objects.filter(profile_id=profile_id, source_audit_id=audit_id)
    return list(rows.exclude(state=FactState.DELETED).order_by("id")[:200])


def conversations_listed(*, profile_id: uuid.UUID) -> QuerySet[Conversation]:
    """Those that were chatted in: documents have a list of their own."""
    return Conversation.objects.filter(profile_id=profile_id, document__isnull=True).select_related("space")


def work_listed(*, profile_id: uuid.UUID, state: str | None = None, kind: str | None = None) -> QuerySet[WorkItem]:
    rows = WorkItem.objects.filter(profile_id=profile_id).select_related("conversation")
    rows = rows.filter(state=state) if state else rows
    return rows.filter(kind=kind) if kind else rows
