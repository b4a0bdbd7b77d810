"""What happened: the newest rows of the log, and one row whole."""

from __future__ import annotations

import json
import re

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from dashboard import facts_shown
from dashboard.pages import page
from dashboard.person import Person, own_page
from dashboard.telling import told
from dashboard.turns import turns
from memory import overview
from memory.db import profile_scope
from memory.models import AuditLog

PAGE_SIZE = 100
_NUMBER = re.compile(r"[0-9]{1,18}")


@require_safe
@own_page
def listed(request: HttpRequest, person: Person) -> HttpResponse:
    before = request.GET.get("before", "")
    with profile_scope(person.profile.id):
        rows = overview.audit_listed(profile_id=person.profile.id, wanted=overview.AuditFilter())
        if _NUMBER.fullmatch(before):
            rows = rows.filter(id__lt=int(before))
        found = list(rows.order_by("-id")[: PAGE_SIZE + 1])
    shown = [{"row": row, "told": told(row)} for row in found[:PAGE_SIZE]]
    older = found[PAGE_SIZE - 1].id if len(found) > PAGE_SIZE else None
    return page(request, person, "audit.html", {"rows": shown, "older": older, "first": not before}, name="audit")


@require_safe
@own_page
def row(request: HttpRequest, person: Person, audit_id: str) -> HttpResponse:
    found = _row(person, audit_id)
    with profile_scope(person.profile.id):
        taught = overview.facts_from(profile_id=person.profile.id, audit_id=found.id)
        rows = facts_shown.rows(person, taught)
    asked = [fact.quote for fact in taught if str(fact.id) == request.GET.get("fact")]
    context = {
        "row": found,
        "told": told(found),
        "turns": turns(found.payload, asked or [fact.quote for fact in taught]),
        "taught": rows,
        "payload": _raw(found),
    }
    return page(request, person, "audit_row.html", context, name="audit")


@require_safe
@own_page
def raw(request: HttpRequest, person: Person, audit_id: str) -> HttpResponse:
    """The row as it is kept, as JSON."""
    found = _row(person, audit_id)
    return HttpResponse(_raw(found), content_type="application/json; charset=utf-8")


def _row(person: Person, audit_id: str) -> AuditLog:
    if not _NUMBER.fullmatch(audit_id):
        raise Http404
    with profile_scope(person.profile.id):
        found = overview.audit_row(profile_id=person.profile.id, audit_id=int(audit_id))
    if found is None:
        raise Http404
    return found


def _raw(row: AuditLog) -> str:
    return json.dumps(row.payload, indent=2, ensure_ascii=False, sort_keys=True)
