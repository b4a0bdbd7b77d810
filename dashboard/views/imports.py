"""Importing a file: first what would come of it, then the import, and the imports there were."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from dashboard import imported_shown
from dashboard.pages import page, see_other
from dashboard.person import Person, own_page
from memory import imports
from memory.db import profile_scope
from memory.errors import CaesarError
from memory.portable import uploading

MOST_SHOWN = 10


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def home(request: HttpRequest, person: Person) -> HttpResponse:
    """A file that is sent is looked through and kept, for the person to say whether it is to be imported."""
    if request.method != "POST":
        return _page(request, person)
    file = request.FILES.get("file")
    if file is None:
        return _page(request, person, status=400, problem=_("Choose a file."))
    profile_id, name = person.profile.id, (file.name or "").replace("\0", "")
    token = uploading.keep(profile_id=profile_id, body=file)
    try:
        report = uploading.run_kept(profile_id=profile_id, token=token, name=name, dry_run=True)
    except CaesarError as error:
        uploading.drop(profile_id=profile_id, token=token)
        return _page(request, person, status=error.status, problem=str(error))
    found = {
        "token": token,
        "name": name,
        "format": imported_shown.format_of(report.format),
        "records": report.total,
        "counts": imported_shown.counts_of(report.counts),
        "skipped": imported_shown.skipped_of(report),
        "more": report.unused - len(report.skipped),
        "is_own": report.format == "caesar",
    }
    return _page(request, person, found=found)


@require_POST
@own_page
def go(request: HttpRequest, person: Person, token: uuid.UUID) -> HttpResponse:
    """Import the file that was looked through; or keep it no longer."""
    profile_id = person.profile.id
    if request.POST.get("do") == "drop":
        uploading.drop(profile_id=profile_id, token=token)
        return see_other(request, reverse("dashboard:import"))
    name = request.POST.get("name", "").replace("\0", "")
    try:
        report = uploading.run_kept(
            profile_id=profile_id, token=token, name=name, settings=request.POST.get("with_settings") == "on"
        )
    except CaesarError as error:
        return _page(request, person, status=error.status, problem=str(error))
    uploading.drop(profile_id=profile_id, token=token)
    counts = "; ".join(imported_shown.counts_of(report.counts)) or _("nothing that is not there already")
    messages.success(request, _("Imported. %(counts)s") % {"counts": counts})
    return see_other(request, reverse("dashboard:import"))


def _page(request: HttpRequest, person: Person, *, status: int = 200, **more: Any) -> HttpResponse:
    with profile_scope(person.profile.id):
        rows = imports.listed(profile_id=person.profile.id).order_by("-updated_at")
        there = imported_shown.shown((row, row.unread) for row in rows[:MOST_SHOWN])
    return page(request, person, "import.html", {"imports": there, **more}, name="settings", status=status)
