"""litellm as a client, as other programs use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.caesar.chat.looking import rows, said, user
from tests.clients.conftest import EMBEDDER
from tests.scripted_model import ScriptedModel, Status, Text, ToolCalls
from tests.server import Web

if TYPE_CHECKING:
    from tests.people import Person

DOG = [user("What is my dog called?")]
WEATHER = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}


@pytest.fixture
def at(web: Web, anna: Person) -> dict[str, Any]:
    return {"api_base": web.openai_url, "api_key": anna.key, "num_retries": 0, "max_retries": 0, "timeout": 30}


def test_it_is_answered_with_what_is_known_and_remembered(
    litellm: Any, at: dict[str, Any], model: ScriptedModel
) -> None:
    model.reply("Your dog is called Beans.")
    answer = litellm.completion(model="openai/default", messages=DOG, **at)
    assert answer.choices[0].message.content == "Your dog is called Beans."
    assert answer.usage.total_tokens == 11
    assert "Beans" in model.chats[0].text
    (recorded,) = rows()
    assert said(recorded.payload) == [("user", DOG[0]["content"]), ("assistant", "Your dog is called Beans.")]


def test_it_streams(litellm: Any, at: dict[str, Any], model: ScriptedModel) -> None:
    model.reply(Text(pieces=["Your dog ", "is called ", "Beans."]))
    chunks = list(litellm.completion(model="openai/default", messages=DOG, stream=True, **at))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "Your dog is called Beans."
    assert said(rows()[0].payload)[-1] == ("assistant", "Your dog is called Beans.")


def test_it_calls_tools_and_names_a_profile(litellm: Any, at: dict[str, Any], model: ScriptedModel) -> None:
    model.reply(ToolCalls([("c1", "weather", "{}")]))
    answer = litellm.completion(
        model="openai/default",
        messages=DOG,
        tools=[WEATHER],
        extra_headers={"X-Caesar-Profile": "carl"},
        extra_body={"caesar": {"conversation_id": "c-1"}},
        **at,
    )
    assert answer.choices[0].message.tool_calls[0].function.name == "weather"
    assert "Beans" not in model.chats[0].text
    assert "caesar" not in model.chats[0].json


def test_its_errors_are_its_own(litellm: Any, at: dict[str, Any], model: ScriptedModel) -> None:
    model.script([Status(429), Status(400, "bad tool")])
    with pytest.raises(litellm.RateLimitError):
        litellm.completion(model="openai/default", messages=DOG, **at)
    with pytest.raises(litellm.BadRequestError, match="bad tool"):
        litellm.completion(model="openai/default", messages=DOG, **at)
    with pytest.raises(litellm.AuthenticationError):
        litellm.completion(model="openai/default", messages=DOG, **{**at, "api_key": "caesar_nobody"})


def test_it_embeds(litellm: Any, at: dict[str, Any]) -> None:
    for model in ("openai/default", f"openai/{EMBEDDER}"):
        answer = litellm.embedding(model=model, input=["My dog is called Beans.", "A cat."], **at)
        assert np.array([each["embedding"] for each in answer.data]).shape == (2, 384)
        assert answer.usage.prompt_tokens > 4
    with pytest.raises(litellm.BadRequestError, match="at most 2048"):
        litellm.embedding(model="openai/default", input=["a"] * 3000, **at)
