"""Embedders as settings make them, with a scripted model at the wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import override_settings

from memory.config import LLM, MemorySections, Semantic
from memory.llm import quirks
from memory.llm.embedding import Embedder, embedder, of_spec
from memory.llm.embedding.choosing import Spec
from memory.llm.routing import Route
from tests.scripted_model import ScriptedModel

KEY = "k-7f3Qx9-very-secret"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    quirks.forget_all()
    with ScriptedModel() as scripted:
        yield scripted


@pytest.fixture
def configured() -> Iterator[Callable[..., MemorySections]]:
    """`configured(provider="onnx", llm={…})` puts these settings in force for the test."""
    overrides = []

    def configure(*, llm: dict[str, Any] | None = None, **semantic: Any) -> MemorySections:
        sections = MemorySections(llm=LLM.model_validate(llm or {}), semantic=Semantic.model_validate(semantic))
        override = override_settings(CAESAR=sections)
        override.enable()
        overrides.append(override)
        return sections

    yield configure
    for override in reversed(overrides):
        override.disable()


@pytest.fixture
def hosted(model: ScriptedModel, configured: Callable[..., MemorySections]) -> Callable[..., Embedder]:
    """`hosted(embedding_dim=8, timeout=1)`: an OpenAI-compatible embedder that is the scripted model, loaded."""

    def make(*, timeout: float = 5.0, **semantic: Any) -> Embedder:
        openai = {"api_key": KEY, "base_url": model.url}
        configured(
            llm={"openai": openai, "timeout_seconds": timeout},
            **{"provider": "openai", "model": "some-embedder", **semantic},
        )
        made = embedder()
        made.load()
        return made

    return make


@pytest.fixture
def reached(model: ScriptedModel) -> Callable[..., Embedder]:
    """`reached("voyage", "voyage-3.5")`: a provider whose address is the scripted model's, loaded."""

    def make(provider: str, name: str, *, dim: int | None = None, base_url: str = "") -> Embedder:
        route = Route(provider, name, KEY, base_url or model.url, 5.0, section="CAESAR_SEMANTIC")
        made = of_spec(Spec(route, dim))
        made.load()
        return made

    return make
