"""Reads of facts for a person who looks through them: narrowed, sorted, grouped, page by page.

Call inside the profile's scope.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from django.db.models import Case, Exists, F, Func, Max, OrderBy, OuterRef, Q, QuerySet, TextField, Value, When, Window
from django.db.models.functions import Cast, Coalesce

from memory import entity_selectors, selectors
from memory.config import conf
from memory.facts import undo_time
from memory.models import Fact, FactState, SourceKind
from memory.selectors import HISTORY, SECONDS_PER_DAY, FactFilter, with_score

EVERYWHERE = "*"  # as a space: what holds in all of them


class Standing(StrEnum):
    """Where the facts of a list stand."""

    HOLDS = "holds"
    PENDING = "pending"
    PAST = "past"
    REJECTED = "rejected"
    DELETED = "deleted"  # lately: it can still be taken back


class Sort(StrEnum):
    """What comes first."""

    SCORE = "score"
    CONFIDENCE = "confidence"
    CONFIRMED = "confirmed"
    NEWEST = "newest"
    KEY = "key"


class Group(StrEnum):
    """What stands together; the group with the first fact comes first."""

    NONE = "none"
    ENTITY = "entity"
    KEY = "key"  # by the first part of it


@dataclass(frozen=True)
class Wanted:
    """What the list is narrowed by; None means any."""

    standing: Standing = Standing.HOLDS
    q: str | None = None
    category: str | None = None
    space: str | None = None
    source: SourceKind | None = None
    entity: uuid.UUID | None = None


@dataclass(frozen=True)
class Breakdown:
    """What a score is made of: freshness x confidence x edit weight. `days`: since it was last confirmed."""

    score: float
    freshness: float
    confidence: float
    edit_weight: float
    days: int
    halflife_days: float


_STATUS = {Standing.HOLDS: "approved", Standing.PENDING: "pending", Standing.REJECTED: "rejected"}
_ORDER: dict[Sort, tuple[OrderBy, ...]] = {
    Sort.SCORE: (F("score").desc(),),
    Sort.CONFIDENCE: (F("confidence").desc(), F("score").desc()),
    Sort.CONFIRMED: (F("last_confirmed_at").desc(),),
    Sort.NEWEST: (F("first_seen_at").desc(),),
    Sort.KEY: (F("key").asc(nulls_last=True),),
}
# Of a group: the greatest of what its facts are sorted by.
_BEST: dict[Sort, Any] = {
    Sort.SCORE: Max("score"),
    Sort.CONFIDENCE: Max("confidence"),
    Sort.CONFIRMED: Max("last_confirmed_at"),
    Sort.NEWEST: Max("first_seen_at"),
}


def listed(*, profile_id: uuid.UUID, wanted: Wanted) -> QuerySet[Fact]:
    """The facts of a list, with their score, in no order."""
    if wanted.standing is Standing.DELETED:
        rows = _lately_deleted(profile_id)
    elif wanted.standing is Standing.PAST:
        past = FactFilter(include_superseded=True)
        rows = selectors.facts_listed(profile_id=profile_id, wanted=past).exclude(state=FactState.CURRENT)
    else:
        rows = selectors.facts_listed(profile_id=profile_id, wanted=FactFilter(status=_STATUS[wanted.standing]))
    if wanted.q:
        rows = rows.filter(value__icontains=wanted.q) | rows.filter(key__icontains=wanted.q)
    if wanted.category:
        rows = rows.filter(category=wanted.category)
    if wanted.space == EVERYWHERE:
        rows = rows.filter(space__isnull=True)
    elif wanted.space:
        rows = rows.filter(space__slug=wanted.space, space__removed_at__isnull=True)
    if wanted.source:
        rows = rows.filter(source_kind=wanted.source)
    if wanted.entity:
        rows = entity_selectors.facts_about(rows, [wanted.entity])
    return rows


def _lately_deleted(profile_id: uuid.UUID) -> QuerySet[Fact]:
    """What was deleted and can be taken back; the history that went along with a fact, and comes with it, left out."""
    since = datetime.now(UTC) - undo_time()
    rows = Fact.objects.filter(profile_id=profile_id, state=FactState.DELETED, deleted_at__gt=since)
    undoable = rows.exclude(value="").exclude(was_state="")
    leading = undoable.filter(deleted_at=OuterRef("deleted_at")).exclude(was_state__in=HISTORY)
    alone = undoable.filter(~Q(was_state__in=HISTORY) | ~Exists(leading))
    return with_score(alone.select_related("space"))  # type: ignore[no-any-return]


def page(rows: QuerySet[Fact], *, sort: Sort, group: Group, start: int, most: int) -> list[Fact]:
    """Some of the rows in order, each with `group` (of `group_of`). Two queries: ids first, then what they name."""
    order: list[Any] = [*_ORDER[sort], "id"]
    ids: Any = rows
    if group is not Group.NONE:
        ids = ids.annotate(group=group_of(group))
        if sort in _BEST:
            ids = ids.annotate(best=Window(_BEST[sort], partition_by=F("group")))
            order = [F("best").desc(), "group", *order]
        else:
            order = ["group", *order]
    chosen = ids.order_by(*order).values_list("id", flat=True)[start : start + most]
    place = {row_id: at for at, row_id in enumerate(chosen)}
    found: Any = with_score(Fact.objects.filter(id__in=list(place)).select_related("space"))
    if group is not Group.NONE:
        found = found.annotate(group=group_of(group))
    return sorted(found, key=lambda row: place[row.id])


def group_of(group: Group) -> Any:
    """What a fact is grouped by: the id of whom it is about (empty: the person), or the first part of its key."""
    if group is Group.ENTITY:
        return Coalesce(Cast("entity_id", TextField()), Value(""), output_field=TextField())
    first = Func(F("key"), Value("."), Value(1), function="split_part", output_field=TextField())
    return Case(When(key__isnull=True, then=Value("")), default=first, output_field=TextField())


def breakdown(fact: Fact, *, now: datetime | None = None) -> Breakdown:
    """The parts of the score of a fact that was read with it."""
    rules = conf().memory.facts_importance
    score: float = fact.score  # type: ignore[attr-defined]
    weight = 1.0 + rules.edit_weight_scale * fact.edit_count
    parts = fact.confidence * weight
    age = ((now or datetime.now(UTC)) - fact.last_confirmed_at).total_seconds()
    return Breakdown(
        score=score,
        freshness=score / parts if parts else 1.0,
        confidence=fact.confidence,
        edit_weight=weight,
        days=max(0, int(age // SECONDS_PER_DAY)),
        halflife_days=rules.halflife_days,
    )
