"""What would it know? The notes that a chat with a message would get, and why each is in them or not."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from dashboard import recalled_shown
from dashboard.filters import spaces_to_talk_in
from dashboard.pages import page
from dashboard.person import Person, own_page
from memory import context, profile_selectors, recall
from memory.db import profile_scope
from memory.domain.text import clean
from memory.errors import CaesarError, NotFound

BEYOND = 20  # so many are told of that come next and are not looked at


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def asked(request: HttpRequest, person: Person) -> HttpResponse:
    """The form; after it, what it asked for. Nothing is kept, and no model is asked."""
    text, space = request.POST.get("message", ""), clean(request.POST.get("space", "")) or None
    there = profile_selectors.spaces(profile_id=person.profile.id)
    shown: dict[str, Any] = {"message": text, "space": space, "spaces": spaces_to_talk_in(there), "tried": False}
    status = 200
    if request.method == "POST":
        try:
            shown |= _found(person, text, space)
        except NotFound:
            shown["problem"], status = _("That space is no longer there."), 404
        except CaesarError as error:
            shown["problem"], status = str(error), error.status
    return page(request, person, "context.html", shown, name="context", status=status)


def _found(person: Person, text: str, space: str | None) -> dict[str, Any]:
    profile_id = person.profile.id
    found = context.for_question(profile_id=profile_id, fields={"query": text, "space": space}, beyond=BEYOND)
    with profile_scope(profile_id):
        given, left_out = recalled_shown.parts(person, found.items)
    return {
        "tried": True,
        "notes": found.block,
        "given": given,
        "left_out": left_out,
        "off": found is recall.NOTHING,
        "budgets": recalled_shown.budgets(),
    }
