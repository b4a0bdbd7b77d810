"""People and spaces: what is agreed to, side by side, and how each profile is read."""

from __future__ import annotations

import uuid
import zoneinfo
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.pages import page, see_other
from dashboard.person import Person, own_page
from memory import profile_selectors, profiles, spaces
from memory.domain.sensitive import ALWAYS_REFUSED, Handling, Policy, SensitiveClass
from memory.errors import CaesarError, Conflict, InvalidInput, NotFound
from memory.models import Approval, Profile, Space

LIST = reverse_lazy("dashboard:people")
SWITCHES = ("memory_enabled", "summaries_enabled")
APPROVALS = {
    Approval.AUTO: gettext_lazy("Plain statements hold at once; what is doubtful waits for review"),
    Approval.REVIEW: gettext_lazy("Everything waits for review"),
}
HANDLINGS = {
    Handling.NEVER: gettext_lazy("Never keep it"),
    Handling.REVIEW: gettext_lazy("Ask me"),
    Handling.ALLOW: gettext_lazy("Keep it like anything else"),
}
CLASSES = {
    SensitiveClass.HEALTH: gettext_lazy("Diagnoses, medication, test results"),
    SensitiveClass.SENSITIVE_PERSONAL: gettext_lazy("Other very personal matters"),
}


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def listed(request: HttpRequest, person: Person) -> HttpResponse:
    """All profiles of the account; a new one by its name."""
    status = 200
    if request.method == "POST":
        try:
            made = profiles.resolve(user_id=person.user.pk, name=request.POST.get("name", ""))
        except InvalidInput as error:
            messages.error(request, str(error))
            status = error.status
        else:
            messages.success(request, _("There is a profile %(name)s.") % {"name": made.name})
            return see_other(request, LIST)
    there = profile_selectors.spaces_of_user(user_id=person.user.pk)
    own = [_shown(profile, there.get(profile.id, [])) for profile in person.profiles]
    context = {
        "own": own,
        "approvals": APPROVALS.items(),
        "handlings": HANDLINGS.items(),
        "zones": sorted(zoneinfo.available_timezones()),
    }
    return page(request, person, "people.html", context, name="people", status=status)


@require_POST
@own_page
def settings(request: HttpRequest, person: Person, profile_id: uuid.UUID) -> HttpResponse:
    """One profile's form, with the switches of its spaces."""
    profile = _own(person, profile_id)
    typed = request.POST
    try:
        changes: dict[str, Any] = {name: name in typed for name in SWITCHES}
        changes |= {name: typed[name].strip() for name in ("approval", "timezone", "language") if name in typed}
        policy = {cls.value: typed[cls.value] for cls in CLASSES if cls.value in typed}
        if policy:
            changes["sensitive_policy"] = {**_policy(profile), **policy}
        profiles.update(profile_id=profile.id, changes=changes)
        for space in profile_selectors.spaces(profile_id=profile.id):
            # A space that was made while the page was open has no switches on it.
            if f"space {space.slug}" in typed:
                new = {name: f"{space.slug} {name}" in typed for name in SWITCHES}
                spaces.update_space(profile_id=profile.id, slug=space.slug, changes=new)
    except (InvalidInput, NotFound, Conflict) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Saved."))
    return see_other(request, LIST)


@require_POST
@own_page
def add_space(request: HttpRequest, person: Person, profile_id: uuid.UUID) -> HttpResponse:
    fields = {"slug": request.POST.get("slug", "").strip()}
    if request.POST.get("name", "").strip():
        fields["name"] = request.POST["name"]
    try:
        spaces.create_space(profile_id=_own(person, profile_id).id, fields=fields)
    except (InvalidInput, Conflict) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Added."))
    return see_other(request, LIST)


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def remove_space(request: HttpRequest, person: Person, profile_id: uuid.UUID, slug: str) -> HttpResponse:
    """Asks what becomes of its facts, then removes it."""
    profile = _own(person, profile_id)
    there = {space.slug: space for space in profile_selectors.spaces(profile_id=profile.id)}
    if slug not in there:
        raise Http404
    if request.method != "POST":
        context = {"whose": profile, "space": there[slug]}
        return page(request, person, "space_remove.html", context, name="people")
    try:
        spaces.remove_space(profile_id=profile.id, slug=slug, facts_to=request.POST.get("facts", ""))
    except CaesarError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The space is removed."))
    return see_other(request, LIST)


def _own(person: Person, profile_id: uuid.UUID) -> Profile:
    found = next((profile for profile in person.profiles if profile.id == profile_id), None)
    if found is None:
        raise Http404
    return found


def _policy(profile: Profile) -> dict[str, str]:
    return Policy.parse(profile.sensitive_policy).as_dict()


def _shown(profile: Profile, its_spaces: list[Space]) -> dict[str, Any]:
    policy = _policy(profile)
    classes = [(cls.value, label, policy[cls.value]) for cls, label in CLASSES.items() if cls not in ALWAYS_REFUSED]
    return {"profile": profile, "spaces": its_spaces, "classes": classes}
