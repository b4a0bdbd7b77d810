"""One answer to many facts: first what it would do, then done."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from dashboard.pages import page, see_other
from dashboard.person import Person, own_page
from memory import facts
from memory.errors import InvalidInput

VERBS: dict[str, Callable[..., facts.Bulk]] = {
    "approve": facts.approve_many,
    "reject": facts.reject_many,
    "delete": facts.delete_many,
}
DID = {
    "adds": gettext_lazy("is added"),
    "replaces": gettext_lazy("replaces"),
    "confirms": gettext_lazy("confirms what is known"),
    "closes": gettext_lazy("ends"),
    "nothing": gettext_lazy("changes nothing"),
    "rejected": gettext_lazy("is rejected"),
    "deleted": gettext_lazy("is deleted"),
    "skipped": gettext_lazy("is left out"),
}


@require_POST
@own_page
def answer(request: HttpRequest, person: Person) -> HttpResponse:
    """Shows what it would do; with `sure` it is done."""
    action, sure = request.POST.get("action", ""), "sure" in request.POST
    verb = VERBS.get(action)
    ids = _ids(request.POST.getlist("ids"))
    if verb is None or not ids:
        messages.error(request, _("Nothing is ticked."))
        return see_other(request, reverse("dashboard:facts"))
    try:
        done = verb(profile_id=person.profile.id, ids=ids, dry_run=not sure)
    except InvalidInput as error:
        messages.error(request, str(error))
        return see_other(request, reverse("dashboard:facts"))
    did = sum(line.did != "skipped" for line in done.lines)
    if sure:
        messages.success(request, ngettext("%(n)d fact: done.", "%(n)d facts: done.", did) % {"n": did})
        return see_other(request, reverse("dashboard:facts"))
    lines = [(line, DID.get(line.did, line.did)) for line in done.lines]
    context = {"action": action, "ids": ids, "lines": lines, "did": did, "next": request.POST.get("next", "")}
    return page(request, person, "bulk.html", context)


def _ids(raw: list[str]) -> list[uuid.UUID]:
    found = []
    for each in raw:
        try:
            found.append(uuid.UUID(each))
        except ValueError:
            continue
    return found
