"""Reads of background work. Call inside the profile's scope, but for what says that it opens the operator's."""

from __future__ import annotations

import uuid

from memory.models import WorkItem, WorkState


def count_dead(*, profile_id: uuid.UUID, most: int) -> int:
    """How many readings were given up, counted up to `most`."""
    return len(WorkItem.objects.filter(profile_id=profile_id, state=WorkState.DEAD).values_list("id")[:most])
