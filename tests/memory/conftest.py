"""A scripted model behind the gateway of this process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.scripted_model import ScriptedModel


@pytest.fixture
def model(settings: Any) -> Iterator[ScriptedModel]:
    """The configured model is a scripted one at the real wire."""
    from memory.config import LLM

    with ScriptedModel() as scripted:
        llm = LLM.model_validate(
            {
                "provider": "openai",
                "model": "scripted",
                "openai": {"api_key": "sk-not-a-real-key", "base_url": scripted.url},
                "timeout_seconds": 10,
            }
        )
        settings.CAESAR = settings.CAESAR.model_copy(update={"llm": llm})
        yield scripted
