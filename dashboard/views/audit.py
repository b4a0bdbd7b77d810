"""What happened: the newest rows of the log, and one row whole."""

from __future__ import annotations

import json
import re

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.person import own_page
from dashboard.telling import told
from memory import overview, recall
from memory.db import profile_scope
from memory.models import Profile

PAGE_SIZE = 100
_NUMBER = re.compile(r"[0-9]{1,18}")


@require_safe
@own_page
def listed(request: HttpRequest, profile: Profile) -> HttpResponse:
    before = request.GET.get("before", "")
    with profile_scope(profile.id):
        rows = overview.audit_listed(profile_id=profile.id, wanted=overview.AuditFilter())
        if _NUMBER.fullmatch(before):
            rows = rows.filter(id__lt=int(before))
        found = list(rows.order_by("-id")[: PAGE_SIZE + 1])
        page = found[:PAGE_SIZE]
        shown = [{"row": row, "told": told(row)} for row in page]
        older = page[-1].id if len(found) > PAGE_SIZE else None
        context = {"page_name": "audit", "profile": profile, "rows": shown, "older": older, "first": not before}
        return render(request, "dashboard/audit.html", context)


@require_safe
@own_page
def row(request: HttpRequest, profile: Profile, audit_id: str) -> HttpResponse:
    if not _NUMBER.fullmatch(audit_id):
        raise Http404
    with profile_scope(profile.id):
        found = overview.audit_row(profile_id=profile.id, audit_id=int(audit_id))
        if found is None:
            raise Http404
        taught = overview.facts_from(profile_id=profile.id, audit_id=found.id)
        shown = {
            "profile": profile,
            "row": found,
            "told": told(found),
            "messages_said": _messages(found.payload),
            "taught": [{"fact": fact, "sentence": recall.sentence(fact, profile)} for fact in taught],
            "payload": json.dumps(found.payload, indent=2, ensure_ascii=False, sort_keys=True),
        }
        return render(request, "dashboard/audit_row.html", shown)


def _messages(payload: dict[str, object]) -> list[dict[str, str]]:
    """The turns of a chat, as far as the row holds them."""
    said = payload.get("messages")
    lines = [m for m in said if isinstance(m, dict)] if isinstance(said, list) else []
    shown = [{"role": str(m.get("role", "")), "text": str(m.get("text", ""))} for m in lines]
    answer = payload.get("answer")
    if isinstance(answer, dict):
        shown.append({"role": "assistant", "text": str(answer.get("text", ""))})
    return shown
