"""`POST /v1/embeddings` by the model in the box, in the real web process."""

from __future__ import annotations

import asyncio
import json
import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np
import psutil
import pytest

from caesar import rates
from caesar.embeddings.answer import PIECE_BYTES, send_all
from memory.db import operator_scope
from memory.llm.embedding import embedder, sources
from memory.llm.embedding.serving import Served
from memory.models import AuditLog, Profile
from tests import everywhere
from tests.caesar.chat.looking import metric
from tests.caesar.embeddings.conftest import Ask
from tests.scripted_model import ScriptedModel
from tests.server import Web

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres
    from tests.people import Person

PATH = "/v1/embeddings"
NAME = "local/all-MiniLM-L6-v2"


LONG = "The quick brown fox jumps over the lazy dog. " * 80


class Unanswered:
    """A request that was sent and may be answered one day."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    @property
    def answered(self) -> bool:
        return bool(select.select([self._connection], [], [], 0)[0])


@contextmanager
def unanswered(web: Web, who: Person, body: dict[str, Any]) -> Iterator[Unanswered]:
    sent = json.dumps(body).encode()
    head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {who.auth['Authorization']}\r\n"
    host, port = web.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(head.encode() + f"Content-Length: {len(sent)}\r\n\r\n".encode() + sent)
        yield Unanswered(connection)


def client(web: Web, who: Person) -> httpx.Client:
    return httpx.Client(base_url=web.url, headers=who.auth, timeout=60)


def test_its_vectors_are_those_that_recall_compares(web: Web, anna: Person) -> None:
    texts = ["My dog is called Beans.", "我的狗叫豆豆。", "x" * 50_000, "two\0words", "a"] * 8
    with client(web, anna) as http:
        body = http.post(PATH, json={"model": NAME, "input": texts}).raise_for_status().json()
    found = np.array([each["embedding"] for each in body["data"]])
    assert (found.shape, body["model"]) == ((40, 384), NAME)
    np.testing.assert_allclose((found * embedder().documents(texts)).sum(axis=1), 1, atol=0.01)
    assert body["usage"]["prompt_tokens"] == body["usage"]["total_tokens"] > 40


@pytest.mark.parametrize("name", [None, "", "default", NAME, "onnx/all-MiniLM-L6-v2", "all-MiniLM-L6-v2"])
def test_its_names(ask: Ask, name: str | None) -> None:
    body = ask(model=name, input="a").json()
    assert body["model"] == NAME
    assert body["usage"] == {"prompt_tokens": 3, "total_tokens": 3}


def test_what_it_is_not_or_has_not_is_refused_in_words(ask: Ask) -> None:
    def message(**body: Any) -> str:
        answer = ask(**{"input": "a", **body})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_input")
        return str(answer.json()["error"]["message"])

    unknown = message(model="text-embedding-3-small")
    assert unknown == f"There is no embedding model 'text-embedding-3-small' here. Ask for {NAME}, or for default."
    assert "gives vectors of 384 numbers and cannot give any of 256" in message(dimensions=256)
    assert "check_embedding_ctx_length=False" in message(input=[[1, 2]])
    assert len(ask(input="a", dimensions=384).json()["data"][0]["embedding"]) == 384


def test_it_asks_for_a_key_first_and_takes_post_alone(web: Web, anna: Person) -> None:
    for auth in ({}, {"Authorization": "Bearer caesar_nobody"}):
        answer = httpx.post(web.url + PATH, headers=auth, content=b'{"input": 5')
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthorized")
    with client(web, anna) as http:
        assert http.get(PATH).status_code == 405
        assert http.post(PATH, content=b'{"input": "\\ud83d"}').status_code == 400
        assert http.post(PATH, content=b"{").json()["error"]["code"] == "invalid_input"
        assert http.post(PATH, content=b" " * 20_000_001).status_code == 413
        assert http.post(PATH, json={"input": "a"}, headers={"Host": "rebound.example"}).status_code == 400


def test_a_bound_key_names_no_other_and_no_name_makes_a_profile(web: Web, anna: Person) -> None:
    from tests.people import person

    bert = person("bert", app_key=False)
    with client(web, bert) as http:
        refused = http.post(PATH, json={"input": "a"}, headers={"X-Caesar-Profile": "anna"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "other_profile")
        assert http.post(PATH, json={"input": "a"}, headers={"X-Caesar-Profile": "default"}).status_code == 200
    with client(web, anna) as http:
        named = {"X-Caesar-Profile": "nobody yet", "X-OpenWebUI-User-Id": "5c1e"}
        assert http.post(PATH, json={"input": "a", "user": "carl"}, headers=named).status_code == 200
    with operator_scope():
        assert Profile.objects.count() == 2


def test_nothing_of_a_text_is_kept_or_logged(web: Web, anna: Person, cluster: Postgres) -> None:
    def rows() -> int:
        with operator_scope():
            return AuditLog.objects.count()

    with client(web, anna) as http:
        told = rows()
        before = metric("caesar_embeddings_total", http), metric("caesar_embedded_tokens_total", http)
        assert http.post(PATH, json={"input": "Quokkaville is my town", "user": "Wombatella"}).status_code == 200
        assert http.post(PATH, json={"input": ["Quokkaville", ""]}).status_code == 400
        assert metric("caesar_embeddings_total", http) == before[0] + 2
        assert metric("caesar_embedded_tokens_total", http) > before[1] + 5
    for word in ("Quokkaville", "Wombatella"):
        assert everywhere.in_tables(cluster, word) == []
        assert word not in web.said
    assert rows() == told


def test_who_chats_does_not_wait_for_many_long_texts(web: Web, anna: Person, model: ScriptedModel) -> None:
    hello = {"messages": [{"role": "user", "content": "What is my boat called?"}]}
    with client(web, anna) as http:
        http.post("/v1/chat", json=hello).raise_for_status()
        http.post(PATH, json={"input": "warm"}).raise_for_status()
        memory = psutil.Process(web.pid).memory_info().rss
        # Half a minute's work, which ends when whoever asked for it goes.
        with unanswered(web, anna, {"input": [LONG] * 2000}) as many:
            for _ in range(3):
                http.post("/v1/chat", json=hello).raise_for_status()
                http.post(PATH, json={"input": "a short one"}).raise_for_status()
            assert not many.answered
        assert psutil.Process(web.pid).memory_info().rss - memory < 150_000_000


def test_the_largest_answer_holds_nobody_up() -> None:
    served = Served(np.full((2048, 384), 0.05, dtype=np.float32), NAME, 1)
    pieces: list[int] = []
    longest = 0.0

    async def send(message: Any) -> None:
        pieces.append(len(message.get("body", b"")))

    async def watched() -> None:
        nonlocal longest
        task = asyncio.create_task(send_all(served, send, as_base64=False))
        while not task.done():
            # The processor's time, not the clock's: other processes may have had it.
            began = time.thread_time()
            await asyncio.sleep(0)
            longest = max(longest, time.thread_time() - began)

    asyncio.run(watched())
    assert sum(pieces) > 2_000_000
    assert longest < 0.1
    assert max(pieces) < 2 * PIECE_BYTES


def test_too_many_at_once_are_told_to_come_again(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_open", sources.MOST_WAITING + 1)
    answer = ask(input="a")
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "model_rate_limited")
    assert answer.headers["retry-after"] == "5"


def test_a_key_that_asks_too_often_hears_when_to_come_again(
    ask: Ask, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CAESAR = settings.CAESAR.model_copy(update={"rate_limit_per_minute": 2})
    monkeypatch.setattr(rates, "_buckets", rates.Buckets())
    assert [ask(input=text).status_code for text in ("a", "", "a")] == [200, 400, 429]
    refused = ask(input="a")
    assert refused.json()["error"]["type"] == "rate_limit_error"
    assert 1 <= int(refused.headers["retry-after"]) <= 30


def test_a_client_that_leaves_costs_no_more(anna: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    from caesar.embeddings.app import embeddings
    from tests.caesar.embeddings.leaving import leave

    backend: Any = embedder().backend
    read: list[int] = []
    real: Callable[..., Any] = backend.embed

    def counted(texts: Any, kind: str) -> Any:
        read.append(len(texts))
        return real(texts, kind)

    embedder().load()
    monkeypatch.setattr(backend, "embed", counted)
    body = {"input": [LONG] * 500}
    sent = asyncio.run(leave(embeddings, PATH, anna.auth, lambda: len(read) >= 2, body))
    assert sent == []
    assert len(read) < 10
    assert sources._open == 0
