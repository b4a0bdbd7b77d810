"""The only writer of entities and of what hangs on them. Called where facts are written, in the same transaction.

The number of queries does not depend on the number of facts.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence

from django.db import connection
from django.db.models import Q

from memory import bulk, sql
from memory.domain.entities import By
from memory.domain.hanging import Book, Called, Hung, Item, Link, Wanted, hang, wanted
from memory.domain.names import first_key, trace
from memory.domain.roles import EntityKind
from memory.domain.types import Op
from memory.models import Entity, Fact, FactEntity, FactState
from memory.models.fields import new_id

VISIBLE = (FactState.PENDING, FactState.CURRENT, FactState.SUPERSEDED, FactState.RETRACTED)
MOST_OLDER = 200  # facts told before that are hung on what has just got a name


def place(*, profile_id: uuid.UUID, facts: Sequence[Fact]) -> None:
    """Hang facts on what they are about, and link them to what they name. Call inside the scope, under `lock`.

    Facts that are not saved yet get their entity set for the caller to save; of saved ones it is written here. A
    fact that has an entity keeps it where its value was only corrected: that renames a pet, a person, a project.
    """
    # The word that closes a fact tells nothing of its own, and what nobody sees tells no names.
    facts = [fact for fact in facts if fact.op != Op.RETRACT and fact.state in VISIBLE]
    if not facts:
        return
    saved = [fact for fact in facts if not fact._state.adding]
    if saved:
        FactEntity.objects.filter(fact__in=saved).delete()
    items = [_item(fact) for fact in facts]
    there = _called(profile_id, wanted(items), but={fact.id for fact in facts})
    hung = hang(items, there, new_id)
    links = [*hung.links, *_older(profile_id, hung, there, facts)]
    bulk.run(
        bulk.inserts([Entity(id=i, profile_id=profile_id, kind=kind) for i, kind in hung.new.items()]),
        bulk.inserts([_row(profile_id, link) for link in links], skip_known=True),
    )
    moved = [fact for fact in facts if fact.entity_id != hung.main.get(fact.id)]
    for fact in moved:
        fact.entity_id = hung.main.get(fact.id)
    bulk.update([fact for fact in moved if not fact._state.adding], ("entity",))


def forget(*, profile_id: uuid.UUID, fact_ids: Iterable[uuid.UUID]) -> None:
    """Drop the links of facts whose text is gone, and what nothing hangs on any more."""
    ids = list(fact_ids)
    FactEntity.objects.filter(profile_id=profile_id, fact__in=ids).delete()
    Fact.objects.filter(profile_id=profile_id, id__in=ids).update(entity=None)
    unseen = list(Entity.objects.filter(profile_id=profile_id, links__isnull=True).values_list("id", flat=True))
    Fact.objects.filter(profile_id=profile_id, entity__in=unseen).update(entity=None)  # of what nobody sees
    Entity.objects.filter(id__in=unseen).delete()


def _item(fact: Fact) -> Item:
    return Item(
        fact_id=fact.id,
        key=fact.key,
        value=fact.value,
        quote=fact.quote,
        current=fact.state == FactState.CURRENT,
        held=fact.entity_id,
    )


def _called(profile_id: uuid.UUID, asked: Wanted, but: set[uuid.UUID]) -> list[Called]:
    """What is called so, or has such a role, by facts that can be seen."""
    with connection.cursor() as cursor:
        cursor.execute(
            sql.read("called"),
            {
                "profile": profile_id,
                "firsts": sorted(asked.firsts),
                "roles": sorted(asked.roles),
                "but": list(but),
                "visible": [state.value for state in VISIBLE],
            },
        )
        rows = cursor.fetchall()
    return [
        Called(entity_id, EntityKind(kind), By(by), role, name, key, current)
        for entity_id, kind, by, role, name, key, current in rows
    ]


def _older(profile_id: uuid.UUID, hung: Hung, there: Sequence[Called], facts: Sequence[Fact]) -> list[Link]:
    """Links of facts told before to what is called by a name from now on: its first mention came without it."""
    had = {(row.entity_id, row.name_key) for row in there}
    fresh = [_as_called(link) for link in hung.links if link.name_key and (link.entity_id, link.name_key) not in had]
    if not fresh:
        return []
    traces = {trace(row.name, row.name_key) for row in fresh} | {row.given for row in fresh} - {""}
    heads = {row.name_key.replace(" ", "_"): row.entity_id for row in fresh}
    found = Fact.objects.filter(
        Q(value_norm__regex="|".join(sorted(traces))) | Q(key__regex=rf"^({'|'.join(sorted(heads))})\."),
        profile_id=profile_id,
        state__in=VISIBLE,
    ).exclude(id__in=[fact.id for fact in facts])
    book, news = Book([*there, *fresh]), {row.entity_id for row in fresh}
    links: list[Link] = []
    for fact_id, key, value in found.order_by("-id").values_list("id", "key", "value")[:MOST_OLDER]:
        named = book.named_in(value) & news
        head = heads.get((key or "").partition(".")[0])
        links.extend(Link(fact_id, entity_id) for entity_id in sorted(named | ({head} if head else set())))
    return links


def _as_called(link: Link) -> Called:
    assert link.kind is not None
    assert link.by is not None
    return Called(link.entity_id, link.kind, link.by, link.role, link.name, link.name_key, True)


def _row(profile_id: uuid.UUID, link: Link) -> FactEntity:
    return FactEntity(
        profile_id=profile_id,
        fact_id=link.fact_id,
        entity_id=link.entity_id,
        by=link.by or "",
        role=link.role,
        name=link.name,
        name_key=link.name_key,
        first_key=first_key(link.name_key),
    )
