"""Work that is to be done once more, and what is forgotten of failures."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Now

from memory.db import profile_scope
from memory.errors import Conflict, NotFound
from memory.models import WorkItem, WorkKind, WorkState


def retry_item(*, profile_id: uuid.UUID, item_id: int) -> WorkItem:
    """Let a dead, waiting, done or cancelled item be read again now.

    Raises NotFound, or Conflict while a worker reads it.
    """
    with profile_scope(profile_id):
        row = WorkItem.objects.select_for_update().filter(id=item_id).first()
        if row is None:
            raise NotFound("There is no such item.")
        if row.state == WorkState.RUNNING:
            raise Conflict("A worker is reading it right now.")
        _reset(WorkItem.objects.filter(id=item_id))
        row.refresh_from_db()
        return row


def retry_dead(*, profile_id: uuid.UUID) -> int:
    """Let every dead item of the profile be read again."""
    with profile_scope(profile_id):
        return _reset(WorkItem.objects.filter(state=WorkState.DEAD))


def reopen(*, profile_id: uuid.UUID, kind: WorkKind, audit_ids: Any) -> int:
    """Let these chats (ids, or a query for them) be read again, whatever came of them before. Returns how many items.

    What waits or is being read is left alone. Call inside the profile's scope.
    """
    rows = WorkItem.objects.filter(profile_id=profile_id, kind=kind, audit_id__in=audit_ids)
    return _reset(rows.exclude(state__in=[WorkState.WAITING, WorkState.RUNNING]))


def drop_raw_replies(*, profile_id: uuid.UUID, audit_ids: Collection[int]) -> None:
    """Forget what models answered to these chats in a form that could not be used. Call inside the profile's scope."""
    kept = WorkItem.objects.filter(profile_id=profile_id, audit_id__in=list(audit_ids)).exclude(raw_reply="")
    kept.update(raw_reply="")


def _reset(rows: QuerySet[WorkItem]) -> int:
    again: dict[str, Any] = {
        "state": WorkState.WAITING,
        "attempts": 0,
        "outages": 0,
        "first_failed_at": None,
        "not_before": Now(),
        "finished_at": None,
        "outcome": "",
    }
    return int(rows.update(**again))
