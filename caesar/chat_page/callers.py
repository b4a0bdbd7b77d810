"""Who chats from a page: whoever is logged in, about the profile that they look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from starlette.types import Scope

from caesar.chat.request import Call
from caesar.login import sessions
from memory.errors import CaesarError
from memory.models import Profile


class LoggedOut(CaesarError):
    """Nobody is logged in."""

    code = "unauthorized"
    status = 401

    def __init__(self) -> None:
        super().__init__("You are logged out. Load the page again to log in.")


class NotFromOurPage(CaesarError):
    """The request does not carry the token that our pages send along: another site may have made it."""

    code = "forbidden"
    status = 403

    def __init__(self) -> None:
        super().__init__("This page was open too long, or cookies are off: load it again and repeat what you did.")


@dataclass(frozen=True)
class KnownCaller:
    """Somebody whose session has been looked at already."""

    profile: Profile

    def identify(self) -> Callable[[Call], Profile]:
        return lambda call: self.profile


@dataclass(frozen=True)
class SessionCaller:
    """Somebody with a session's cookie, whose request has to prove that it comes from a page of ours."""

    scope: Scope = field(repr=False)

    def identify(self) -> Callable[[Call], Profile]:
        request = _request(self.scope)
        if not _is_ours(request):
            raise NotFromOurPage
        person = sessions.person(request.COOKIES.get(settings.SESSION_COOKIE_NAME, ""))
        if person is None:
            raise LoggedOut
        return lambda call: person.profile


def _request(scope: Scope) -> HttpRequest:
    """The request without its body: the token comes in a header, and the body is the chat's to read."""
    headers = [(name, value) for name, value in scope["headers"] if name not in (b"content-type", b"content-length")]
    return ASGIRequest({**scope, "headers": headers}, BytesIO())


def _is_ours(request: HttpRequest) -> bool:
    check = CsrfViewMiddleware(_never)
    check.process_request(request)
    return check.process_view(request, _never, (), {}) is None


def _never(request: HttpRequest) -> HttpResponse:
    raise AssertionError("only asked for its name")
