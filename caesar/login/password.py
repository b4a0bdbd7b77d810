"""/dashboard/settings/password: the account's own way in."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from caesar.login import lockout
from dashboard.pages import page, see_other
from dashboard.person import Person, own_page
from memory import audit
from memory.db import operator_scope
from memory.models import Event

RULES = gettext_lazy("At least 10 characters, and none of those that everybody takes.")
OLD = "old_password"


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def change(request: HttpRequest, person: Person) -> HttpResponse:
    """Who has a password types it before the new one; guessing at it counts as at the login."""
    form, status = _form(person.user, request.POST if request.method == "POST" else None), 200
    if request.method == "POST":
        address = str(request.META.get("REMOTE_ADDR") or "")
        if lockout.locked(address):
            return _page(request, person, _form(person.user, None), lockout.LOCKED, 429)
        if form.is_valid():
            form.save()
            update_session_auth_hash(request, person.user)
            _tell(person)
            messages.success(request, _("Saved. Other browsers have to log in again."))
            return see_other(request, reverse("dashboard:settings"))
        if OLD in form.errors and request.POST.get(OLD):
            lockout.failed(address, "password")
        status = 400
    return _page(request, person, form, status=status)


def _form(user: User, typed: Any) -> Any:
    form: Any = PasswordChangeForm(user, typed) if user.has_usable_password() else SetPasswordForm(user, typed)
    form.fields["new_password1"].help_text = RULES
    form.fields["new_password2"].help_text = ""
    form.fields["new_password1"].label = _("New password")
    form.fields["new_password2"].label = _("The same again")
    if OLD in form.fields:
        form.fields[OLD].label = _("Old password")
    return form


def _page(request: HttpRequest, person: Person, form: Any, problem: Any = "", status: int = 200) -> HttpResponse:
    shown = {"form": form, "problem": problem, "known": person.user.has_usable_password()}
    return page(request, person, "password.html", shown, name="settings", status=status)


def _tell(person: Person) -> None:
    told = {"subject": "account", "name": person.user.get_username(), "did": "password set", "user_id": person.user.pk}
    with operator_scope():
        audit.record(audit.Entry(Event.SETTINGS_CHANGED, person.profile.id, told, actor="person"))
