"""What is known: the list, searched, narrowed, sorted and grouped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dashboard import facts_shown, filters
from dashboard.facts_shown import Row
from dashboard.filters import Filters
from dashboard.pages import page
from dashboard.person import Person, own_page
from memory import fact_selectors, profile_selectors
from memory.db import profile_scope
from memory.fact_selectors import Group, Standing
from memory.facts import undo_time
from memory.models import Fact

PAGE_SIZE = 50


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return redirect("dashboard:facts")


@require_safe
@own_page
def listed(request: HttpRequest, person: Person) -> HttpResponse:
    chosen = filters.read(request.GET)
    spaces = profile_selectors.spaces(profile_id=person.profile.id)
    with profile_scope(person.profile.id):
        rows = fact_selectors.listed(profile_id=person.profile.id, wanted=chosen.wanted)
        there: Page[Fact] = Paginator(rows.order_by("id"), PAGE_SIZE).get_page(request.GET.get("page"))
        found = fact_selectors.page(
            rows, sort=chosen.sort, group=chosen.group, start=max(0, there.start_index() - 1), most=PAGE_SIZE
        )
        shown = list(_with_headings(facts_shown.rows(person, found), chosen.group))
    context: dict[str, Any] = {
        "page": there,
        "rows": shown,
        "chosen": chosen,
        "selects": _selects(chosen, filters.spaces(spaces)),
        "undo_hours": int(undo_time().total_seconds() // 3600),
        "deleted": chosen.wanted.standing is Standing.DELETED,
    }
    return page(request, person, "facts.html", context, name="facts")


def _selects(chosen: Filters, spaces: dict[str, object]) -> list[dict[str, Any]]:
    """The choices above the list; `any` is what leaves a choice open."""
    wanted = chosen.wanted
    named: list[tuple[str, str, str | None, Mapping[Any, Any], object]] = [
        ("status", _("Status"), None, filters.STANDINGS, wanted.standing),
        ("category", _("Category"), _("All categories"), filters.CATEGORIES, wanted.category),
        ("space", _("Space"), _("All spaces"), spaces, wanted.space),
        ("source", _("Source"), _("All sources"), filters.SOURCES, wanted.source),
        ("sort", _("Sorted by"), None, filters.SORTS, chosen.sort),
        ("group", _("Grouped by"), None, filters.GROUPS, chosen.group),
    ]
    return [
        {"name": name, "label": label, "any": open_, "options": options.items(), "value": value}
        for name, label, open_, options, value in named
        if len(options) > 2 or name != "space" or value
    ]


def _with_headings(rows: list[Row], group: Group) -> Iterator[Row]:
    """Sets the heading of the first row of each group; one that goes on from the last page has it too."""
    before = None
    for row in rows:
        if group is Group.NONE:
            yield row
            continue
        mine: str = row.fact.group  # type: ignore[attr-defined]
        yield replace(row, heading=_heading(row, mine, group)) if mine != before else row
        before = mine


def _heading(row: Row, mine: str, group: Group) -> str:
    if group is Group.KEY:
        return mine.replace("_", " ").capitalize() if mine else _("Without a key")
    return row.about.title.name if row.about else _("Yourself")
