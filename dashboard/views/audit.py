"""What happened: the newest rows of the log, narrowed, and one row whole."""

from __future__ import annotations

import json
import re
from datetime import date, datetime, time, timedelta

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard import facts_shown, given_shown
from dashboard.pages import page, piece
from dashboard.person import Person, own_page
from dashboard.telling import KINDS, told
from dashboard.turns import turns
from memory import audit_selectors, overview
from memory.audit_selectors import Wanted
from memory.db import profile_scope
from memory.domain.text import clean
from memory.models import AuditLog, Event

PAGE_SIZE = 100
_NUMBER = re.compile(r"[0-9]{1,18}")


@require_safe
@own_page
def listed(request: HttpRequest, person: Person) -> HttpResponse:
    wanted = _wanted(request.GET)
    before = request.GET.get("before", "")
    start = int(before) if _NUMBER.fullmatch(before) else None
    with profile_scope(person.profile.id):
        found = audit_selectors.newest(profile_id=person.profile.id, wanted=wanted, before=start, most=PAGE_SIZE + 1)
    context = {
        "rows": [{"row": row, "told": told(row)} for row in found[:PAGE_SIZE]],
        "older": found[PAGE_SIZE - 1].id if len(found) > PAGE_SIZE else None,
        "first": start is None,
        "kinds": [(name, label) for name, (label, _events) in KINDS.items()],
        "narrowed": wanted != Wanted(),
        "asked": {name: request.GET.get(name, "") for name in ("kind", "since", "until", "conversation")},
    }
    return page(request, person, "audit.html", context, name="audit")


@require_safe
@own_page
def row(request: HttpRequest, person: Person, audit_id: str) -> HttpResponse:
    found = _row(person, audit_id)
    with profile_scope(person.profile.id):
        taught = overview.facts_from(profile_id=person.profile.id, audit_id=found.id)
        rows = facts_shown.rows(person, taught)
        given = given_shown.given(person, found) if found.event_type == Event.CHAT_COMPLETED else None
    asked = [fact.quote for fact in taught if str(fact.id) == request.GET.get("fact")]
    context = {
        "row": found,
        "told": told(found),
        "turns": turns(found.payload, asked or [fact.quote for fact in taught]),
        "taught": rows,
        "given": given,
        "payload": _raw(found),
    }
    return page(request, person, "audit_row.html", context, name="audit")


@require_safe
@own_page
def raw(request: HttpRequest, person: Person, audit_id: str) -> HttpResponse:
    """The row as it is kept, as JSON."""
    found = _row(person, audit_id)
    return HttpResponse(_raw(found), content_type="application/json; charset=utf-8")


@require_safe
@own_page
def given(request: HttpRequest, person: Person, audit_id: str) -> HttpResponse:
    """What a chat was given from memory, to be put under its answer."""
    found = given_shown.given_to_chat(person, int(audit_id)) if _NUMBER.fullmatch(audit_id) else None
    if found is None:
        raise Http404
    return piece(request, "_given.html", {"given": found})


def _wanted(query: QueryDict) -> Wanted:
    """From the address; what cannot be understood is taken as not given. Days are the person's, both included."""
    kind = KINDS.get(query.get("kind", ""))
    until = _day(query.get("until", ""))
    return Wanted(
        events=kind[1] if kind else (),
        since=_midnight(_day(query.get("since", ""))),
        until=_midnight(until + timedelta(days=1)) if until else None,
        conversation_id=clean(query.get("conversation", ""))[:200] or None,
    )


def _day(raw: str) -> date | None:
    try:
        day = date.fromisoformat(raw)
    except ValueError:
        return None
    return day if 1900 <= day.year <= 9000 else None


def _midnight(day: date | None) -> datetime | None:
    return timezone.make_aware(datetime.combine(day, time())) if day else None


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
