"""Whose pages these are."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from memory import profiles
from memory.models import Profile

View = Callable[..., HttpResponse]


def own_page(view: View) -> View:
    """Gives the view the person's default profile. Times are shown in that profile's zone; nothing is cached."""

    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        assert isinstance(request.user, User)  # login_required has seen to it
        profile: Profile = profiles.resolve(user_id=request.user.pk, name=None)
        with timezone.override(profile.timezone):
            return view(request, profile, *args, **kwargs)

    return never_cache(login_required(shown))
