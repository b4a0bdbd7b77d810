"""What is said, learned and summarised is text on every page, whatever it looks like."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from memory.db import profile_scope
from memory.models import Fact
from tests.cases.conftest import Someone, World
from tests.dashboard import every_page
from tests.dashboard.conftest import Page
from tests.dashboard.test_hostile_forms import Forms, foreign

VALUES = {
    "nick<img src=x onerror=alert(1)>": "Zoe",
    "site": "<script>fetch('/api/facts')</script>",
    "link": "javascript:alert(document.cookie)",
    "attr": '" autofocus onfocus=alert(2) x="',
    "tmpl": "{{7*7}} ${7*7} </textarea><svg onload=alert(3)>",
}
SAID = "My friend Maren calls me Zoe. My site, link, attr and tmpl are: " + "; ".join(VALUES.values())
ASKED_FOR = "<svg onload=alert(5)>"


@pytest.fixture
def lena(world: World) -> Someone:
    lena = world.someone("lena")
    pairs = [*VALUES.items(), ("friend.name", "Maren")]
    told = [{"key": key, "value": value, "confidence": 0.9} for key, value in pairs]
    world.model.extraction(json.dumps({"facts": told, "summary": "Talk <b onmouseover=alert(4)>bold</b>"}))
    lena.chat(SAID)
    world.work()
    return lena


@pytest.fixture
def browser(lena: Someone) -> Iterator[httpx.Client]:
    logged_in = Client()
    logged_in.force_login(User.objects.get(id=lena.who.user_id))
    name = settings.SESSION_COOKIE_NAME
    cookies = {name: logged_in.cookies[name].value}
    with httpx.Client(base_url=lena.world.web.url, cookies=cookies, follow_redirects=True, timeout=60) as browser:
        yield browser


def paths(lena: Someone) -> list[str]:
    """Every page, about each fact that was learned, and every search."""
    things = every_page.things(lena.who.profile_id)
    with profile_scope(lena.who.profile_id):
        ids = list(Fact.objects.values_list("id", flat=True))
    found = {path.format(**{**things, "space": "general", "fact": each}) for path in every_page.PAGES for each in ids}
    searched = [f"/dashboard/{page}?q={ASKED_FOR}" for page in ("facts", "episodes", "entities")]
    return sorted(path for path in found if not path.endswith("/remove")) + searched


def test_no_page_has_an_element_or_an_attribute_that_came_from_data(lena: Someone, browser: httpx.Client):
    with profile_scope(lena.who.profile_id):
        learned = set(Fact.objects.values_list("value", flat=True))
    assert set(VALUES.values()) <= learned
    text = ""
    for path in paths(lena):
        response = browser.get(path)
        assert response.status_code == 200, path
        assert response.headers["x-content-type-options"] == "nosniff"
        policy = response.headers["content-security-policy"]
        assert "unsafe-inline" not in policy
        assert "default-src 'self'" in policy
        if path.endswith("/json"):
            assert response.headers["content-type"].startswith("application/json")
            continue
        page = Page(response.content)
        assert foreign(page) == [], path
        text += page.text
    for shown in (
        "{{7*7}} ${7*7} </textarea>",
        "<script>fetch('/api/facts')</script>",
        "javascript:alert(document.cookie)",
    ):
        assert shown in text
    assert "Talk <b onmouseover=alert(4)>bold</b>" in text or "Talk bold" in text
    assert "49 " not in text


def test_a_form_saved_unchanged_changes_nothing(lena: Someone, browser: httpx.Client):
    with profile_scope(lena.who.profile_id):
        before = {fact.id: (fact.value, fact.version, fact.state) for fact in Fact.objects.all()}
    for fact_id, (value, _version, state) in before.items():
        if state not in ("current", "pending"):
            continue
        path = f"/dashboard/facts/{fact_id}"
        content = browser.get(path).text
        (form,) = [form for form in Forms(content).found if "value" in form["fields"]]
        assert form["fields"]["value"].removeprefix("\n") == value
        token = form["fields"]["csrfmiddlewaretoken"]
        sent = browser.post(path, data=form["fields"], headers={"X-CSRFToken": token, "Referer": lena.world.web.url})
        assert sent.status_code == 200
        assert "Saved." in sent.text
    with profile_scope(lena.who.profile_id):
        assert {fact.id: (fact.value, fact.version, fact.state) for fact in Fact.objects.all()} == before


def test_programs_get_json_that_no_browser_takes_for_a_page(lena: Someone):
    for path in ("/v1/facts", "/v1/facts?q=<svg onload=alert(5)>", "/v1/episodes", "/v1/audit", "/v1/entities"):
        response = lena.http.get(path)
        assert response.headers["content-type"].startswith("application/json"), path
        assert response.headers["x-content-type-options"] == "nosniff", path
