"""What every response says, by HTTP and by HTTPS, and what none says."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.people import person
from tests.server import Web

PATHS = (
    "/healthz",
    "/login/",
    "/v1/facts",
    "/v1/chat",
    "/nothing",
    "/static/dashboard/caesar.css",
    "/docs/",
    "/schema/",
)
BY_TLS = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"}


@pytest.mark.parametrize("path", PATHS)
def test_it_binds_browsers_to_https_where_it_was_asked_by_https(web: Web, path: str) -> None:
    plain = httpx.get(web.url + path)
    assert "strict-transport-security" not in plain.headers
    safe = httpx.get(web.url + path, headers=BY_TLS)
    assert safe.headers.get_list("strict-transport-security") == ["max-age=31536000"]
    for answer in (plain, safe):
        assert answer.headers.get_list("x-content-type-options") == ["nosniff"]
        assert not [name for name in answer.headers if name.startswith("access-control-")]
        assert "server" not in answer.headers


def test_no_other_site_is_let_in(web: Web) -> None:
    """A browser asks first, and hears nothing that would let its page go on."""
    who = person("anna")
    for path in ("/v1/chat", "/v1/facts", "/dashboard/chat/completions"):
        asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        answer = httpx.options(web.url + path, headers=asked)
        assert answer.status_code >= 400
        answer = httpx.get(web.url + "/v1/facts", headers={**who.auth, "Origin": "https://evil.example"})
        assert not [name for name in answer.headers if name.startswith("access-control-")]


def test_a_form_from_another_site_is_refused(web: Web) -> None:
    with httpx.Client(base_url=web.url) as browser:
        browser.get("/login/")
        sent: dict[str, Any] = {
            "csrfmiddlewaretoken": browser.cookies["csrftoken"],
            "username": "operator",
            "password": "x",
        }
        origin = {"Origin": "https://evil.example"}
        assert browser.post("/login/", data=sent, headers=origin).status_code == 403
        assert browser.post("/login/", data=sent, headers={"Origin": web.url}).status_code == 400


def test_only_the_proxy_is_believed_about_who_asks(web: Web) -> None:
    """`tests.server` is asked from the loopback, which is the proxy; an address in the middle is none."""
    from memory.db import operator_scope
    from memory.models import AuditLog

    forwarded = {"X-Forwarded-For": "203.0.113.9", "Authorization": "Bearer caesar_wrong-wrong-wrong"}
    assert httpx.get(web.url + "/v1/facts", headers=forwarded).status_code == 401
    with operator_scope():
        row = AuditLog.objects.filter(event_type="auth.failed").latest("id")
    assert row.payload["address"] == "203.0.113.9"
