"""Reads of entities: who and what the facts are about, by id, by name, or by what somebody calls them.

Call inside the profile's scope.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from memory.domain.calling import Given, Title, title
from memory.domain.entities import By
from memory.domain.names import first_key, firsts, name_key, spots, words
from memory.domain.roles import BY_WORD, EntityKind, narrower
from memory.entities import VISIBLE
from memory.models import Entity, Fact, FactEntity, FactState


@dataclass(frozen=True)
class Named:
    """An entity by what it is called."""

    id: uuid.UUID
    kind: EntityKind
    title: Title


@dataclass(frozen=True)
class Known(Named):
    """An entity as it is shown. `facts` counts what holds now; the times are of every mention that can be seen."""

    facts: int
    first_mentioned_at: datetime
    last_mentioned_at: datetime


def entities(*, profile_id: uuid.UUID, kind: str | None = None, q: str | None = None) -> QuerySet[Entity]:
    """Those with a fact that can be seen, perhaps of one kind, perhaps with a name or role that has `q` in it."""
    seen = FactEntity.objects.filter(entity=OuterRef("id"), fact__state__in=VISIBLE)
    rows = Entity.objects.filter(Exists(seen), profile_id=profile_id)
    if kind:
        rows = rows.filter(kind=kind)
    if q:
        rows = rows.filter(Exists(seen.filter(_called_like(q))))
    return rows


def entity(*, profile_id: uuid.UUID, entity_id: uuid.UUID) -> Known | None:
    rows = entities(profile_id=profile_id).filter(id=entity_id)
    return next(iter(described(profile_id=profile_id, rows=rows)), None)


def named(*, profile_id: uuid.UUID, rows: Iterable[Entity]) -> list[Named]:
    """Entities with their names, as far as these can be seen. One query."""
    found = list(rows)
    given: dict[uuid.UUID, list[Given]] = {}
    columns = ("entity_id", "name", "by", "role", "fact__said_at", "fact__state")
    links = _links(profile_id, found).exclude(by="")
    for entity_id, name, by, role, said_at, state in links.values_list(*columns):
        one = Given(name, By(by), role, said_at, state == FactState.CURRENT, state == FactState.PENDING)
        given.setdefault(entity_id, []).append(one)
    return [Named(row.id, EntityKind(row.kind), title(EntityKind(row.kind), given.get(row.id, ()))) for row in found]


def described(*, profile_id: uuid.UUID, rows: Iterable[Entity]) -> list[Known]:
    """Entities with their names, counts and times, in as many queries for one as for a page."""
    found = list(rows)
    counted = _links(profile_id, found).values("entity").annotate(**_counts()).order_by()
    counts = {row[0]: row[1:] for row in counted.values_list("entity", *_counts())}
    return [
        Known(one.id, one.kind, one.title, *counts[one.id])
        for one in named(profile_id=profile_id, rows=found)
        if one.id in counts
    ]


def _links(profile_id: uuid.UUID, entities: Sequence[Entity]) -> QuerySet[FactEntity]:
    return FactEntity.objects.filter(profile_id=profile_id, entity__in=entities, fact__state__in=VISIBLE)


def entities_of(*, profile_id: uuid.UUID, query: str) -> list[uuid.UUID]:
    """Whom or what a question is about: the longest name in it, else "my dog"; several where it fits several."""
    rows = FactEntity.objects.filter(
        profile_id=profile_id, first_key__in=firsts(query), fact__state__in=VISIBLE
    ).values_list("entity_id", "entity__kind", "name_key")
    names: dict[str, set[tuple[bool, uuid.UUID]]] = {}
    for entity_id, kind, key in rows.distinct():
        names.setdefault(key, set()).add((True, entity_id))
        if kind == EntityKind.PERSON and " " in key:
            names.setdefault(first_key(key), set()).add((False, entity_id))
    by_first: dict[str, set[str]] = {}
    for key in names:
        by_first.setdefault(first_key(key), set()).add(key)
    hits = {(spot.length, whole, i) for spot in spots(query, by_first) for whole, i in names[spot.name_key]}
    best = max((hit[:2] for hit in hits), default=None)
    return sorted({hit[2] for hit in hits if hit[:2] == best}) if best else _in_role(profile_id, query)


def facts_about(rows: QuerySet[Fact], entity_ids: Sequence[uuid.UUID]) -> QuerySet[Fact]:
    """Narrows facts to those that are about one of the entities or name it."""
    return rows.filter(Exists(FactEntity.objects.filter(fact=OuterRef("id"), entity__in=entity_ids)))


def named_by(*, profile_id: uuid.UUID, id_or_name: str) -> list[uuid.UUID]:
    """The entities that an id or a name stands for; none where it is nobody's."""
    try:
        wanted = uuid.UUID(id_or_name)
    except ValueError:
        return entities_of(profile_id=profile_id, query=id_or_name)
    return [wanted]


def _in_role(profile_id: uuid.UUID, query: str) -> list[uuid.UUID]:
    said = {BY_WORD[word.key].name for word in words(query) if word.key in BY_WORD}
    if not said:
        return []
    roles = {role for wide in said for role in narrower(wide)}
    rows = FactEntity.objects.filter(profile_id=profile_id, role__in=roles, fact__state=FactState.CURRENT)
    return sorted(rows.values_list("entity_id", flat=True).distinct())


def _called_like(q: str) -> Q:
    wanted = Q(name__icontains=q)
    key = name_key(q)
    if key:
        wanted |= Q(name_key__contains=key)
    if key in BY_WORD:
        wanted |= Q(role__in=narrower(BY_WORD[key].name), fact__state=FactState.CURRENT)
    return wanted


def _counts() -> dict[str, Any]:
    now = Q(fact__state=FactState.CURRENT) & (Q(fact__expires_at__isnull=True) | Q(fact__expires_at__gt=Now()))
    return {
        "held": Count("fact", filter=now, distinct=True),
        "first": Min("fact__first_seen_at"),
        "last": Max("fact__last_confirmed_at"),
    }
