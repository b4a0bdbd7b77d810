"""Work that somebody wants to have read again."""

from __future__ import annotations

import uuid

from memory import consent, work
from memory.db import profile_scope
from memory.errors import Conflict
from memory.models import AuditLog, WorkItem, WorkKind

GONE = "The chat that it would read is gone."
NOT_AGREED = "This chat may not be read: that was not agreed to, or no longer is."


def requeue(*, profile_id: uuid.UUID, item_id: int) -> WorkItem:
    """Let an item be read again now, with all its attempts before it.

    Raises NotFound; Conflict while a worker reads it, and where what it would read is gone or may not be read.
    """
    with profile_scope(profile_id):
        item = WorkItem.objects.filter(id=item_id).first()
        if item is not None:
            chat = AuditLog.objects.filter(id=item.audit_id)
            if not chat.exists():
                raise Conflict(GONE)
            if not chat.filter(consent.readable(WorkKind(item.kind))).exists():
                raise Conflict(NOT_AGREED)
    return work.retry_item(profile_id=profile_id, item_id=item_id)
