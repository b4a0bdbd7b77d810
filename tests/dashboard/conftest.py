"""A person in front of the dashboard, and a page taken apart."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory import facts
from tests.people import Person, person


class Page(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def shape(self) -> set[tuple[str, frozenset[str]]]:
        """Which elements with which attributes there are, whatever is in them."""
        return {(tag, frozenset(attrs)) for tag, attrs in self.elements}

    def links(self) -> list[str]:
        return [attrs.get("href") or "" for tag, attrs in self.elements if tag == "a"]


class Visitor:
    """One person's browser."""

    def __init__(self, who: Person, cluster: Any = None) -> None:
        self.who = who
        self.cluster = cluster
        self.client = Client(raise_request_exception=False)
        self.client.force_login(User.objects.get(id=who.user_id))

    def get(self, path: str) -> Any:
        return self.client.get(path)

    def post(self, path: str, typed: dict[str, Any] | None = None) -> Any:
        return self.client.post(path, typed or {})

    def page(self, path: str) -> Page:
        response = self.get(path)
        assert response.status_code == 200, response.content
        return Page(response.content)

    def knows(self, key: str | None, value: str, **more: Any) -> Any:
        return facts.author(profile_id=self.who.profile_id, fields={"key": key, "value": value, **more})


@pytest.fixture
def anna(database: object) -> Visitor:
    return Visitor(person("anna"), database)


@pytest.fixture
def bert(database: object) -> Visitor:
    return Visitor(person("bert"))
