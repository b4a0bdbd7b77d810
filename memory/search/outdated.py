"""What an old summary or passage says that has since been corrected, ended or deleted."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from enum import StrEnum

from django.db.models import Exists, F, OuterRef, Q

from memory.domain.stating import states
from memory.models import Fact, FactSource, FactState


class Mark(StrEnum):
    """How a text stands to what is known now."""

    CHANGED = "changed"  # it says what was so and is no longer
    GONE = "gone"  # it says what the person has deleted


# (id of the text, the chats that it was made from, what it says)
Text = tuple[uuid.UUID, Sequence[int], str]


def marks(found: Sequence[Text]) -> dict[uuid.UUID, Mark]:
    """The marks of texts that say something that no longer holds. Call inside the profile's scope.

    What counts is what their own chats taught and is now superseded, retracted or deleted, unless the same value
    holds again.
    """
    audits = {audit for _, sources, _ in found for audit in sources}
    if not audits:
        return {}
    taught = _no_longer(audits)
    marked: dict[uuid.UUID, Mark] = {}
    for text_id, sources, text in found:
        for state, value, quote, chats in taught:
            if chats.isdisjoint(sources) or not states(text, value, quote):
                continue
            if state == FactState.DELETED:
                marked[text_id] = Mark.GONE
                break
            marked[text_id] = Mark.CHANGED
    return marked


def _no_longer(audits: Collection[int]) -> list[tuple[str, str, str, set[int]]]:
    """(state, value, quote, chats) of each fact that these chats taught and that holds no longer."""
    evidence = FactSource.objects.filter(audit_id__in=audits).values("fact_id")
    again = Fact.objects.filter(
        Q(key=OuterRef("key")) | Q(key__isnull=True, value_norm=OuterRef("value_norm")),
        profile_id=OuterRef("profile_id"),
        value_norm=OuterRef("value_norm"),
        state=FactState.CURRENT,
    )
    rows = (
        Fact.objects.filter(Q(id__in=evidence) | Q(source_audit_id__in=audits))
        .filter(
            Q(state__in=[FactState.SUPERSEDED, FactState.RETRACTED])
            | Q(state=FactState.DELETED) & ~Q(was_state__in=[FactState.PENDING, FactState.REJECTED])
        )
        .exclude(value="")
        .exclude(op="retract")
        .annotate(again=Exists(again))
        .filter(again=False)
    )
    facts = {row.id: row for row in rows.only("state", "value", "quote", "source_audit_id")}
    chats: dict[uuid.UUID, set[int]] = {row.id: {row.source_audit_id} - {None} for row in facts.values()}  # type: ignore[misc]
    for fact_id, audit in FactSource.objects.filter(fact_id__in=facts).values_list("fact_id", F("audit_id")):
        chats[fact_id].add(audit)
    return [(row.state, row.value, row.quote, chats[row.id]) for row in facts.values()]
