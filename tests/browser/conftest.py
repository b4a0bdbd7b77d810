"""A person at a real browser in front of the real web process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from tests import chromium
from tests.people import Person, person
from tests.server import Web

AXE = Path(__file__).parent / "vendor" / "axe-4.14.1.min.js"
# A search that a newer one took the place of.
OVERTAKEN = ("htmx:afterRequest", "htmx:sendAbort")
SERIOUS = {"serious", "critical"}
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(autouse=True)
def _may_ask_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """Playwright keeps an event loop on the thread of the test, which is no reason not to block it."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


# No longer than for these tests: other tests are to be told where they block a loop.
@pytest.fixture(scope="package")
def _chromium() -> Iterator[Any]:
    path = chromium.needed()
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=20_000)  # the first answer of a model waits for its library

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=chromium.ARGUMENTS)
        yield browser
        browser.close()


class Sight:
    """One person's browser window. What the page logs as an error, or asks of another host, fails the test."""

    def __init__(self, chromium: Any, web: Web, who: Person, **options: Any) -> None:
        self.who = who
        self._web = web
        self.context = chromium.new_context(base_url=web.url, **{"viewport": WIDE, **options})
        self.page = self.context.new_page()
        self.page.set_default_timeout(10_000)
        self.troubles: list[str] = []
        self.page.on("console", self._told)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("request", self._asked)
        self._log_in()

    def _told(self, message: Any) -> None:
        if message.type == "error" and not message.text.startswith(OVERTAKEN):
            self.troubles.append(message.text)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(self._web.url):
            self.troubles.append(f"asked for {request.url}")

    def _log_in(self) -> None:
        client = Client()
        client.force_login(User.objects.get(id=self.who.user_id))
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        self.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": self._web.url}])

    def open(self, path: str) -> Any:
        response = self.page.goto(path)
        assert response is not None
        assert response.status == 200, f"{path}: {response.status}"
        return self.page

    def serious(self, *rules: str) -> list[str]:
        """What axe-core finds that keeps people from using the page; by these rules alone, where any are named."""
        self.page.evaluate(AXE.read_text())
        options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
        found = self.page.evaluate("options => axe.run(document, options)", options)
        return [
            f"{each['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
            for each in found["violations"]
            if each["impact"] in SERIOUS
            for node in each["nodes"]
        ]

    def close(self) -> None:
        self.context.close()
        assert self.troubles == []


@pytest.fixture
def anna(web: Web) -> Person:
    return person("anna")


@pytest.fixture
def look(_chromium: Any, web: Web, anna: Person) -> Iterator[Any]:
    """Opens a window of Anna's; options are those of Playwright's new_context."""
    opened: list[Sight] = []

    def window(**options: Any) -> Sight:
        opened.append(Sight(_chromium, options.pop("web", web), options.pop("who", anna), **options))
        return opened[-1]

    yield window
    for each in opened:
        each.close()


@pytest.fixture
def sight(look: Any) -> Sight:
    return look()
