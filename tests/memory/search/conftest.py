"""A person with facts and their real vectors, and questions to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memory import facts
from memory.db import profile_scope
from memory.llm import embedding
from memory.models import Profile, Space
from memory.search import asking
from memory.search import facts as search
from memory.search.candidates import Scope
from tests.people import Person, person
from workers import embedding as worker


@pytest.fixture
def anna(database: Any) -> Person:
    return person("anna")


@pytest.fixture(scope="session")
def embedder() -> None:
    """The real model, loaded once."""
    embedding.embedder().documents(["load"])


def know(who: Person, **values: str) -> None:
    """Facts in the person's own words, with their vectors."""
    for key, value in values.items():
        facts.author(profile_id=who.profile_id, fields={"key": key, "value": value})
    worker.drain()


@pytest.fixture
def find(embedder: None) -> Callable[..., list[search.Found]]:
    def find(who: Person, text: str, *, most: int = 5) -> list[search.Found]:
        question = asking.ask(profile_id=who.profile_id, text=text)
        with profile_scope(who.profile_id):
            space = Space.objects.get(profile_id=who.profile_id, slug="general")
            return search.search(question, Scope(who.profile_id, space.id), most=most)

    return find


def general(who: Person) -> tuple[Profile, Space]:
    with profile_scope(who.profile_id):
        space = Space.objects.select_related("profile").get(profile_id=who.profile_id, slug="general")
        return space.profile, space


@pytest.fixture
def semantic(settings: Any) -> None:
    """Raw chat is indexed."""
    wanted = settings.CAESAR.semantic.model_copy(update={"enabled": True})
    settings.CAESAR = settings.CAESAR.model_copy(update={"semantic": wanted})
