"""Facts of one spelling of a key go over to another, by the rules of superseding."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime

from memory import audit, entities
from memory.domain import rekey as domain
from memory.domain.rekey import Joined
from memory.domain.types import Cardinality
from memory.facts import rows
from memory.models import Event, Fact, FactState

AGAINST = "against_pinned"


def rekey(*, profile_id: uuid.UUID, old: str, new: str, now: datetime, actor: str) -> int:
    """Put all facts of one key under another. Call inside the profile's scope, under `lock`. Returns how many.

    Where both keys have a fact that holds, the last word stays, unless a person's own word stands against it.
    """
    found = list(Fact.objects.filter(profile_id=profile_id, key__in=[old, new]).order_by("id").select_for_update())
    moved = [row for row in found if row.key == old]
    if not moved:
        return 0
    rows.expire([row for row in found if rows.has_expired(row)])
    seen = [rows.known(row) for row in found]
    cardinality = domain.cardinality(new, [row for row in seen if row.state != "deleted"])
    joined = domain.join(seen, cardinality is Cardinality.ONE)
    _settle(joined, {row.id: row for row in found}, now)
    ids = [row.id for row in moved]
    Fact.objects.filter(id__in=[row.id for row in found]).exclude(cardinality=cardinality.value).update(
        cardinality=cardinality.value
    )
    visible = Fact.objects.filter(id__in=ids, state__in=entities.VISIBLE)
    visible.update(entity=None)
    rows.rename(profile_id, ids, new)
    entities.place(profile_id=profile_id, facts=list(visible.order_by("id")))
    audit.record_many(_entries(profile_id, joined, found, old, new, actor))
    return len(moved)


def _settle(joined: Joined, found: dict[uuid.UUID, Fact], now: datetime) -> None:
    """Close before the keys meet, so that there is never a second current value."""
    for row_id, into in joined.folded.items():
        rows.fold(found[row_id], found[into], now)
    for row_id, by in joined.closed.items():
        rows.close([found[row_id]], state=FactState.SUPERSEDED, at=max(found[by].said_at, found[row_id].said_at), by=by)
    for row_id in joined.doubted:
        row = found[row_id]
        row.state, row.reasons, row.version = FactState.PENDING, [AGAINST], row.version + 1
        row.save(update_fields=["state", "reasons", "version"])


def _entries(
    profile_id: uuid.UUID, joined: Joined, found: Sequence[Fact], old: str, new: str, actor: str
) -> list[audit.Entry]:
    """A row for each fact that moved or gave way, but for deleted ones, of which nothing is told."""
    entries = []
    for row in found:
        by = joined.closed.get(row.id) or joined.folded.get(row.id)
        if row.state == FactState.DELETED or not (row.key == old or by or row.id in joined.doubted):
            continue
        payload = {"fact_id": str(row.id), "key": new, "was_key": row.key}
        if by:
            payload["superseded_by"] = str(by)
        event = Event.FACT_PROPOSED if row.id in joined.doubted else Event.FACT_UPDATED
        entries.append(audit.Entry(event, profile_id, payload, actor, space_id=row.space_id))
    return entries
