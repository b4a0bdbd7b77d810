"""The admin site: each view runs in the operator's scope, and what it changes is done by verbs after that."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import structlog
from django.contrib import admin, messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse, reverse_lazy
from django.utils.http import urlencode

from memory.db import operator_scope
from memory.errors import CaesarError

LOG = structlog.get_logger(__name__)
MOST_COMPLAINTS = 5
Verb = Callable[[], object]


def afterwards(request: HttpRequest, verb: Verb) -> None:
    """Have a verb run once the operator's scope is closed: it opens the scope of the person that it is about."""
    request.caesar_verbs.append(verb)  # type: ignore[attr-defined]


class ScopedAdminSite(admin.AdminSite):
    """Opens the operator's scope around each view, so that row-level security lets the operator through."""

    site_header = "CAESAR memory"
    site_title = "CAESAR"
    index_title = "All tables"
    site_url: Any = reverse_lazy("dashboard:facts")

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        @wraps(view)
        def scoped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if _has_nul(request):
                raise BadRequest("No name or id here has a NUL character.")
            verbs: list[Verb] = []
            request.caesar_verbs = verbs  # type: ignore[attr-defined]
            with operator_scope():
                response: HttpResponse = view(request, *args, **kwargs)
                # Templates read rows lazily: they must do so before the scope ends.
                if hasattr(response, "render") and callable(response.render):
                    response.render()
            return _performed(request, response, verbs) if verbs else response

        return super().admin_view(scoped, cacheable)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """There is one door, with one lock."""
        wanted = request.GET.get("next") or reverse("admin:index")
        return HttpResponseRedirect(f"{reverse('login')}?{urlencode({'next': wanted})}")


def _has_nul(request: HttpRequest) -> bool:
    """In what Django would put into a query as it came. What is typed into forms is for these to judge."""
    return any("\0" in text for text in (request.path_info, *request.GET.getlist("term")))


def _performed(request: HttpRequest, response: HttpResponse, verbs: list[Verb]) -> HttpResponse:
    """Run the verbs, each in its own transaction; say what was done and what was not."""
    complaints = []
    for verb in verbs:
        try:
            verb()
        except CaesarError as error:
            complaints.append(str(error))
    done = len(verbs) - len(complaints)
    if done:
        messages.success(request, "Done." if done == 1 else f"Done: {done}.")
    if not complaints:
        return response
    for complaint in list(dict.fromkeys(complaints))[:MOST_COMPLAINTS]:
        messages.error(request, complaint)
    if len(verbs) > 1:
        messages.error(request, f"Not done: {len(complaints)}.")
        return response
    return HttpResponseRedirect(request.get_full_path())
