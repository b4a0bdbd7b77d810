"""Reads of background work. Call inside the profile's scope, but for what says that it opens the operator's."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncDate

from memory.db import operator_scope
from memory.models import EmbedQueue, ModelPause, WorkItem, WorkState

# The days are counted over so many of the newest items, so that a page is quick whatever there was before.
NEWEST = 50_000


@dataclass(frozen=True)
class Day:
    """What was read on one day: chats, calls of models, and their tokens in and out."""

    day: date
    read: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


def count_dead(*, profile_id: uuid.UUID, most: int) -> int:
    """How many readings were given up, counted up to `most`."""
    return len(WorkItem.objects.filter(profile_id=profile_id, state=WorkState.DEAD).values_list("id")[:most])


def counts(*, profile_id: uuid.UUID) -> dict[str, int]:
    """How many items stand where, and `failing`: waiting after a failure. What is done is not counted."""
    open_ = WorkItem.objects.filter(profile_id=profile_id).exclude(state__in=[WorkState.DONE, WorkState.CANCELLED])
    failing = Count("id", filter=Q(state=WorkState.WAITING) & ~Q(error_code=""))
    rows = open_.values("state").annotate(many=Count("id"), failing=failing).order_by()
    found = {state.value: 0 for state in (WorkState.WAITING, WorkState.RUNNING, WorkState.DEAD)} | {"failing": 0}
    for row in rows:
        found[row["state"]] = row["many"]
        found["failing"] += row["failing"]
    return found


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


def days(*, profile_id: uuid.UUID | None, zone: tzinfo, today: date, many: int) -> list[Day]:
    """The last days up to today, each of the zone; of everybody (in the operator's scope) without a profile."""
    rows = (
        WorkItem.objects.filter(state=WorkState.DONE, profile_id=profile_id) if profile_id else WorkItem.objects.all()
    )
    last = rows.aggregate(last=Max("id"))["last"] or 0
    first = today - timedelta(days=many - 1)
    begin = datetime.combine(first, datetime.min.time(), zone)
    recent = rows.filter(id__gt=last - NEWEST, finished_at__gte=begin)
    found = (
        recent.annotate(day=TruncDate("finished_at", tzinfo=zone))
        .values("day")
        .annotate(
            read=Count("id", filter=Q(state=WorkState.DONE)),
            calls_=Coalesce(Sum("calls"), 0),
            input_=Coalesce(Sum("input_tokens"), 0),
            output_=Coalesce(Sum("output_tokens"), 0),
        )
        .order_by()
    )
    by_day = {row["day"]: Day(row["day"], row["read"], row["calls_"], row["input_"], row["output_"]) for row in found}
    return [by_day.get(day, Day(day)) for day in (first + timedelta(days=n) for n in range(many))]


def everybodys_days(*, zone: tzinfo, today: date, many: int) -> list[Day]:
    """`days` of the whole installation. Opens the operator's scope."""
    with operator_scope():
        return days(profile_id=None, zone=zone, today=today, many=many)


def pauses() -> list[ModelPause]:
    """Models that are not called for a while, and why. Opens the operator's scope."""
    with operator_scope():
        return list(ModelPause.objects.order_by("route"))
