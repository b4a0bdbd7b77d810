"""What a list of facts is narrowed by, as it stands in the page's address. Nothing in it is an error."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from memory.domain.text import clean
from memory.domain.types import Category
from memory.fact_selectors import EVERYWHERE, Group, Sort, Standing, Wanted
from memory.models import SourceKind, Space

MAX_QUERY = 200
E = TypeVar("E", bound=StrEnum)

STANDINGS = {
    Standing.HOLDS: _("Holds now"),
    Standing.PENDING: _("Waits for review"),
    Standing.PAST: _("Held before"),
    Standing.REJECTED: _("Rejected"),
    Standing.DELETED: _("Deleted lately"),
}
SORTS = {
    Sort.SCORE: _("Score"),
    Sort.CONFIDENCE: _("Confidence"),
    Sort.CONFIRMED: _("Last confirmed"),
    Sort.NEWEST: _("First said"),
    Sort.KEY: _("Key"),
}
GROUPS = {Group.NONE: _("Nothing"), Group.ENTITY: _("Who it is about"), Group.KEY: _("Key")}
CATEGORIES = {
    Category.PREFERENCE: _("Preference"),
    Category.PERSON: _("Person"),
    Category.PROJECT: _("Project"),
    Category.GOAL: _("Goal"),
    Category.DECISION: _("Decision"),
    Category.FACT: _("Fact"),
    Category.WORKFLOW: _("Workflow"),
    Category.CUSTOM: _("Custom"),
}
SOURCES = {
    SourceKind.EXTRACTED: _("From a chat"),
    SourceKind.AUTHORED: _("By hand"),
    SourceKind.IMPORTED: _("Imported"),
    SourceKind.DOCUMENT: _("From a document"),
}


@dataclass(frozen=True)
class Filters:
    """What was chosen: `wanted` narrows, `sort` and `group` arrange."""

    wanted: Wanted
    sort: Sort
    group: Group

    @property
    def narrowed(self) -> bool:
        """Whether fewer than all facts of this standing are wanted."""
        return self.wanted != Wanted(self.wanted.standing)


def read(query: QueryDict) -> Filters:
    """From the address; what cannot be understood is taken as not given."""
    wanted = Wanted(
        standing=_one_of(query, "status", Standing) or Standing.HOLDS,
        q=clean(query.get("q", ""))[:MAX_QUERY].strip() or None,
        category=_one_of(query, "category", Category),
        space=clean(query.get("space", ""))[:MAX_QUERY] or None,
        source=_one_of(query, "source", SourceKind),
        entity=_uuid(query.get("entity", "")),
    )
    sort, group = _one_of(query, "sort", Sort), _one_of(query, "group", Group)
    return Filters(wanted, sort or Sort.SCORE, group or Group.NONE)


def spaces(there: list[Space]) -> dict[str, object]:
    """What can be chosen of the spaces; only worth a choice where there is more than one."""
    return {EVERYWHERE: _("Everywhere"), **{space.slug: space.name or space.slug for space in there}}


def _one_of(query: QueryDict, name: str, kind: type[E]) -> E | None:
    try:
        return kind(query.get(name, ""))
    except ValueError:
        return None


def _uuid(raw: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(raw)
    except ValueError:
        return None


def spaces_to_talk_in(there: list[Space]) -> list[tuple[str, str]]:
    """(slug, name) of each space, for a choice of one."""
    return [(space.slug, space.name or space.slug) for space in there]
