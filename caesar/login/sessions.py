"""Who a session belongs to, for what answers outside of Django's own chain of middleware."""

from __future__ import annotations

from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest

from dashboard.person import Person, person_of


def person(session_key: str) -> Person | None:
    """The person with the profile that the session looks at, where somebody is logged in. Asks the database."""
    request = HttpRequest()
    request.session = SessionStore(session_key)
    user = get_user(request)
    return person_of(request, user) if isinstance(user, User) else None
