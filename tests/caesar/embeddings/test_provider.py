"""`POST /v1/embeddings` where a provider makes the vectors."""

from __future__ import annotations

import asyncio
import base64
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np
import pytest

from memory.llm import quirks
from memory.llm.embedding import embedder
from tests.caesar.embeddings.conftest import KEY, Ask
from tests.scripted_model import Body, Hang, HangUp, Raw, Recorded, ScriptedModel, Status, Vectors
from tests.scripted_model.embeddings import made

if TYPE_CHECKING:
    from tests.people import Person

Configure = Callable[..., None]
TEXT = "My otter is called Zanzibar."


def vectors(answer: httpx.Response) -> np.ndarray:
    assert answer.status_code == 200, answer.text
    return np.array([each["embedding"] for each in answer.json()["data"]])


def refused(answer: httpx.Response) -> str:
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert error["type"] == "invalid_request_error"
    return str(error["message"])


def test_it_answers_as_openai_does(ask: Ask, model: ScriptedModel, provider: Configure) -> None:
    provider("openai", model="some-embedder")
    answer = ask(model="some-embedder", input=[TEXT, "a cat"], user="u-1", x_future={"a": 1})
    body = answer.json()
    assert {name: body[name] for name in ("object", "model")} == {"object": "list", "model": "openai/some-embedder"}
    assert body["usage"] == {"prompt_tokens": 7, "total_tokens": 7}
    assert [(each["object"], each["index"]) for each in body["data"]] == [("embedding", 0), ("embedding", 1)]
    np.testing.assert_allclose(vectors(answer), [made(TEXT, 64), made("a cat", 64)], atol=1e-7)
    (request,) = model.requests
    assert request.json == {
        "model": "some-embedder",
        "input": [TEXT, "a cat"],
        "encoding_format": "float",
        "user": "u-1",
        "x_future": {"a": 1},
    }
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_both_encodings_say_the_same_numbers(ask: Ask, model: ScriptedModel, provider: Configure) -> None:
    provider("openai", model="some-embedder")
    listed = vectors(ask(input=TEXT, encoding_format="float"))[0].astype(np.float32)
    (packed,) = [each["embedding"] for each in ask(input=TEXT, encoding_format="base64").json()["data"]]
    assert np.frombuffer(base64.b64decode(packed), dtype="<f4").tolist() == listed.tolist()


def test_a_provider_gets_the_text_as_it_is(ask: Ask, model: ScriptedModel, provider: Configure) -> None:
    odd = "  two\nlines, a\0zero " + "x" * 90_000
    provider("openai", model="nomic-embed-text")
    model.embedding(Vectors(dim=768))
    assert vectors(ask(input=odd)).shape == (1, 768)
    assert model.requests[0].json["input"] == [odd]


def test_tokens_go_to_a_provider_that_speaks_openai(ask: Ask, model: ScriptedModel, provider: Configure) -> None:
    provider("openai", model="some-embedder")

    def by_number(request: Recorded) -> dict[str, Any]:
        data = [{"object": "embedding", "index": i, "embedding": [1.0, i]} for i in range(len(request.json["input"]))]
        return {"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 5, "total_tokens": 5}}

    model.on(lambda request: True, by_number)
    assert vectors(ask(input=[[1, 2, 3], [4, 5]])).shape == (2, 2)
    assert vectors(ask(input=[9906, 1917])).shape == (1, 2)
    assert [request.json["input"] for request in model.requests] == [[[1, 2, 3], [4, 5]], [[9906, 1917]]]
    provider("ollama", model="nomic-embed-text")
    assert "ollama/nomic-embed-text reads texts and no tokens" in refused(ask(input=[9906, 1917]))


def test_many_go_in_calls_that_it_takes_and_come_back_in_order(
    ask: Ask, model: ScriptedModel, provider: Configure
) -> None:
    provider("openai", model="some-embedder")
    texts = [f"text {number}" for number in range(150)]
    answer = ask(input=texts)
    np.testing.assert_allclose(vectors(answer), [made(text, 64) for text in texts], atol=1e-7)
    assert answer.json()["usage"]["total_tokens"] == 300
    assert [len(request.inputs) for request in model.requests] == [64, 64, 22]


# lengths ------------------------------------------------------------------------------------------------------
def test_a_length_is_asked_of_the_provider_and_cut_where_it_cannot_be(
    ask: Ask, model: ScriptedModel, provider: Configure
) -> None:
    provider("openai", model="text-embedding-3-small", embedding_dim=512)
    assert vectors(ask(input=TEXT)).shape == (1, 512)
    assert vectors(ask(input=TEXT, dimensions=256)).shape == (1, 256)
    assert [request.json["dimensions"] for request in model.requests] == [512, 256]
    provider("ollama", model="nomic-embed-text")
    model.embedding(Vectors(dim=768))
    found = vectors(ask(input=TEXT, dimensions=64))
    assert found.shape == (1, 64)
    assert np.linalg.norm(found) == pytest.approx(1)


def test_a_length_that_there_is_not_is_the_clients_mistake(ask: Ask, model: ScriptedModel, provider: Configure) -> None:
    provider("voyage", model="voyage-3.5", voyage_api_key=KEY)
    assert "cannot give any of 300" in refused(ask(input=TEXT, dimensions=300))
    assert model.requests == []
    provider("openai", model="some-embedder")
    model.embedding(Vectors(constant=[1.0] * 48))
    message = refused(ask(input=TEXT, dimensions=32))
    assert message.startswith("The embedding model openai/some-embedder gives vectors of 48 numbers and cannot")


def test_what_a_client_asks_for_teaches_recall_nothing(ask: Ask, model: ScriptedModel, provider: Configure) -> None:
    provider("openai", model="some-embedder", embedding_dim=32)

    def picky(request: Recorded) -> Status | Vectors:
        return Vectors() if request.json.get("dimensions") == 32 else Status(400, "no such dimensions")

    model.embedding(picky)
    assert "no such dimensions" in refused(ask(input=TEXT, dimensions=7))
    assert quirks.takes(embedder().spec.route, "dimensions") is None
    assert embedder().documents([TEXT]).shape == (1, 32)


# what goes wrong ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("reply", "status", "code"),
    [
        (Status(429, headers={"Retry-After": "7"}), 429, "model_rate_limited"),
        (Status(500, f"my {TEXT} failed"), 502, "model_down"),
        (Status(401, f"bad key {KEY}"), 502, "model_misconfigured"),
        (Status(404), 502, "model_misconfigured"),
        (Status(400, f"{TEXT} is too long"), 400, "model_refused_request"),
        (HangUp(), 502, "model_down"),
        (Hang(), 504, "model_timeout"),
        (Vectors(drop=1), 502, "model_nonsense"),
        (Vectors(constant=[float("nan")] * 8), 502, "model_nonsense"),
        (Vectors(constant=[0.0] * 8), 502, "model_nonsense"),
        (Vectors(texts={TEXT: [1.0] * 8, "b": [1.0] * 9}), 502, "model_nonsense"),
        (Raw(b"<html>busy</html>", content_type="text/html"), 502, "model_nonsense"),
        (Body({"object": "list", "data": None}), 502, "model_nonsense"),
    ],
    ids=str,
)
def test_its_failure_has_its_status_and_is_no_secret_of_ours(
    ask: Ask,
    model: ScriptedModel,
    provider: Configure,
    caplog: pytest.LogCaptureFixture,
    reply: Any,
    status: int,
    code: str,
) -> None:
    provider("openai", model="some-embedder", timeout=0.5)
    model.embedding(reply)
    with caplog.at_level(logging.DEBUG):
        answer = ask(input=[TEXT, "b"])
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), answer.text
    assert answer.headers.get("retry-after") == ("7" if status == 429 else None)
    assert KEY not in answer.text + caplog.text
    assert "Zanzibar" not in caplog.text
    assert ("is too long" in answer.text) is (status == 400)


def test_a_client_that_leaves_is_waited_for_no_longer(anna: Person, model: ScriptedModel, provider: Configure) -> None:
    from caesar.embeddings.app import PATH, embeddings
    from tests.caesar.embeddings.leaving import leave

    provider("openai", model="some-embedder", timeout=60)
    model.embedding(Hang())
    started = time.monotonic()
    sent = asyncio.run(leave(embeddings, PATH, anna.auth, lambda: len(model.requests) == 1))
    model.wait_for(lambda m: m.requests[0].closed_at is not None)
    assert time.monotonic() - started < 5
    assert sent == []


def test_nobody_is_held_up_by_a_provider_that_hangs(anna: Person, model: ScriptedModel, provider: Configure) -> None:
    from caesar.embeddings.app import PATH, embeddings

    provider("openai", model="some-embedder", timeout=1)
    model.on("slow", Hang())

    async def both() -> tuple[int, int, float]:
        transport = httpx.ASGITransport(app=embeddings)  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url="http://t", headers=anna.auth) as client:
            slow = [asyncio.create_task(client.post(PATH, json={"input": "slow"})) for _ in range(20)]
            while model.open_answers < 20:
                await asyncio.sleep(0.005)
            started = time.monotonic()
            quick = await client.post(PATH, json={"input": "quick"})
            took = time.monotonic() - started
            return quick.status_code, {answer.status_code for answer in await asyncio.gather(*slow)}.pop(), took

    quick, slow, took = asyncio.run(both())
    assert (quick, slow) == (200, 504)
    assert took < 0.9
