"""Clients that leave, and models that are slow: nothing is held for either."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx
import psycopg
import pytest

from caesar.chat import turn
from tests import server
from tests.caesar.chat.looking import rows, said, user, within
from tests.scripted_model import ScriptedModel, Text
from tests.server import Web

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

STORY = Text(pieces=[f"word{i} " for i in range(200)], interval=0.2)
ASKED = "Tell me a long story. By the way, I live in Molde."


def leave_after(web: Web, auth: dict[str, str], pieces: int, text: str = ASKED) -> None:
    """Read so many pieces of a stream, then close the socket."""
    body = {"stream": True, "messages": [user(text)]}
    with (
        httpx.Client(base_url=web.url, headers=auth, timeout=30) as client,
        client.stream("POST", "/v1/chat/completions", json=body) as response,
    ):
        seen = 0
        for line in response.iter_lines():
            seen += "word" in line
            if seen == pieces:
                return


def database_connections(cluster: Postgres) -> int:
    """Connections of the product's login, whatever they do."""
    with psycopg.connect(cluster.url("superuser")) as connection:
        counted = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = 'caesar_service'")
        return int(counted.fetchone()[0])  # type: ignore[index]


def busy_connections(cluster: Postgres) -> int:
    """Connections of the product's login that hold a transaction open."""
    with psycopg.connect(cluster.url("superuser")) as connection:
        counted = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE usename = 'caesar_service' AND state <> 'idle'"
        )
        return int(counted.fetchone()[0])  # type: ignore[index]


def test_it_hangs_up_on_the_model_and_keeps_what_was_said(web: Web, model: ScriptedModel, anna: Any) -> None:
    model.reply(STORY)
    leave_after(web, anna.auth, 3)
    model.wait_for(lambda m: m.requests[0].closed_at is not None, seconds=5)
    assert model.requests[0].sent < 30
    (recorded,) = within(5, rows)
    assert recorded.payload["complete"] is False
    assert recorded.mine_facts
    (asked, answered) = said(recorded.payload)
    assert asked == ("user", ASKED)
    assert answered[1].startswith("word0 word1 word2 ")
    assert len(answered[1].split()) < 30


def test_forty_clients_that_leave_leave_nothing_behind(
    web: Web, model: ScriptedModel, anna: Any, cluster: Postgres
) -> None:
    model.on(lambda r: "story" in r.text, STORY)
    httpx.post(f"{web.url}/v1/chat", headers=anna.auth, json={"messages": [user("Hi")]}, timeout=30)
    before = database_connections(cluster)
    with ThreadPoolExecutor(40) as pool:
        list(pool.map(lambda i: leave_after(web, anna.auth, 2, f"A long story, number {i}"), range(40)))
    model.wait_for(lambda m: all(r.closed_at is not None for r in m.requests if "story" in r.text), seconds=10)
    started = time.monotonic()
    answer = httpx.post(f"{web.url}/v1/chat", headers=anna.auth, json={"messages": [user("Still there?")]}, timeout=10)
    assert answer.status_code == 200
    assert time.monotonic() - started < 2
    told = within(5, lambda: found if len(found := rows()) == 42 else None)
    stories = [r.payload["messages"][0]["text"] for r in told if not r.payload["complete"]]
    assert sorted(stories) == sorted(f"A long story, number {i}" for i in range(40))
    assert database_connections(cluster) <= before
    assert busy_connections(cluster) == 0


def test_it_hangs_up_where_nothing_was_streamed_yet(web: Web, model: ScriptedModel, anna: Any) -> None:
    model.reply(Text("late", delay=30))
    for streamed in (True, False):
        body = {"stream": streamed, "messages": [user("Hi")]}
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{web.url}/v1/chat/completions", headers=anna.auth, json=body, timeout=0.5)
        model.wait_for(lambda m: m.requests[-1].closed_at is not None, seconds=5)
        assert rows() == []


def test_a_slow_model_occupies_no_thread_and_no_connection_per_client(
    web: Web, model: ScriptedModel, anna: Any, cluster: Postgres
) -> None:
    go_on = threading.Event()
    model.reply(Text(pieces=["word "], stall_after=1))
    clients = [threading.Thread(target=leave_when, args=(web, anna.auth, go_on), daemon=True) for _ in range(100)]
    for client in clients:
        client.start()
    try:
        model.wait_for(lambda m: m.open_answers == 100, seconds=30)
        within(10, lambda: busy_connections(cluster) == 0)
        assert web.threads < 40
    finally:
        go_on.set()
        for client in clients:
            client.join(10)
    within(10, lambda: len(rows()) == 100)


def leave_when(web: Web, auth: dict[str, str], go: threading.Event) -> None:
    body = {"stream": True, "messages": [user("Hi")]}
    with (
        httpx.Client(base_url=web.url, headers=auth, timeout=60) as client,
        client.stream("POST", "/v1/chat/completions", json=body),
    ):
        go.wait(60)


def test_a_process_that_is_told_to_end_keeps_what_was_said(model: ScriptedModel, anna: Any) -> None:
    model.reply(STORY)
    with server.running(server.with_model(model.url)) as web:
        body = {"stream": True, "messages": [user(ASKED)]}
        with httpx.stream(
            "POST", f"{web.url}/v1/chat/completions", headers=anna.auth, json=body, timeout=60
        ) as response:
            lines = response.iter_lines()
            while "word2" not in next(lines):
                pass
            os.kill(web.pid, signal.SIGTERM)
            with contextlib.suppress(httpx.RemoteProtocolError):
                assert "data: [DONE]" not in list(lines)
            (recorded,) = within(5, rows)
    assert recorded.payload["complete"] is False
    assert said(recorded.payload)[0] == ("user", ASKED)


def test_the_end_of_the_process_waits_for_chats_that_are_being_broken_off() -> None:
    async def end() -> list[str]:
        did: list[str] = []

        async def chat() -> None:
            with turn.waited_for():
                try:
                    await asyncio.Event().wait()
                finally:
                    await asyncio.sleep(0.05)  # it hangs up on the model, and then has a row to write
                    did.append("row")

        task = asyncio.create_task(chat())
        await asyncio.sleep(0)
        task.cancel()
        await turn.all_finished(5)
        return [*did, "end"]

    assert asyncio.run(end()) == ["row", "end"]
