"""Settings: keys, models and what they answer, sentences, how long things are kept, and the end of it all."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard import models_tried
from dashboard.pages import page, see_other
from dashboard.person import CHOSEN, Person, operators_page, own_page
from dashboard.views import export
from memory import apikeys, erase, sentences
from memory.config import conf
from memory.errors import CaesarError, InvalidInput, NotFound

HOME = reverse_lazy("dashboard:settings")
EXAMPLE = 'car.colour: "Your car is {value}."\npreference.*: "You like {value}{about}."'


@require_safe
@own_page
def home(request: HttpRequest, person: Person) -> HttpResponse:
    return _page(request, person)


@require_POST
@own_page
def make_key(request: HttpRequest, person: Person) -> HttpResponse:
    """Shows the secret once, on the page that answers."""
    bound = request.POST.get("profile", "")
    profile = next((each for each in person.profiles if str(each.id) == bound), None)
    if bound and profile is None:
        raise Http404
    name = request.POST.get("name", "").replace("\0", "")
    _key, secret = apikeys.create(user_id=person.user.pk, name=name, profile_id=profile.id if profile else None)
    return _page(request, person, secret=secret)


@require_POST
@own_page
def revoke_key(request: HttpRequest, person: Person, key_id: uuid.UUID) -> HttpResponse:
    try:
        apikeys.revoke(user_id=person.user.pk, key_id=key_id)
    except NotFound:
        raise Http404 from None
    messages.success(request, _("The key opens nothing any more."))
    return see_other(request, HOME)


@require_POST
@operators_page
def try_model(request: HttpRequest, person: Person, task: str) -> HttpResponse:
    """Asks the model of a task something small, and shows what came back."""
    if task not in models_tried.LABELS:
        raise Http404
    return _page(request, person, tried=models_tried.ask(task))


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
@sensitive_post_parameters()
def erase_profile(request: HttpRequest, person: Person) -> HttpResponse:
    """Erases the profile that is looked at, for who types its name."""
    problem, status = "", 200
    if request.method == "POST":
        try:
            rows = erase.confirmed(profile=person.profile, fields={"confirm": request.POST.get("confirm", "")})
        except InvalidInput:
            problem, status = _("That is not its name: nothing was erased."), 400
        except CaesarError as error:
            problem, status = str(error), error.status
        else:
            request.session.pop(CHOSEN, None)
            messages.success(request, _("Erased: %(n)d rows.") % {"n": sum(rows.values())})
            return see_other(request, reverse("dashboard:facts"))
    return page(request, person, "erase.html", {"problem": problem}, name="settings", status=status)


def _page(request: HttpRequest, person: Person, **more: Any) -> HttpResponse:
    registry = sentences.registry()
    memory = conf().memory
    context: dict[str, Any] = {
        "keys": apikeys.all_of(person.user.pk),
        "templates": sorted(registry.exact.items()) + sorted((f"{k}.*", t) for k, t in registry.wildcard.items()),
        "templates_path": memory.templates_path if person.user.is_superuser else None,
        "templates_example": EXAMPLE,
        "exports": export.FORMS.items(),
        "retention_days": int(memory.retention_days),
        "undo_hours": int(memory.undo_hours),
        **more,
    }
    if person.user.is_superuser:
        context["routes"] = models_tried.routes()
    return page(request, person, "settings.html", context, name="settings")
