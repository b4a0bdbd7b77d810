"""The official client beside what `tests/caesar/chat` asks it: asynchronous, with extensions, forms and embeddings."""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any

import numpy as np
import openai
import pytest
from pydantic import BaseModel

from tests.caesar.chat.looking import row, rows, said, user
from tests.clients.conftest import EMBEDDER
from tests.scripted_model import HangUp, Recorded, ScriptedModel, Status, Text, ToolCalls
from tests.server import MODEL, Web

if TYPE_CHECKING:
    from tests.people import Person

DOG: Any = [user("What is my dog called?")]


class Dog(BaseModel):
    name: str


def test_many_ask_at_once_and_each_is_remembered(web: Web, anna: Person, model: ScriptedModel) -> None:
    def echo(request: Recorded) -> Text:
        return Text(f"You said {request.messages[-1]['content']}.")

    model.reply(echo)

    async def ask(client: openai.AsyncOpenAI, number: int) -> str:
        messages: Any = [user(f"number {number}")]
        if number % 2:
            answer = await client.chat.completions.create(model="m", messages=messages)
            return answer.choices[0].message.content or ""
        stream = await client.chat.completions.create(model="m", messages=messages, stream=True)
        return "".join([c.choices[0].delta.content or "" async for c in stream if c.choices])

    async def all_of_them() -> list[str]:
        async with openai.AsyncOpenAI(base_url=web.openai_url, api_key=anna.key, max_retries=0) as client:
            return await asyncio.gather(*(ask(client, number) for number in range(10)))

    assert asyncio.run(all_of_them()) == [f"You said number {number}." for number in range(10)]
    assert all("Beans" in request.text for request in model.chats)
    assert {said(r.payload)[0] for r in rows()} == {("user", f"number {number}") for number in range(10)}


def test_it_lists_the_models(client: openai.OpenAI) -> None:
    listed = list(client.models.list())
    assert [one.id for one in listed] == [f"openai/{MODEL}"]
    assert {one.object for one in listed} == {"model"}


def test_its_extra_body_says_what_memory_is_to_do(client: openai.OpenAI, model: ScriptedModel) -> None:
    extra: Any = {"caesar": {"conversation_id": "kitchen-1"}}
    for text in ("I bake.", "I bake bread."):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}], extra_body=extra)
    assert len({r.conversation_id for r in rows()}) == 1
    raw = client.chat.completions.with_raw_response.create(
        model="m", messages=DOG, extra_body={"caesar": {"memory": "off"}}
    )
    assert raw.headers["x-caesar-memory"] == "off"
    assert "x-caesar-facts" not in raw.headers
    assert raw.parse().choices[0].message.content == "ok"
    assert "Beans" not in model.chats[-1].text
    assert "dog" not in str(rows()[-1].payload)
    assert all("caesar" not in request.json for request in model.chats)


def test_it_parses_an_answer_of_a_form_and_tools(client: openai.OpenAI, model: ScriptedModel) -> None:
    model.script([Text('{"name": "Beans"}'), ToolCalls([("c", "Dog", '{"name": "Beans"}')])])
    parsed = client.chat.completions.parse(model="m", messages=DOG, response_format=Dog)
    assert parsed.choices[0].message.parsed == Dog(name="Beans")
    tool = openai.pydantic_function_tool(Dog)
    called = client.chat.completions.parse(model="m", messages=DOG, tools=[tool]).choices[0].message.tool_calls
    assert called
    assert called[0].function.parsed_arguments == Dog(name="Beans")
    first, second = model.chats
    assert first.json["response_format"]["json_schema"]["name"] == "Dog"
    assert second.json["tools"] == [tool]


def test_its_headers_choose_the_profile(web: Web, client: openai.OpenAI, model: ScriptedModel) -> None:
    from tests.people import person

    carl = client.with_options(default_headers={"X-Caesar-Profile": "carl"})
    assert carl.chat.completions.with_raw_response.create(model="m", messages=DOG).headers["x-caesar-memory"] == "off"
    assert "Beans" not in model.chats[-1].text
    bert = person("bert", app_key=False)
    with pytest.raises(openai.PermissionDeniedError, match="bound to one profile"):
        carl.with_options(api_key=bert.key).chat.completions.create(model="m", messages=DOG)
    with pytest.raises(openai.PermissionDeniedError, match="bound to one profile"):
        carl.with_options(api_key=bert.key).embeddings.create(model="default", input="a")


def test_it_tries_again_when_it_was_told_to_wait(client: openai.OpenAI, model: ScriptedModel) -> None:
    model.script([Status(429, headers={"Retry-After": "0"}), HangUp(), "at last"])
    answer = client.with_options(max_retries=2).chat.completions.create(model="m", messages=DOG)
    assert answer.choices[0].message.content == "at last"
    assert len(rows()) == 1
    model.script([HangUp()])
    with pytest.raises(openai.InternalServerError) as failed:
        client.chat.completions.create(model="m", messages=DOG)
    assert (failed.value.status_code, failed.value.code, failed.value.type) == (502, "model_down", "api_error")


def test_both_encodings_of_embeddings_are_its_own(client: openai.OpenAI) -> None:
    texts = ["My dog is called Beans.", "A cat."]
    usual = client.embeddings.create(model="default", input=texts)
    floats = client.embeddings.create(model=EMBEDDER, input=texts, encoding_format="float", dimensions=384, user="u")
    packed = client.embeddings.with_raw_response.create(model=EMBEDDER, input=texts, encoding_format="base64")
    assert packed.headers["x-request-id"]
    raw: Any = packed.parse().data[1].embedding
    listed = [one.embedding for one in floats.data]
    assert np.array_equal(np.float32([one.embedding for one in usual.data]), np.float32(listed))
    assert np.array_equal(np.frombuffer(base64.b64decode(raw), "<f4"), np.float32(listed[1]))
    assert (usual.model, [one.index for one in usual.data]) == (EMBEDDER, [0, 1])
    assert usual.usage.total_tokens == floats.usage.total_tokens > 4
    assert rows() == []


def test_its_own_errors_tell_what_is_wrong_with_an_input(client: openai.OpenAI) -> None:
    def refused(**asked: Any) -> str:
        with pytest.raises(openai.BadRequestError) as wrong:
            client.embeddings.create(**{"model": "default", "input": "a", **asked})
        assert (wrong.value.code, wrong.value.type) == ("invalid_input", "invalid_request_error")
        return str(wrong.value)

    assert EMBEDDER in refused(model="text-embedding-3-small")
    assert "at most 2048" in refused(input=["a"] * 10_000)
    assert "cannot give any of 100" in refused(dimensions=100)
    assert "no tokens" in refused(input=[1, 2, 3])
    assert "blank" in refused(input=["a", ""])
    with pytest.raises(openai.AuthenticationError):
        client.with_options(api_key="caesar_nobody").embeddings.create(model="default", input="a")


def test_it_asks_for_embeddings_side_by_side(web: Web, anna: Person) -> None:
    async def all_of_them() -> list[Any]:
        async with openai.AsyncOpenAI(base_url=web.openai_url, api_key=anna.key, max_retries=0) as client:
            asked = (client.embeddings.create(model="default", input=[f"text {n}", "same"]) for n in range(10))
            return await asyncio.gather(*asked)

    answers = asyncio.run(all_of_them())
    same = np.array([one.data[1].embedding for one in answers])
    assert np.abs(same - same[0]).max() < 1e-5
    assert rows() == []


def test_what_was_said_is_the_row_that_the_header_names(client: openai.OpenAI, model: ScriptedModel) -> None:
    model.reply("Your dog is called Beans.")
    raw = client.chat.completions.with_raw_response.create(model="m", messages=DOG, stream=True)
    text = "".join(c.choices[0].delta.content or "" for c in raw.parse() if c.choices)
    assert text == "Your dog is called Beans."
    assert said(row()) == [("user", "What is my dog called?"), ("assistant", text)]
    (recorded,) = rows()
    assert raw.headers["x-caesar-audit-id"] == str(recorded.id)
