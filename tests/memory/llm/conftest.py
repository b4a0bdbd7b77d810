"""A scripted model, a route to it, and settings that name it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from django.test import override_settings

from memory.config import LLM, MemorySections
from memory.llm import gateway, quirks
from memory.llm.routing import Route
from tests.scripted_model import ScriptedModel

T = TypeVar("T")

# What litellm and its libraries warn of themselves; the product ignores the first two (memory.llm.library).
IGNORED = (
    "ignore:Pydantic serializer warnings:UserWarning",
    "ignore:Items? .* on TypedDict class:UserWarning",
    "ignore:Sending a large body:ResourceWarning",
)

KEY = "k-7f3Qx9-very-secret"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            for ignored in IGNORED:
                item.add_marker(pytest.mark.filterwarnings(ignored))


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    quirks.forget_all()
    with ScriptedModel() as scripted:
        yield scripted


@pytest.fixture
def route(model: ScriptedModel) -> Route:
    return Route("openai", "m1", KEY, model.url, 5.0)


@pytest.fixture(params=["openai", "anthropic", "ollama"])
def each_route(request: pytest.FixtureRequest, model: ScriptedModel) -> Route:
    base = model.url if request.param == "openai" else model.root
    return Route(request.param, "m1", KEY, base, 5.0)


@pytest.fixture
def configured() -> Iterator[Callable[..., LLM]]:
    """`configured(provider="openai", …)` puts these model settings in force for the test."""
    overrides = []

    def configure(**llm: Any) -> LLM:
        sections = MemorySections(llm=LLM(**llm))
        override = override_settings(CAESAR=sections)
        override.enable()
        overrides.append(override)
        return sections.llm

    yield configure
    for override in reversed(overrides):
        override.disable()


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs to its end in a fresh event loop and leaves no connection open."""

    async def closing() -> T:
        try:
            return await coroutine
        finally:
            await gateway.close()

    return asyncio.run(closing())
