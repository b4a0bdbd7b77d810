"""What memory has for a chat, as rows of a page: what brought each up, its scores, and why it is not given."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dashboard import facts_shown
from dashboard.facts_shown import Row
from dashboard.person import Person
from memory import selectors
from memory.config import conf
from memory.domain.block import Fall
from memory.models import Fact
from memory.recall import Item, Rule

RULES = {
    Rule.ASKED: gettext_lazy("asked for"),
    Rule.CORE: gettext_lazy("core"),
    Rule.ALIKE: gettext_lazy("past conversation"),
}
FALLS = {
    Fall.COUNT: gettext_lazy("as many as there may be are given, and rank higher"),
    Fall.ROOM: gettext_lazy("longer than what was left of the budget"),
    Fall.EMPTY: gettext_lazy("nothing of it can be shown"),
    Fall.GONE: gettext_lazy("it says what you deleted"),
}
SCORES = {
    "semantic": gettext_lazy("Close in meaning"),
    "lexical": gettext_lazy("Words of the question in it"),
    "importance": gettext_lazy("Importance"),
    "recent": gettext_lazy("Used or confirmed of late"),
    "freshness": gettext_lazy("Freshness"),
    "recall_weight": gettext_lazy("Recalled before"),
}


@dataclass(frozen=True)
class Shown:
    """One item. `row`: the fact that it is, with its own score; `parts`: (name, value) of what its rank is made of."""

    id: str
    text: str
    rule: str
    label: str
    score: float | None
    parts: tuple[tuple[str, float], ...]
    why: str = ""
    at: datetime | None = None
    since_changed: bool = False
    fell: str = ""
    row: Row | None = None


def parts(person: Person, items: Sequence[Item]) -> tuple[list[Shown], list[Shown]]:
    """What is given, and what is not. Call inside the profile's scope."""
    rows = fact_rows(person, [item.id for item in items if item.is_fact])
    shown = [(item.left_out is None, _shown(item, rows.get(item.id))) for item in items]
    return [one for given, one in shown if given], [one for given, one in shown if not given]


def _shown(item: Item, row: Row | None) -> Shown:
    return Shown(
        item.id,
        item.text,
        item.rule.value,
        str(RULES[item.rule]),
        item.score,
        named(item.scores),
        item.why,
        item.at,
        item.since_changed,
        str(FALLS[item.left_out]) if item.left_out else "",
        row,
    )


def named(scores: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    """The parts of a score with their names; what has none or is no number is left out."""
    return tuple(
        (str(label), scores[name]) for name, label in SCORES.items() if isinstance(scores.get(name), int | float)
    )


def fact_rows(person: Person, ids: Iterable[str]) -> dict[str, Row]:
    """Rows of facts that are still there, by id. Call inside the profile's scope."""
    wanted = [uuid.UUID(each) for each in ids]
    held = selectors.with_score(Fact.objects.filter(profile_id=person.profile.id, id__in=wanted))
    found = [fact for fact in held.select_related("space") if fact.state != "deleted"]
    return {str(row.fact.id): row for row in facts_shown.rows(person, found)}


def budgets() -> list[str]:
    """What bounds the notes, in sentences."""
    memory = conf().memory
    return [
        _("At most %(n)d facts in %(chars)d characters.")
        % {"n": memory.facts_inject.max_facts, "chars": memory.facts_inject.max_chars},
        _("At most %(n)d past conversations in %(chars)d characters.")
        % {"n": memory.episodes_recall.top_k, "chars": memory.episodes_recall.max_chars},
    ]
