"""The operator in front of the admin, and Anna, whose memory it is."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory import profiles
from tests.dashboard.conftest import Page, Visitor
from tests.people import Person, person


class Operator:
    """The operator's browser."""

    def __init__(self) -> None:
        self.client = Client(raise_request_exception=False)
        self.client.force_login(User.objects.get(id=profiles.ensure_operator().user_id))

    def get(self, path: str) -> Any:
        response = self.client.get(path)
        assert response.status_code == 200, (path, response.status_code, response.headers)
        return response

    def page(self, path: str) -> Page:
        return Page(self.get(path).content)

    def post(self, path: str, typed: dict[str, Any]) -> Any:
        return self.client.post(path, typed, follow=True)

    def form(self, path: str) -> dict[str, str]:
        """What the page's form would send as it stands."""
        content = self.get(path).content.decode()
        page = Page(content.encode())
        typed = {
            a["name"]: a.get("value") or ""
            for tag, a in page.elements
            if tag == "input" and a.get("name") and a.get("type") not in ("submit", "checkbox", "file")
        }
        typed |= {
            a["name"]: a.get("value") or "on"
            for tag, a in page.elements
            if tag == "input" and a.get("type") == "checkbox" and "checked" in a
        }
        for name, text in re.findall(r'<textarea name="([\w-]+)"[^>]*>\n?(.*?)</textarea>', content, re.DOTALL):
            typed[name] = text
        for name, options in re.findall(r'<select name="([\w-]+)".*?>(.*?)</select>', content, re.DOTALL):
            chosen = re.search(r'<option value="([^"]*)" selected', options)
            typed[name] = chosen[1] if chosen else ""
        typed.pop("q", None)
        return typed


@pytest.fixture
def operator(database: object) -> Operator:
    return Operator()


@pytest.fixture
def annas(database: object) -> Person:
    return person("anna")


@pytest.fixture
def anna(annas: Person) -> Visitor:
    return Visitor(annas)
