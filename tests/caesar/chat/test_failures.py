"""What a chat answers when something else fails."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import openai
import psycopg
import pytest

from tests import server
from tests.caesar.chat.looking import know, metric, row, rows, said, stream, user
from tests.scripted_model import Body, HangUp, ScriptedModel, Status, Text
from tests.server import UPSTREAM_KEY, Web

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

HI = {"messages": [user("Hi")]}


@contextmanager
def away(cluster: Postgres, table: str) -> Iterator[None]:
    """While inside, there is no such table."""
    with psycopg.connect(cluster.url("superuser"), autocommit=True) as connection:
        connection.execute(f"ALTER TABLE {table} RENAME TO {table}_away")
        try:
            yield
        finally:
            connection.execute(f"ALTER TABLE {table}_away RENAME TO {table}")


def test_it_goes_on_without_memory_where_recall_fails_and_says_so(
    http: httpx.Client, model: ScriptedModel, anna: Any, cluster: Postgres
) -> None:
    know(anna.profile_id, "dog.name", "Beans")
    before = metric("caesar_recall_failures_total", http)
    with away(cluster, "personal_facts"):
        answer = http.post("/v1/chat", json=HI)
    assert answer.status_code == 200
    assert answer.headers["x-caesar-memory"] == "failed"
    assert answer.json()["memory"]["facts"] == []
    assert model.requests[0].json["messages"] == HI["messages"]
    assert row()["recall_failed"] is True
    assert metric("caesar_recall_failures_total", http) == before + 1


def test_it_waits_no_longer_than_two_seconds_for_memory(
    http: httpx.Client, model: ScriptedModel, anna: Any, cluster: Postgres
) -> None:
    know(anna.profile_id, "dog.name", "Beans")
    with psycopg.connect(cluster.url("superuser")) as other:
        other.execute("LOCK TABLE personal_facts IN ACCESS EXCLUSIVE MODE")
        started = time.monotonic()
        answer = http.post("/v1/chat", json=HI)
        took = time.monotonic() - started
    assert answer.status_code == 200
    assert answer.headers["x-caesar-memory"] == "failed"
    assert took < 4


@pytest.mark.parametrize(
    ("reply", "status", "code"),
    [
        (Status(429, headers={"Retry-After": "20"}), 429, "model_rate_limited"),
        (Status(500), 502, "model_down"),
        (Status(503), 502, "model_down"),
        (Status(401, "Incorrect API key provided: sk-abcdefgh12345678"), 502, "model_misconfigured"),
        (Status(404, "The model does not exist"), 502, "model_misconfigured"),
        (Status(400, "context_length_exceeded: too long"), 400, "model_refused_request"),
        (HangUp(), 502, "model_down"),
        (Body({"id": "x"}), 502, "model_nonsense"),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_it_passes_a_models_failure_on_in_words(
    http: httpx.Client, model: ScriptedModel, reply: Any, status: int, code: str, streamed: bool
) -> None:
    model.reply(reply)
    answer = http.post("/v1/chat/completions", json={**HI, "stream": streamed})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert error["message"].endswith((".", "?")) or "It said:" in error["message"]
    assert "sk-abcdefgh" not in answer.text
    assert UPSTREAM_KEY not in answer.text
    assert answer.headers.get("retry-after") == ("20" if status == 429 else None)
    if status == 400:
        assert "context_length_exceeded" in error["message"]
    assert rows() == []


def test_the_official_client_raises_its_own_errors(client: openai.OpenAI, model: ScriptedModel) -> None:
    messages: Any = HI["messages"]
    model.script([Status(429), Status(400, "bad tool")])
    with pytest.raises(openai.RateLimitError):
        client.chat.completions.create(model="m", messages=messages)
    with pytest.raises(openai.BadRequestError, match="bad tool"):
        client.chat.completions.create(model="m", messages=messages)
    with pytest.raises(openai.AuthenticationError, match="valid API key"):
        client.with_options(api_key="caesar_nobody").chat.completions.create(model="m", messages=messages)


@pytest.mark.parametrize("streamed", [False, True])
def test_it_answers_nothing_that_could_not_be_recorded(
    http: httpx.Client, model: ScriptedModel, cluster: Postgres, streamed: bool
) -> None:
    with psycopg.connect(cluster.url("superuser"), autocommit=True) as connection:

        def answer(_: Any) -> Text:
            connection.execute("ALTER TABLE audit_log RENAME TO audit_log_away")
            return Text("Hello")

        model.reply(answer)
        try:
            if streamed:
                _, chunks = stream(http, **HI)
                assert "[DONE]" not in chunks
                error = chunks[-1]["error"]
            else:
                response = http.post("/v1/chat/completions", json=HI)
                assert response.status_code == 500
                assert "Hello" not in response.text
                error = response.json()["error"]
        finally:
            connection.execute("ALTER TABLE audit_log_away RENAME TO audit_log")
    assert error["code"] == "internal_error"
    assert "audit_log" not in error["message"]


def test_it_records_a_turn_whose_conversation_was_deleted_meanwhile(
    http: httpx.Client, model: ScriptedModel, cluster: Postgres
) -> None:
    first = http.post("/v1/chat", json=HI).json()["conversation_id"]
    with psycopg.connect(cluster.url("superuser"), autocommit=True) as connection:

        def answer(_: Any) -> Text:
            connection.execute("SET session_replication_role = replica")
            connection.execute("DELETE FROM message_hashes; DELETE FROM conversations; DELETE FROM audit_log")
            return Text("Hello")

        model.reply(answer)
        answered = http.post("/v1/chat", json={"messages": [user("Again")], "conversation_id": first})
    assert answered.status_code == 200
    assert said(row()) == [("user", "Again"), ("assistant", "Hello")]


def test_it_says_when_the_database_is_away(model: ScriptedModel, cluster: Postgres) -> None:
    nowhere = {"CAESAR_DATABASE_URL": "postgresql://caesar:secret-word@127.0.0.1:9/caesar"}
    with server.running({**server.with_model(model.url), **nowhere}) as web:
        answer = httpx.post(f"{web.url}/v1/chat", headers={"Authorization": "Bearer x"}, json=HI, timeout=30)
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "5"
        assert answer.json()["error"]["code"] == "database_unavailable"
        assert "secret-word" not in answer.text
        assert "secret-word" not in web.said


def test_its_log_holds_no_word_of_a_chat_and_no_key(
    http: httpx.Client, web: Web, model: ScriptedModel, anna: Any
) -> None:
    model.script([Status(500, "my zebra failed"), Status(401, "bad zebra key")])
    for _ in range(3):
        http.post("/v1/chat", json={"messages": [user("My zebra is called Ferdinand")]})
    assert "Ferdinand" not in web.said
    assert UPSTREAM_KEY not in web.said
    assert anna.key not in web.said
