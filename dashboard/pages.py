"""What all pages share: how one is shown, what a piece of one is, and where a form leads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import get_script_prefix
from django.utils.http import url_has_allowed_host_and_scheme

from dashboard.person import Person
from memory import review_selectors, work_selectors
from memory.db import profile_scope

MOST_SHOWN = 99  # waiting things are counted this far for the navigation


def page(
    request: HttpRequest,
    person: Person,
    template: str,
    context: Mapping[str, Any],
    *,
    name: str = "",
    status: int = 200,
) -> HttpResponse:
    """A whole page. `name` is its place in the navigation. Call outside of any scope."""
    profile_id = person.profile.id
    with profile_scope(profile_id):
        waiting = {
            "review": review_selectors.count(profile_id=profile_id, most=MOST_SHOWN + 1),
            "workers": work_selectors.count_dead(profile_id=profile_id, most=MOST_SHOWN + 1),
        }
    shown = {"person": person, "profile": person.profile, "page_name": name, "waiting": waiting, **context}
    return render(request, f"dashboard/{template}", shown, status=status)


def piece(request: HttpRequest, template: str, context: Mapping[str, Any], *, status: int = 200) -> HttpResponse:
    """A part of a page, to be put in the place of another; `said` in the context is also read out."""
    response = render(request, f"dashboard/{template}", dict(context), status=status)
    if context.get("said"):
        response["HX-Trigger"] = json.dumps({"said": str(context["said"])})
    return response


def wants_piece(request: HttpRequest) -> bool:
    """Whether the script asks, and for a part alone."""
    return request.headers.get("HX-Request") == "true" and "HX-History-Restore-Request" not in request.headers


def see_other(request: HttpRequest, default: object) -> HttpResponse:
    """After a form: to where it says, as long as that is a page of ours."""
    wanted = request.POST.get("next", "")
    ours = wanted.startswith(f"{get_script_prefix()}dashboard/") and url_has_allowed_host_and_scheme(wanted, None)
    response: HttpResponse = HttpResponseRedirect(wanted if ours else str(default))
    response.status_code = 303
    return response
