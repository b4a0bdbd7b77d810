"""Facts whose time is over are closed, once."""

from __future__ import annotations

import uuid

from django.db.models.functions import Now

from memory.db import profile_scope
from memory.facts import rows
from memory.facts.locking import lock
from memory.models import Fact, FactState


def expire(*, profile_id: uuid.UUID, most: int) -> int:
    """Close what has expired, at most so many facts; history keeps them. Returns how many."""
    with profile_scope(profile_id):
        lock(profile_id)
        over = Fact.objects.filter(profile_id=profile_id, state=FactState.CURRENT, expires_at__lte=Now())
        found = list(over.order_by("id").select_for_update()[:most])
        rows.expire(found)
    return len(found)
