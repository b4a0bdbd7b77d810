"""Whose pages these are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any
from urllib.parse import quote

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone, translation
from django.views.decorators.cache import never_cache

from memory import profile_selectors, profiles
from memory.models import Profile

View = Callable[..., HttpResponseBase]
CHOSEN = "profile"  # in the session


@dataclass(frozen=True)
class Person:
    """The account that is logged in, the profile that it looks at, and all that it has."""

    user: User
    profile: Profile
    profiles: tuple[Profile, ...]


def own_page(view: View) -> View:
    """Gives the view the person, in their language and zone; lets nobody else in. Nothing is cached."""

    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not isinstance(request.user, User):
            return _to_login(request)
        person = person_of(request, request.user)
        with timezone.override(person.profile.timezone), translation.override(_language(person.profile)):
            return view(request, person, *args, **kwargs)

    return never_cache(shown)


def operators_page(view: View) -> View:
    """As `own_page`, for what is the operator's business alone; to others it is not there."""

    @wraps(view)
    def shown(request: HttpRequest, person: Person, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not person.user.is_superuser:
            raise Http404
        return view(request, person, *args, **kwargs)

    return own_page(shown)


def choose(request: HttpRequest, person: Person, profile_id: str) -> bool:
    """Look at another profile of one's own from now on. False: it is none."""
    if all(str(profile.id) != profile_id for profile in person.profiles):
        return False
    request.session[CHOSEN] = profile_id
    return True


def person_of(request: HttpRequest, user: User) -> Person:
    """The account with the profile that its session has chosen."""
    own = profile_selectors.of_user(user_id=user.pk)
    if not own or not own[0].is_default:
        profiles.resolve(user_id=user.pk, name=None)
        own = profile_selectors.of_user(user_id=user.pk)
    wanted = request.session.get(CHOSEN)
    chosen = next((profile for profile in own if str(profile.id) == wanted), own[0])
    return Person(user, chosen, tuple(own))


def _language(profile: Profile) -> str:
    """The person's language where there is a translation, else English."""
    try:
        return translation.get_supported_language_variant(profile.language)
    except LookupError:
        return "en"


def _to_login(request: HttpRequest) -> HttpResponse:
    if request.headers.get("HX-Request"):
        # A login page has no place inside a list: the whole page goes there.
        response = HttpResponse(status=204)
        response["HX-Redirect"] = f"{reverse('login')}?next={quote(reverse('dashboard:facts'))}"
        return response
    return redirect_to_login(request.get_full_path())
