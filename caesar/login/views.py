"""/login/ and /logout/."""

from __future__ import annotations

import hmac

from django.conf import settings
from django.contrib.auth import authenticate, login, logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.urls import reverse, reverse_lazy
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from caesar.login import lockout, tokens
from memory import operations

HOME = reverse_lazy("dashboard:facts")
WRONG = gettext_lazy("That is not right.")
SPENT = gettext_lazy("This link was used before or is too old. `python3 manage.py login_link` prints a new one.")
BACKEND = "django.contrib.auth.backends.ModelBackend"


@never_cache
@sensitive_post_parameters("password", "dashboard_token", "token")
@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: HttpRequest) -> HttpResponse:
    """Shows the form; a link's token is spent by its button only, so that a preview of the link does not burn it."""
    if request.method != "POST":
        return _page(request)
    if "token" in request.POST:
        return _by_link(request, request.POST["token"])
    address = str(request.META.get("REMOTE_ADDR") or "")
    if lockout.locked(address):
        return _page(request, lockout.LOCKED, status=429)
    user = _by_dashboard_token(request) if "dashboard_token" in request.POST else _by_password(request)
    if user is None:
        lockout.failed(address, "password")
        return _page(request, WRONG, status=400)
    return _welcome(request, user)


@never_cache
@require_POST
def leave(request: HttpRequest) -> HttpResponse:
    logout(request)
    return _see_other(reverse("login"))


def _by_link(request: HttpRequest, token: str) -> HttpResponse:
    user = tokens.consume(token)
    if user is None:
        lockout.failed(str(request.META.get("REMOTE_ADDR") or ""), "link")
        return _page(request, SPENT, status=400)
    return _welcome(request, user)


def _by_password(request: HttpRequest) -> User | None:
    username, password = request.POST.get("username", ""), request.POST.get("password", "")
    if "\0" in username or not username or not password:
        return None
    found = authenticate(request, username=username, password=password)
    return found if isinstance(found, User) else None


def _by_dashboard_token(request: HttpRequest) -> User | None:
    wanted = settings.CAESAR.dashboard.token.get_secret_value()
    given = request.POST["dashboard_token"].strip()
    if not wanted or not hmac.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode()):
        return None
    return operations.user_named(None)


def _welcome(request: HttpRequest, user: User) -> HttpResponse:
    login(request, user, backend=BACKEND)
    wanted = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return _see_other(resolve_url(wanted) if wanted.startswith("/") and safe else HOME)


def _page(request: HttpRequest, problem: object = "", *, status: int = 200) -> HttpResponse:
    shown = {
        "problem": problem,
        "token": "" if problem else request.GET.get("token", ""),
        "next": request.POST.get("next", request.GET.get("next", "")),
        "takes_token": bool(settings.CAESAR.dashboard.token.get_secret_value()),
    }
    return render(request, "login/login.html", shown, status=status)


def _see_other(url: object) -> HttpResponse:
    response = HttpResponseRedirect(str(url))
    response.status_code = 303
    return response
