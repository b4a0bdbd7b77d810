"""What is known: the list, a fact to be corrected, a fact to be deleted."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.forms import FactForm
from dashboard.person import own_page
from memory import facts, recall, selectors
from memory.db import profile_scope
from memory.domain.text import clean
from memory.errors import CaesarError, Conflict, InvalidInput, NotFound
from memory.models import Fact, Profile

PAGE_SIZE = 50
MAX_QUERY = 200


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return redirect("dashboard:facts")


@require_safe
@own_page
def listed(request: HttpRequest, profile: Profile) -> HttpResponse:
    wanted = clean(request.GET.get("q", ""))[:MAX_QUERY].strip()
    with profile_scope(profile.id):
        rows = selectors.facts_listed(profile_id=profile.id, wanted=selectors.FactFilter(q=wanted or None))
        page = Paginator(rows.order_by(F("score").desc(), "id"), PAGE_SIZE).get_page(request.GET.get("page"))
        shown = [{"fact": fact, "sentence": recall.sentence(fact, profile)} for fact in page]
        context = {"page_name": "facts", "profile": profile, "page": page, "facts": shown, "q": wanted}
        return render(request, "dashboard/facts.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def edit(request: HttpRequest, profile: Profile, fact_id: uuid.UUID) -> HttpResponse:
    fact = _found(profile, fact_id)
    if request.method != "POST":
        form = FactForm(initial={"value": fact.value, "confidence": fact.confidence, "version": fact.version})
        return _form(request, profile, fact, form)
    form = FactForm(request.POST)
    if form.is_valid():
        try:
            facts.edit(profile_id=profile.id, fact_id=fact_id, **form.edit())
        except NotFound:
            raise Http404 from None
        except (InvalidInput, Conflict) as error:
            form.add_error(None, str(error))
            return _form(request, profile, fact, form, error.status)
        messages.success(request, "Saved.")
        return _see_other()
    return _form(request, profile, fact, form, 400)


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def delete(request: HttpRequest, profile: Profile, fact_id: uuid.UUID) -> HttpResponse:
    fact = _found(profile, fact_id)
    if request.method != "POST":
        return render(request, "dashboard/fact_delete.html", _shown(profile, fact))
    try:
        facts.delete(profile_id=profile.id, fact_id=fact_id)
    except NotFound:
        raise Http404 from None
    except CaesarError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "Deleted.")
    return _see_other()


def _found(profile: Profile, fact_id: uuid.UUID) -> Fact:
    with profile_scope(profile.id):
        fact = selectors.fact(profile_id=profile.id, fact_id=fact_id)
    if fact is None:
        raise Http404
    return fact


def _shown(profile: Profile, fact: Fact) -> dict[str, Any]:
    return {"profile": profile, "fact": fact, "sentence": recall.sentence(fact, profile)}


def _form(request: HttpRequest, profile: Profile, fact: Fact, form: FactForm, status: int = 200) -> HttpResponse:
    shown = {**_shown(profile, fact), "form": form}
    return render(request, "dashboard/fact.html", shown, status=status)


def _see_other() -> HttpResponse:
    response: HttpResponse = HttpResponseRedirect("/dashboard/facts")
    response.status_code = 303
    return response
