"""Reads of background work. Call inside the profile's scope, but for what says that it opens the operator's."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.db.models import Count, Q, QuerySet

from memory.db import now, operator_scope
from memory.models import EmbedQueue, ModelPause, WorkItem, WorkKind, WorkState


def count_dead(*, profile_id: uuid.UUID, most: int) -> int:
    """How many readings were given up, counted up to `most`."""
    return len(WorkItem.objects.filter(profile_id=profile_id, state=WorkState.DEAD).values_list("id")[:most])


OPEN = (WorkState.WAITING, WorkState.RUNNING, WorkState.DEAD)


def counts(*, profile_id: uuid.UUID) -> dict[str, int]:
    """How many items stand where, and `failing`: waiting after a failure. What is done is not counted."""
    open_ = WorkItem.objects.filter(profile_id=profile_id, state__in=OPEN)
    failing = Count("id", filter=Q(state=WorkState.WAITING) & ~Q(error_code=""))
    rows = open_.values("state").annotate(many=Count("id"), failing=failing).order_by()
    found = {state.value: 0 for state in OPEN} | {"failing": 0}
    for row in rows:
        found[row["state"]] = row["many"]
        found["failing"] += row["failing"]
    return found


def everybodys_counts() -> dict[tuple[str, str], int]:
    """How many open items there are in the installation, by kind and state. Opens the operator's scope."""
    found = {(kind.value, state.value): 0 for kind in WorkKind for state in OPEN}
    with operator_scope():
        rows = WorkItem.objects.filter(state__in=OPEN).values("kind", "state").annotate(many=Count("id")).order_by()
        return found | {(row["kind"], row["state"]): row["many"] for row in rows}


def everybodys_lately(*, span: timedelta) -> dict[str, int]:
    """How many items of each kind were read in the time up to now. Opens the operator's scope."""
    with operator_scope():
        rows = WorkItem.objects.filter(state=WorkState.DONE, finished_at__gt=now() - span)
        counted = rows.values("kind").annotate(many=Count("id")).order_by()
        return {kind.value: 0 for kind in WorkKind} | {row["kind"]: row["many"] for row in counted}


def listed(*, profile_id: uuid.UUID, standing: str) -> QuerySet[WorkItem]:
    """Items by where they stand (as in `counts`, or done), newest first."""
    rows = WorkItem.objects.filter(profile_id=profile_id).select_related("conversation").order_by("-id")
    if standing == "failing":
        return rows.filter(state=WorkState.WAITING).exclude(error_code="")
    return rows.filter(state=standing)


def waiting_for_vectors(*, profile_id: uuid.UUID) -> tuple[int, str]:
    """How many texts wait to be embedded, and why the last one that failed did."""
    rows = EmbedQueue.objects.filter(profile_id=profile_id)
    failed = rows.exclude(error="").order_by("-id").values_list("error", flat=True).first()
    return rows.count(), failed or ""


def pauses() -> list[ModelPause]:
    """Models that are not called for a while, and why. Opens the operator's scope."""
    with operator_scope():
        return list(ModelPause.objects.order_by("route"))
