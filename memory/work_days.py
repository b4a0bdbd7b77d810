"""What background work did and cost, day by day."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from typing import Any

from django.db.models import Count, Q, Sum
from django.db.models.functions import TruncDate

from memory.db import operator_scope
from memory.llm.prices import price_of
from memory.models import WorkItem, WorkState


@dataclass(frozen=True)
class Day:
    """What was read on one day: chats, calls of models, their tokens in and out, and US dollars for these.

    `unpriced`: models that were called and whose price nobody knows, so that `dollars` is without them.
    """

    day: date
    read: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0
    unpriced: frozenset[str] = frozenset()

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


def days(*, profile_id: uuid.UUID | None, zone: tzinfo, today: date, many: int) -> list[Day]:
    """The last days up to today, each of the zone; of everybody (in the operator's scope) without a profile.

    Work that was given up cost what it cost; it is not counted as read. Call inside of a scope.
    """
    first = today - timedelta(days=many - 1)
    rows = WorkItem.objects.filter(finished_at__gte=datetime.combine(first, datetime.min.time(), zone))
    if profile_id is not None:
        rows = rows.filter(profile_id=profile_id)
    found = (
        rows.annotate(day=TruncDate("finished_at", tzinfo=zone))
        .values("day", "model")
        .annotate(
            read=Count("id", filter=Q(state=WorkState.DONE)),
            called=Sum("calls"),
            given=Sum("input_tokens"),
            produced=Sum("output_tokens"),
        )
        .order_by()
    )
    by_day = _added(found)
    return [by_day.get(day, Day(day)) for day in (first + timedelta(days=n) for n in range(many))]


def everybodys_days(*, zone: tzinfo, today: date, many: int) -> list[Day]:
    """`days` of the whole installation. Opens the operator's scope."""
    with operator_scope():
        return days(profile_id=None, zone=zone, today=today, many=many)


def _added(rows: Iterable[Mapping[str, Any]]) -> dict[date, Day]:
    by_day: dict[date, Day] = {}
    for row in rows:
        before = by_day.get(row["day"], Day(row["day"]))
        price = price_of(row["model"]) if row["called"] else None
        unpriced = {row["model"]} if row["called"] and price is None else set()
        by_day[before.day] = replace(
            before,
            read=before.read + row["read"],
            calls=before.calls + row["called"],
            input_tokens=before.input_tokens + row["given"],
            output_tokens=before.output_tokens + row["produced"],
            dollars=before.dollars + (price.of(row["given"], row["produced"]) if price else 0.0),
            unpriced=before.unpriced | unpriced,
        )
    return by_day
