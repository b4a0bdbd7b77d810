"""What an old summary or passage says that has since been corrected, ended or deleted."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import F, Q
from django.db.models.functions import Now

from memory.domain.stating import echoes, states, states_by_itself
from memory.domain.terms import term_ids, tokens
from memory.models import EpisodeSummary, Fact, FactSource, FactState
from memory.search.given import past_facts


class Mark(StrEnum):
    """How a text stands to what is known now."""

    CHANGED = "changed"  # it says what was so and is no longer
    GONE = "gone"  # it says what the person has deleted


@dataclass(frozen=True)
class Text:
    """A summary or a piece of chat: the chats that it was made from, when they were said, and what it says."""

    id: uuid.UUID
    chats: Collection[int]
    said_at: datetime
    text: str

    @classmethod
    def of(cls, episode: EpisodeSummary) -> Text:
        return cls(episode.id, episode.source_audit_ids, episode.said_at, episode.summary)


@dataclass(frozen=True)
class _Past:
    """A fact that holds no longer, `until` when it did; `deleted_at` where the person has deleted it.

    Which chats `taught` it, and which were `given` it, so that they may say it again.
    """

    value: str
    quote: str
    deleted_at: datetime | None
    until: datetime | None
    taught: frozenset[int]
    given: frozenset[int]

    def stated_in(self, text: Text) -> bool:
        if not self.taught.isdisjoint(text.chats):
            return states(text.text, self.value, self.quote)
        if self.until is None or text.said_at > self.until:
            return False
        if not self.given.isdisjoint(text.chats):
            return echoes(text.text, self.value, self.quote)
        # What was deleted is gone from whatever was said before, too.
        return self.deleted_at is not None and states_by_itself(text.text, self.value, self.quote)


def marks(profile_id: uuid.UUID, found: Sequence[Text]) -> dict[uuid.UUID, Mark]:
    """The marks of texts that say something that no longer holds. Call inside the profile's scope.

    What counts is what their own chats taught, or were given, and is now superseded, retracted, expired or deleted,
    and what else was deleted since; unless the same value holds again.
    """
    marked: dict[uuid.UUID, Mark] = {}
    for past in _past(profile_id, found) if found else ():
        for text in found:
            if marked.get(text.id) is not Mark.GONE and past.stated_in(text):
                marked[text.id] = Mark.CHANGED if past.deleted_at is None else Mark.GONE
    return marked


def _past(profile_id: uuid.UUID, found: Sequence[Text]) -> list[_Past]:
    audits = {audit for text in found for audit in text.chats}
    words = term_ids(profile_id, {word for text in found for word in tokens(text.text)})
    evidence = FactSource.objects.filter(audit_id__in=audits).values("fact_id")
    given = past_facts(profile_id=profile_id, chats=audits)
    over = Q(expires_at__lte=Now())
    rows = (
        Fact.objects.filter(
            Q(id__in=evidence)
            | Q(source_audit_id__in=audits)
            | Q(id__in=list(given))
            | Q(state=FactState.DELETED, terms__overlap=words),
            profile_id=profile_id,
        )
        .filter(
            Q(state__in=[FactState.SUPERSEDED, FactState.RETRACTED])
            | Q(state=FactState.CURRENT) & over  # nobody came by yet to close it
            | Q(state=FactState.DELETED) & ~Q(was_state__in=[FactState.PENDING, FactState.REJECTED])
        )
        .exclude(value="")
        .exclude(op="retract")
        .only("key", "value", "value_norm", "quote", "deleted_at", "valid_to", "expires_at", "source_audit_id", "state")
    )
    facts = _not_again(profile_id, list(rows))
    taught: dict[uuid.UUID, set[int]] = {row.id: {row.source_audit_id} - {None} for row in facts}  # type: ignore[misc]
    for fact_id, audit in FactSource.objects.filter(fact_id__in=list(taught)).values_list("fact_id", F("audit_id")):
        taught[fact_id].add(audit)
    return [
        _Past(
            row.value,
            row.quote,
            row.deleted_at if row.state == FactState.DELETED else None,
            (row.deleted_at if row.state == FactState.DELETED else None) or row.valid_to or row.expires_at,
            frozenset(taught[row.id]),
            frozenset(given.get(row.id, ())),
        )
        for row in facts
    ]


def _not_again(profile_id: uuid.UUID, past: Sequence[Fact]) -> list[Fact]:
    """Those whose value does not hold again, under their key or in a sentence of its own."""
    if not past:
        return []
    held = Fact.objects.filter(
        Q(key__in={row.key for row in past if row.key}) | Q(key__isnull=True),
        Q(expires_at__isnull=True) | Q(expires_at__gt=Now()),
        profile_id=profile_id,
        state=FactState.CURRENT,
        value_norm__in={row.value_norm for row in past},
    )
    again = set(held.values_list("key", "value_norm"))
    return [row for row in past if again.isdisjoint({(row.key, row.value_norm), (None, row.value_norm)})]
