"""LangChain's chat model and embeddings, unchanged but for their address."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import numpy as np
import openai
import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel, SecretStr

from memory.config import LLM, Semantic
from tests.caesar.chat.looking import rows, said
from tests.clients.conftest import EMBEDDER
from tests.scripted_model import ScriptedModel, Status, Text, ToolCalls
from tests.server import Web

if TYPE_CHECKING:
    from tests.people import Person

QUESTION = "What is my dog called?"


class Dog(BaseModel):
    """A dog."""

    name: str
    legs: int = 4


@tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"Rain in {city}."


@pytest.fixture
def at(web: Web, anna: Person) -> dict[str, Any]:
    return {"base_url": web.openai_url, "api_key": SecretStr(anna.key), "model": "default", "max_retries": 0}


@pytest.fixture
def llm(at: dict[str, Any], http: httpx2.Client) -> ChatOpenAI:
    return ChatOpenAI(**at, http_client=http)


@pytest.fixture
def store(at: dict[str, Any], http: httpx2.Client) -> OpenAIEmbeddings:
    return OpenAIEmbeddings(**at, check_embedding_ctx_length=False, http_client=http)


def test_it_is_answered_with_what_is_known_and_remembered(llm: ChatOpenAI, model: ScriptedModel) -> None:
    model.reply("Your dog is called Beans.")
    answer = llm.invoke([SystemMessage("Be brief."), HumanMessage(QUESTION)])
    assert answer.text == "Your dog is called Beans."
    assert answer.usage_metadata is not None
    assert answer.usage_metadata["total_tokens"] == 11
    (asked,) = model.chats
    assert [message["role"] for message in asked.messages] == ["system", "system", "user"]
    assert "Beans" in asked.messages[1]["content"]
    (recorded,) = rows()
    assert said(recorded.payload)[-2:] == [("user", QUESTION), ("assistant", "Your dog is called Beans.")]


def test_it_streams_in_both_ways_of_asking(llm: ChatOpenAI, at: dict[str, Any], model: ScriptedModel) -> None:
    model.reply(Text(pieces=["Your dog ", "is called ", "Beans."]))

    async def pieces() -> list[str]:
        async with openai.DefaultAsyncHttpxClient() as http:
            there = ChatOpenAI(**at, http_async_client=http)
            return [piece.text async for piece in there.astream(QUESTION)]

    assert [piece.text for piece in llm.stream(QUESTION) if piece.text] == ["Your dog ", "is called ", "Beans."]
    assert "".join(asyncio.run(pieces())) == "Your dog is called Beans."
    assert [said(r.payload)[-1] for r in rows()] == [("assistant", "Your dog is called Beans.")] * 2
    assert all("Beans" in request.text for request in model.chats)


@pytest.mark.parametrize("streamed", [False, True])
def test_its_tools_are_called_and_answered(llm: ChatOpenAI, model: ScriptedModel, streamed: bool) -> None:
    model.script([ToolCalls([("c1", "weather", '{"city": "Lille"}')]), "It rains."])
    bound = llm.bind_tools([weather])

    def ask(messages: list[Any]) -> AIMessage:
        if not streamed:
            return bound.invoke(messages)
        whole: Any = None
        for piece in bound.stream(messages):
            whole = piece if whole is None else whole + piece
        return AIMessage(content=whole.content, tool_calls=whole.tool_calls)

    history: list[Any] = [HumanMessage("What is the weather at home?")]
    called = ask(history)
    (call,) = called.tool_calls
    assert (call["name"], call["args"], call["id"]) == ("weather", {"city": "Lille"}, "c1")
    history += [called, ToolMessage(weather.invoke(call["args"]), tool_call_id=call["id"])]
    assert ask(history).text == "It rains."
    assert [m["role"] for m in model.chats[-1].messages if m["role"] != "system"] == ["user", "assistant", "tool"]


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_it_gets_answers_of_a_form(llm: ChatOpenAI, model: ScriptedModel, method: Any) -> None:
    form = '{"name": "Beans", "legs": 4}'
    model.reply(Text(form) if method == "json_schema" else ToolCalls([("c1", "Dog", form)]))
    assert llm.with_structured_output(Dog, method=method).invoke("Describe my dog.") == Dog(name="Beans")
    asked = model.chats[0].json
    assert ("response_format" in asked) is (method == "json_schema")
    assert "Beans" in model.chats[0].text


def test_its_headers_choose_whose_memory_it_is(at: dict[str, Any], http: httpx2.Client, model: ScriptedModel) -> None:
    def ask(**more: Any) -> str:
        ChatOpenAI(**at, http_client=http, **more).invoke(QUESTION)
        return model.chats[-1].text

    assert "Beans" in ask()
    assert "Beans" in ask(default_headers={"X-Caesar-Profile": "default"})
    assert "Beans" not in ask(default_headers={"X-Caesar-Profile": "carl"})
    assert "Beans" not in ask(model_kwargs={"user": "carl"})
    assert "Beans" not in ask(extra_body={"caesar": {"memory": "off"}})


def test_it_hears_of_a_failure_as_the_official_client_does(llm: ChatOpenAI, model: ScriptedModel) -> None:
    model.script([Status(429, headers={"Retry-After": "3"})])
    with pytest.raises(openai.RateLimitError) as refused:
        llm.invoke(QUESTION)
    assert refused.value.response.headers["retry-after"] == "3"


def test_its_embeddings_find_what_is_meant(store: OpenAIEmbeddings) -> None:
    texts = ["My dog is called Beans.", "The train to Lille leaves at nine.", "I bake bread on Sundays."]
    found = np.array(store.embed_documents(texts))
    asked = np.array(store.embed_query("What is the name of my pet?"))
    assert found.shape == (3, 384)
    assert int((found @ asked).argmax()) == 0


def with_tokens(monkeypatch: pytest.MonkeyPatch, **more: Any) -> OpenAIEmbeddings:
    """As it is by default: it counts, and sends, tokens of OpenAI's own; litellm brings what that takes."""
    spec = find_spec("litellm")  # not imported here: that takes seconds
    assert spec is not None
    assert spec.origin is not None
    tokenizers = Path(spec.origin).parent / "litellm_core_utils" / "tokenizers"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tokenizers))
    return OpenAIEmbeddings(**{"model": "default", "tiktoken_model_name": "gpt-4", **more})


def test_its_tokens_are_refused_in_words_where_they_cannot_be_read(
    at: dict[str, Any], http: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = with_tokens(monkeypatch, **at, http_client=http)
    with pytest.raises(openai.BadRequestError, match="check_embedding_ctx_length=False") as refused:
        store.embed_documents(["A cat."])
    assert EMBEDDER in str(refused.value)


def test_its_tokens_reach_a_provider_that_reads_them(
    anna: Person, model: ScriptedModel, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from caesar.embeddings.app import embeddings

    chosen = {
        "llm": LLM.model_validate({"openai": {"api_key": "k", "base_url": model.url}}),
        "semantic": Semantic(provider="openai", model="some-embedder"),
    }
    settings.CAESAR = settings.CAESAR.model_copy(update=chosen)
    data = [{"object": "embedding", "index": 0, "embedding": [0.6, 0.8]}]
    model.on(lambda _: True, {"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 3}})

    async def ask() -> list[list[float]]:
        transport = httpx2.ASGITransport(app=embeddings)  # type: ignore[arg-type]
        async with openai.DefaultAsyncHttpxClient(transport=transport) as http:
            store = with_tokens(
                monkeypatch, base_url="http://t/v1", api_key=SecretStr(anna.key), http_async_client=http
            )
            return await store.aembed_documents(["A cat."])

    assert np.allclose(asyncio.run(ask()), [[0.6, 0.8]])
    (request,) = model.requests
    assert all(isinstance(token, int) for token in request.json["input"][0])
