"""One fact: corrected, deleted and taken back, its history, a new one."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard import facts_shown
from dashboard.forms import FactForm, NewFactForm
from dashboard.pages import page, piece, see_other, wants_piece
from dashboard.person import Person, own_page
from memory import facts, profile_selectors, selectors
from memory.db import profile_scope
from memory.errors import CaesarError, Conflict, InvalidInput, NotFound
from memory.models import Fact

LIST = reverse_lazy("dashboard:facts")


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def edit(request: HttpRequest, person: Person, fact_id: uuid.UUID) -> HttpResponse:
    fact = found(person, fact_id)
    if request.method != "POST":
        if request.GET.get("row") and wants_piece(request):
            return _row(request, person, fact_id)
        return _form(request, person, fact, _fact_form(person, fact))
    form = _fact_form(person, fact, request)
    if not form.is_valid():
        return _form(request, person, fact, form, 400)
    try:
        facts.edit(profile_id=person.profile.id, fact_id=fact_id, **form.edit())
    except NotFound:
        raise Http404 from None
    except (InvalidInput, Conflict) as error:
        form.add_error(None, str(error))
        return _form(request, person, fact, form, error.status)
    if wants_piece(request):
        return _row(request, person, fact_id, said=_("Saved."))
    messages.success(request, _("Saved."))
    return see_other(request, LIST)


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def add(request: HttpRequest, person: Person) -> HttpResponse:
    spaces = profile_selectors.spaces(profile_id=person.profile.id)
    form = NewFactForm(request.POST if request.method == "POST" else None, spaces=spaces)
    status = 200
    if request.method == "POST":
        status = 400
        if form.is_valid():
            try:
                facts.author(profile_id=person.profile.id, fields=form.fact())
            except (InvalidInput, Conflict, NotFound) as error:
                form.add_error(None, str(error))
                status = 400 if isinstance(error, NotFound) else error.status
            else:
                messages.success(request, _("Added."))
                return see_other(request, LIST)
    return page(request, person, "fact_add.html", {"form": form}, name="facts", status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def delete(request: HttpRequest, person: Person, fact_id: uuid.UUID) -> HttpResponse:
    fact = found(person, fact_id)
    if request.method != "POST":
        return page(request, person, "fact_delete.html", _one(person, fact), name="facts")
    try:
        facts.delete(profile_id=person.profile.id, fact_id=fact_id)
    except NotFound:
        raise Http404 from None
    except CaesarError as error:
        messages.error(request, str(error))
        return see_other(request, LIST)
    if wants_piece(request):
        return piece(request, "_fact_gone.html", {"fact_id": fact_id, "said": _("Deleted.")})
    messages.success(request, _("Deleted."), extra_tags=f"undo {fact_id}")
    return see_other(request, LIST)


@require_POST
@own_page
def undelete(request: HttpRequest, person: Person, fact_id: uuid.UUID) -> HttpResponse:
    try:
        facts.undelete(profile_id=person.profile.id, fact_id=fact_id)
    except NotFound:
        raise Http404 from None
    except Conflict as error:
        messages.error(request, str(error))
        return see_other(request, LIST)
    if wants_piece(request):
        return _row(request, person, fact_id, said=_("It is back."))
    messages.success(request, _("It is back."))
    return see_other(request, LIST)


@require_safe
@own_page
def history(request: HttpRequest, person: Person, fact_id: uuid.UUID) -> HttpResponse:
    fact = found(person, fact_id)
    with profile_scope(person.profile.id):
        values = list(selectors.history(profile_id=person.profile.id, fact=fact)[:200])
        rows = facts_shown.rows(person, values)
    held = any(row.holds for row in rows)
    context = {**_one(person, fact), "rows": rows, "held": held, "single": fact.cardinality == "one"}
    return page(request, person, "fact_history.html", context, name="facts")


@require_POST
@own_page
def revert(request: HttpRequest, person: Person, fact_id: uuid.UUID) -> HttpResponse:
    try:
        facts.revert(profile_id=person.profile.id, fact_id=fact_id)
    except NotFound:
        raise Http404 from None
    except Conflict as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("This value holds again."))
    return see_other(request, f"{LIST}/{fact_id}/history")


def found(person: Person, fact_id: uuid.UUID) -> Fact:
    """The person's fact, or 404."""
    with profile_scope(person.profile.id):
        fact = selectors.fact(profile_id=person.profile.id, fact_id=fact_id)
    if fact is None:
        raise Http404
    return fact


def _fact_form(person: Person, fact: Fact, request: HttpRequest | None = None) -> FactForm:
    spaces = profile_selectors.spaces(profile_id=person.profile.id)
    return FactForm(request.POST if request is not None else None, spaces=spaces, fact=fact)


def _one(person: Person, fact: Fact) -> dict[str, object]:
    with profile_scope(person.profile.id):
        return {"fact": fact, "row": facts_shown.row(person, fact)}


def _form(request: HttpRequest, person: Person, fact: Fact, form: FactForm, status: int = 200) -> HttpResponse:
    shown = {**_one(person, fact), "form": form}
    if wants_piece(request):
        return piece(request, "_fact_form.html", shown, status=status)
    return page(request, person, "fact.html", shown, name="facts", status=status)


def _row(request: HttpRequest, person: Person, fact_id: uuid.UUID, said: str = "") -> HttpResponse:
    shown = _one(person, found(person, fact_id))
    return piece(request, "_fact.html", {**shown, "ticks": True, "focus": True, "said": said})
