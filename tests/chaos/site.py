"""A whole installation as people run it: `manage.py up` in a home of its own, with a scripted model."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGKILL
from typing import Any

import httpx
import psutil

from caesar.embedded.postgres import Postgres
from tests.caesar.test_up import READY, Up
from tests.caesar.test_up import running as up_running
from tests.chaos.state import State
from tests.chaos.telling import Told, reading
from tests.processes import eventually, free_port
from tests.scripted_model import ScriptedModel, Vectors

PROCESSES = {
    "web": "uvicorn",
    "worker": "caesar worker",
    "beat": "caesar beat",
    "database": "bin/postgres",
    "broker": "valkey-server",
}

# Seconds until service is normal: promised for a machine that is not busy with other tests as well.
WITHIN = 15.0 if os.environ.get("CHAOS") else 60.0


class Site:
    """The installation, the person who chats, and the model."""

    def __init__(self, up: Up, port: int, model: ScriptedModel) -> None:
        self.up, self.model = up, model
        self.url = f"http://127.0.0.1:{port}"
        key = (up.home / "api-key").read_text().strip()
        self.http = httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {key}"}, timeout=60)
        self.state = State(Postgres(up.home).url("superuser"))
        self.seen: list[Told] = []
        self.tried: list[Told] = []

    def process(self, name: str) -> psutil.Process | None:
        return self.up.children().get(PROCESSES[name])

    def kill(self, name: str) -> None:
        """kill -9."""
        found = self.process(name)
        assert found is not None, self.up.out
        found.send_signal(SIGKILL)
        found.wait(10)

    def tell(self, told: Told, *, stream: bool = False, profile: str | None = None) -> bool:
        """Say it in a chat of its own. Whether the client saw the whole answer."""
        self.tried.append(told)
        headers = {"X-Caesar-Profile": profile} if profile else {}
        body: dict[str, Any] = {"messages": [{"role": "user", "content": told.sentence}]}
        try:
            if stream:
                with self.http.stream(
                    "POST", "/v1/chat/completions", json=body | {"stream": True}, headers=headers
                ) as answer:
                    whole = answer.status_code == 200 and "data: [DONE]" in list(answer.iter_lines())
            else:
                whole = self.http.post("/v1/chat", json=body, headers=headers).status_code == 200
        except httpx.HTTPError:
            return False
        if whole:
            self.seen.append(told)
        return whole

    def tell_until_heard(self, facts: Iterator[Told], *, seconds: float = 60) -> Told:
        """Tell one after the other until the client sees an answer."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            told = next(facts)
            if self.tell(told):
                return told
            time.sleep(0.1)
        raise AssertionError(f"no chat was answered within {seconds} s: {self.up.out[-3000:]}")

    def normal(self, facts: Iterator[Told], *, seconds: float) -> float:
        """Seconds until a chat is answered, and all that was told until then is learned."""
        started = time.monotonic()
        self.tell_until_heard(facts, seconds=seconds)
        self.settle(seconds=seconds)
        return time.monotonic() - started

    def settle(self, *, seconds: float = 60) -> None:
        """Until nothing waits."""
        eventually(
            quietly(lambda: self.state.settled(vectors=True)),
            seconds=seconds,
            what=lambda: f"{self.look()} {self.up.out[-3000:]}",
        )

    def look(self) -> Any:
        """Where it stands, for a failure's message."""
        try:
            return self.state.rows("SELECT kind, state, attempts, outages, not_before, error FROM work_items"
                                   " WHERE state NOT IN ('done', 'cancelled') LIMIT 5"), self.state.rows(
                "SELECT owner_kind, not_before, attempts, error FROM embed_queue LIMIT 5")  # fmt: skip
        except Exception as error:
            return error

    def wrongs(self) -> list[str]:
        tried = [one for one in self.tried if one not in set(self.seen)]
        return self.state.wrongs(self.seen, tried=tried, vectors=True)


def quietly(condition: Callable[[], Any]) -> Callable[[], Any]:
    """A condition that does not hold while the database is away."""

    def held() -> Any:
        try:
            return condition()
        except Exception:
            return False

    return held


def settings(model: ScriptedModel) -> dict[str, str]:
    return {
        "CAESAR_LLM__PROVIDER": "openai",
        "CAESAR_LLM__MODEL": "scripted",
        "CAESAR_LLM__OPENAI__API_KEY": "sk-not-a-real-key",
        "CAESAR_LLM__OPENAI__BASE_URL": model.url,
        "CAESAR_LLM__TIMEOUT_SECONDS": "20",
        "CAESAR_MEMORY__CONSENT_DEFAULT": "true",
        "CAESAR_MEMORY__FACTS_EXTRACT__INTERVAL_SECONDS": "1",
        "CAESAR_MEMORY__EPISODES_SUMMARISE__INTERVAL_SECONDS": "1",
        "CAESAR_SEMANTIC__PROVIDER": "openai",
        "CAESAR_SEMANTIC__MODEL": "scripted-embedder",
        "CAESAR_SEMANTIC__EMBEDDING_DIM": "8",
        "CAESAR_SEMANTIC__ENABLED": "true",
    }


def scripted() -> ScriptedModel:
    """A model that reads what was told and embeds in eight dimensions; not started yet."""
    return ready(ScriptedModel())


def ready(model: ScriptedModel) -> ScriptedModel:
    return model.extraction(reading).embedding(Vectors(dim=8))


@contextmanager
def running(home: Path, **env: str) -> Iterator[Site]:
    """An installation that is ready."""
    port = free_port()
    with scripted() as model, up_running(home, port, **settings(model), **env) as up:
        up.until(READY)
        site = Site(up, port, model)
        try:
            yield site
        finally:
            site.http.close()
