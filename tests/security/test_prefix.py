"""Behind a proxy with a path prefix, which it takes off or not: pages, links, cookies, streams and the API."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest

from caesar.login import tokens
from memory import facts, profiles
from tests import server
from tests.people import person
from tests.scripted_model import ScriptedModel

PREFIX = "/caesar"
PUBLIC = f"https://memory.example.org{PREFIX}"
HEADERS = {"Host": "memory.example.org", "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"}
LINK = re.compile(r'(?:href|src|action|hx-get|hx-post|data-stream|data-given|data-live)="([^"#]*)"')
Web = server.Web


class Browser:
    """Asks as the proxy would: with the prefix as it came, or without it."""

    def __init__(self, client: httpx.Client, *, strips: bool) -> None:
        self._client = client
        self._strips = strips
        self.cookies: dict[str, str] = {}

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        assert path.startswith(PREFIX + "/") or path == PREFIX, path
        sent = path.removeprefix(PREFIX) or "/" if self._strips else path
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items()), **more.pop("headers", {})}
        answer = self._client.request(method, sent, headers=headers, **more)
        for cookie in answer.headers.get_list("set-cookie"):
            name, _, rest = cookie.partition("=")
            assert f"Path={PREFIX}/" in rest, cookie
            assert "Secure" in rest, cookie
            self.cookies[name] = rest.partition(";")[0]
        return answer

    def get(self, path: str) -> httpx.Response:
        """Follows where it is sent."""
        answer = self.ask("GET", path)
        while answer.status_code in (301, 302, 303):
            path = urljoin(PUBLIC + path.removeprefix(PREFIX), answer.headers["location"]).removeprefix(
                "https://memory.example.org"
            )
            answer = self.ask("GET", path)
        return answer


@pytest.fixture(scope="module")
def prefixed(cluster: Any) -> Iterator[Web]:
    with ScriptedModel() as model:
        model.on("tea", "Tea it is.")
        settings = {**server.with_model(model.url), "CAESAR_PUBLIC_URL": PUBLIC}
        with server.running(settings) as web:
            yield web


@pytest.fixture(params=[True, False], ids=["stripped", "kept"])
def browser(request: Any, database: Any, prefixed: Web) -> Iterator[Browser]:
    with httpx.Client(base_url=prefixed.url, headers=HEADERS, timeout=30) as client:
        yield Browser(client, strips=request.param)


def test_every_link_of_every_page_stays_under_the_prefix(browser: Browser) -> None:
    operator = profiles.ensure_operator()
    facts.author(profile_id=operator.profile_id, fields={"key": "dog.name", "value": "Beans"})
    assert browser.get(f"{PREFIX}/").url.path.endswith("/login/")
    link = tokens.make(operator.user_id)
    page = browser.ask("GET", PREFIX + link)
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert token
    entered = browser.ask(
        "POST",
        f"{PREFIX}/login/",
        data={"csrfmiddlewaretoken": token.group(1), "token": link.partition("token=")[2]},
        headers={"Origin": "https://memory.example.org", "Referer": f"{PUBLIC}/login/"},
    )
    assert (entered.status_code, entered.headers["location"]) == (303, f"{PREFIX}/dashboard/facts")
    waiting, seen = [f"{PREFIX}/dashboard/facts", f"{PREFIX}/admin/", f"{PREFIX}/docs/"], set()
    while waiting:
        path = waiting.pop()
        if path in seen or len(seen) > 60:
            continue
        seen.add(path)
        page = browser.get(path)
        assert page.status_code in (200, 405), (path, page.status_code)  # some take forms alone
        if "text/html" not in page.headers["content-type"]:
            continue
        for found in LINK.findall(page.text):
            if not found or found.startswith(("http://", "https://", "?", "data:", "mailto:")):
                continue
            plain = urljoin(path, found).partition("?")[0]
            assert plain.startswith(PREFIX + "/"), (path, found)
            if not any(
                word in plain for word in ("delete", "logout", "live", "completions", "/given/", "retry", "edit")
            ):
                waiting.append(plain)
    assert len(seen) > 15
    assert any(path.startswith(f"{PREFIX}/static/") for path in seen)


def test_the_api_and_the_chat_answer_there(browser: Browser) -> None:
    anna = person("anna")
    for n in range(3):
        facts.author(profile_id=anna.profile_id, fields={"value": f"Likes number {n}"})
    page = browser.ask("GET", f"{PREFIX}/v1/facts?page_size=2", headers=anna.auth).json()
    assert page["next"].startswith(f"{PUBLIC}/v1/facts?")
    body = {"messages": [{"role": "user", "content": "tea"}]}
    told = browser.ask("POST", f"{PREFIX}/v1/chat", json=body, headers=anna.auth)
    assert (told.status_code, told.json()["message"]["content"]) == (200, "Tea it is.")
    streamed = browser.ask("POST", f"{PREFIX}/v1/chat/completions", json={**body, "stream": True}, headers=anna.auth)
    assert streamed.text.rstrip().endswith("data: [DONE]")
    wrong = browser.ask("GET", f"{PREFIX}/v1/nothing", headers=anna.auth)
    assert (wrong.status_code, json.loads(wrong.text)["error"]["code"]) == (404, "not_found")


def test_health_is_answered_without_the_prefix_as_well(prefixed: Web, database: Any) -> None:
    assert httpx.get(f"{prefixed.url}/healthz").status_code == 200
    assert httpx.get(f"{prefixed.url}{PREFIX}/healthz").status_code == 200
    assert httpx.get(f"{prefixed.url}/caesarean/healthz").status_code == 404
