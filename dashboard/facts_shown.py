"""Facts as rows of a page: sentence, score with its parts, who it is about, where it comes from."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from dashboard.person import Person
from memory import entity_selectors, fact_selectors, sentences
from memory.domain.types import Op
from memory.fact_selectors import Breakdown
from memory.models import Fact, FactState

STATES = {
    FactState.CURRENT.value: _("holds now"),
    FactState.PENDING.value: _("waits for review"),
    FactState.SUPERSEDED.value: _("replaced"),
    FactState.RETRACTED.value: _("no longer so"),
    FactState.REJECTED.value: _("rejected"),
}


@dataclass(frozen=True)
class Row:
    """One fact. `heading` is set on the first of a group."""

    fact: Fact
    sentence: str
    about: entity_selectors.Named | None = None
    heading: str | None = None

    @property
    def score(self) -> Breakdown:
        """Of a fact that was read with its score."""
        return fact_selectors.breakdown(self.fact)

    @property
    def holds(self) -> bool:
        return self.fact.state == FactState.CURRENT

    @property
    def is_past(self) -> bool:
        return self.fact.state in (FactState.SUPERSEDED, FactState.RETRACTED)

    @property
    def closes(self) -> bool:
        return self.fact.op == Op.RETRACT.value

    @property
    def standing(self) -> str:
        """Where it stands, in a word."""
        return str(STATES.get(self.fact.state, self.fact.state))

    @property
    def key(self) -> str:
        """The id of the row on the page."""
        return f"fact-{self.fact.id}"


def row(person: Person, fact: Fact) -> Row:
    """Call inside the profile's scope."""
    return rows(person, [fact])[0]


def rows(person: Person, facts: Sequence[Fact]) -> list[Row]:
    """Call inside the profile's scope. Two queries where a fact is about somebody, however many there are."""
    known = _entities(person.profile.id, {fact.entity_id for fact in facts if fact.entity_id})
    return [Row(fact, sentences.sentence(fact, person.profile), known.get(fact.entity_id)) for fact in facts]


def _entities(profile_id: uuid.UUID, ids: set[uuid.UUID]) -> dict[uuid.UUID | None, entity_selectors.Named]:
    if not ids:
        return {}
    found = entity_selectors.entities(profile_id=profile_id).filter(id__in=ids)
    return {known.id: known for known in entity_selectors.named(profile_id=profile_id, rows=found)}
