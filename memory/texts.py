"""The texts that vectors stand for, by owner. Call inside a scope that sees the owners."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from memory import sentences
from memory.embeddings import Owner
from memory.models import EpisodeSummary, Fact, FactState, OwnerKind, Passage


def of(owners: Iterable[Owner], *, locked: bool = False) -> dict[uuid.UUID, str]:
    """What is to be embedded of each; owners that are gone, and facts that hold no longer, are left out.

    locked: facts stay as they are until the transaction ends.
    """
    ids: dict[OwnerKind, list[uuid.UUID]] = {}
    for owner in owners:
        ids.setdefault(owner.kind, []).append(owner.id)
    found: dict[uuid.UUID, str] = {}
    if facts := ids.get(OwnerKind.FACT):
        rows = Fact.objects.filter(id__in=facts, state=FactState.CURRENT).only("key", "value").order_by("id")
        if locked:
            rows = rows.select_for_update()
        found |= {row.id: sentences.to_embed(row) for row in rows}
    if episodes := ids.get(OwnerKind.EPISODE):
        found |= dict(EpisodeSummary.objects.filter(id__in=episodes).values_list("id", "summary"))
    if passages := ids.get(OwnerKind.PASSAGE):
        found |= dict(Passage.objects.filter(id__in=passages).values_list("id", "text"))
    return found
