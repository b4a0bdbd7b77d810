"""Without a login or a key nothing opens but what is meant for everybody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

# Whether it is there, how it is asked, and the way in.
OPEN = {"healthz", "readyz", "schema/", "docs/", "login/", "favicon.ico"}
NOBODYS = {"Bearer": "Bearer ", "null": "Bearer null", "undefined": "Bearer undefined", "change-me": "Bearer change-me"}


def routes(patterns: Any = None, prefix: str = "") -> Iterator[str]:
    for each in get_resolver().url_patterns if patterns is None else patterns:
        path = prefix + str(each.pattern)
        if isinstance(each, URLResolver):
            yield from routes(each.url_patterns, path)
        elif isinstance(each, URLPattern):
            yield path


def address(route: str) -> str:
    """A route with something in the place of its parts."""
    values = {"uuid": "00000000-0000-0000-0000-000000000001", "int": "1"}
    filled = re.sub(r"<(?:(\w+):)?\w+>", lambda found: values.get(found[1] or "", "1"), route)
    return "/" + re.sub(r"\(\?P<\w+>.*\)|[\^$?]|\\Z", "", filled)


ROUTES = sorted({route for route in routes() if route not in OPEN and not route.startswith("^static")})


def test_there_are_all_of_them() -> None:
    assert len(ROUTES) > 100
    assert {route.partition("/")[0] for route in ROUTES} >= {"dashboard", "v1", "admin", "metrics", "logout"}


@pytest.mark.parametrize("method", ["get", "post"])
def test_nothing_answers_somebody_who_is_nobody(database: Any, method: str) -> None:
    for authorization in (None, *NOBODYS.values()):
        headers = {"Authorization": authorization} if authorization else {}
        for route in ROUTES if authorization is None else [r for r in ROUTES if r.startswith(("v1", "metrics"))]:
            client = Client(raise_request_exception=False)
            answer = getattr(client, method)(address(route), headers=headers)
            if answer.status_code in (301, 302, 303):
                assert "/login/" in answer["Location"] or route in ("", "dashboard/", "logout/", "admin/logout/"), (
                    route,
                    answer["Location"],
                )
            else:
                assert answer.status_code in (400, 401, 403, 404, 405), (route, answer.status_code)
                assert len(answer.content) < 5_000, route


def test_a_key_in_the_address_opens_nothing(database: Any) -> None:
    from tests.people import person

    key = person("anna").key
    for name in ("key", "api_key", "token", "access_token", "authorization"):
        assert Client().get("/v1/facts", {name: key}).status_code == 401
