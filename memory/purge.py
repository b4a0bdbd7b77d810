"""Upkeep of facts over all profiles: what is due to be purged or has expired."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from memory import facts
from memory.db import now, operator_scope
from memory.models import Fact, FactState

BATCH = 200


def purge_due(limit: int = 1_000) -> int:
    """Purge facts whose deletion can no longer be taken back, at most so many. Returns how many."""
    with operator_scope():
        before = now() - facts.undo_time()
    due = Q(state=FactState.DELETED, deleted_at__lte=before) & ~Q(value="")
    return _each(due, limit, lambda profile_id, most: facts.purge(profile_id=profile_id, before=before, most=most))


def expire_due(limit: int = 1_000) -> int:
    """Close facts whose time is over, at most so many. Returns how many."""
    due = Q(state=FactState.CURRENT, expires_at__lte=Now())
    return _each(due, limit, lambda profile_id, most: facts.expire(profile_id=profile_id, most=most))


def _each(due: Q, limit: int, act: Callable[[uuid.UUID, int], int]) -> int:
    """Profile by profile, in transactions of bounded size."""
    done = 0
    with operator_scope():
        waiting: QuerySet[Fact, uuid.UUID] = Fact.objects.filter(due).values_list("profile_id", flat=True)
        profiles = list(waiting.order_by("profile_id").distinct()[:limit])
    for profile_id in profiles:
        while done < limit:
            more = act(profile_id, min(BATCH, limit - done))
            done += more
            if more < BATCH:
                break
    return done
