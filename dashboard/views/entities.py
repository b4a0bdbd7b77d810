"""Who and what the facts are about: all of them, and one with everything that is known about it."""

from __future__ import annotations

import uuid
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from dashboard import facts_shown
from dashboard.filters import MAX_QUERY
from dashboard.pages import page
from dashboard.person import Person, own_page
from memory import entity_selectors, selectors
from memory.db import profile_scope
from memory.domain.roles import EntityKind
from memory.domain.text import clean
from memory.models import FactState

PAGE_SIZE = 50
KINDS = {
    EntityKind.PERSON: _("People"),
    EntityKind.PET: _("Pets"),
    EntityKind.ORGANISATION: _("Organisations"),
    EntityKind.PROJECT: _("Projects"),
    EntityKind.PLACE: _("Places"),
    EntityKind.DEVICE: _("Devices"),
    EntityKind.VEHICLE: _("Vehicles"),
}


@require_safe
@own_page
def listed(request: HttpRequest, person: Person) -> HttpResponse:
    profile_id = person.profile.id
    q = clean(request.GET.get("q", ""))[:MAX_QUERY].strip()
    kind = request.GET.get("kind", "")
    kind = kind if kind in set(EntityKind) else ""
    with profile_scope(profile_id):
        rows: Any = entity_selectors.entities(profile_id=profile_id, kind=kind or None, q=q or None)
        rows = rows.annotate(last=Max("links__fact__last_confirmed_at")).order_by("-last", "id")
        there = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
        known = entity_selectors.described(profile_id=profile_id, rows=there)
    context = {"page": there, "known": known, "q": q, "kind": kind, "kinds": KINDS.items()}
    return page(request, person, "entities.html", context, name="entities")


@require_safe
@own_page
def one(request: HttpRequest, person: Person, entity_id: uuid.UUID) -> HttpResponse:
    profile_id = person.profile.id
    with profile_scope(profile_id):
        known = entity_selectors.entity(profile_id=profile_id, entity_id=entity_id)
        if known is None:
            raise Http404
        facts = selectors.facts_of_entity(profile_id=profile_id, entity_id=entity_id)
        there = Paginator(facts, PAGE_SIZE).get_page(request.GET.get("page"))
        rows = facts_shown.rows(person, list(there))
    parts = [
        (_("Holds now"), [row for row in rows if row.holds]),
        (_("Waits for review"), [row for row in rows if row.fact.state == FactState.PENDING]),
        (_("Held before"), [row for row in rows if row.is_past]),
    ]
    return page(request, person, "entity.html", {"known": known, "page": there, "parts": parts}, name="entities")
