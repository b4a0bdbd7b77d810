"""Chats where no language model is configured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx
import openai
import pytest

from tests import server
from tests.caesar.chat.looking import know, row, stream, text_of, user
from tests.server import Web

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres
    from tests.people import Person

DOG = [user("What is my dog called?")]


@pytest.fixture(scope="module")
def alone(cluster: Postgres) -> Iterator[Web]:
    with server.running() as web:
        yield web


@pytest.fixture
def http(alone: Web, anna: Person) -> Iterator[httpx.Client]:
    know(anna.profile_id, "dog.name", "Beans")
    with httpx.Client(base_url=alone.url, headers=anna.auth, timeout=30) as client:
        yield client


def test_it_answers_from_memory_and_says_that_there_is_no_model(http: httpx.Client) -> None:
    answer = http.post("/v1/chat", json={"messages": DOG})
    body = answer.json()
    assert answer.headers["x-caesar-model"] == body["model"] == "builtin"
    assert "No language model is configured" in body["message"]["content"]
    assert "Beans" in body["message"]["content"]
    assert body["usage"] == {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    assert row()["provider"] == "builtin"


def test_it_serves_the_official_client(http: httpx.Client, alone: Web, anna: Person) -> None:
    messages: Any = DOG
    with openai.OpenAI(base_url=alone.openai_url, api_key=anna.key, max_retries=0) as client:
        whole = client.chat.completions.create(model="m", messages=messages)
        with client.chat.completions.stream(
            model="m", messages=messages, stream_options={"include_usage": True}
        ) as official:
            streamed = official.get_final_completion()
    assert streamed.choices[0].message.content == whole.choices[0].message.content
    assert streamed.usage is not None
    assert whole.usage is not None
    assert whole.usage.total_tokens == streamed.usage.total_tokens == 0


def test_it_streams_and_records(http: httpx.Client) -> None:
    _, chunks = stream(http, messages=DOG)
    assert chunks[-1] == "[DONE]"
    assert len(chunks) > 5
    assert row()["answer"]["text"] == text_of(chunks)
    assert row()["complete"] is True
