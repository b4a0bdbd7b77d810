"""Faults that users of such systems met, played through the public interface: chat by HTTP, work, facts by HTTP."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests import server
from tests.people import Person, person
from tests.processes import eventually
from tests.scripted_model import ScriptedModel
from tests.server import Web

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres


class World:
    """A served installation with a scripted model; `work` does what a worker would."""

    def __init__(self, web: Web, model: ScriptedModel) -> None:
        self.web, self.model = web, model
        self.people: list[Someone] = []

    def someone(self, name: str = "someone", **options: Any) -> Someone:
        self.people.append(Someone(self, person(name, **options)))
        return self.people[-1]

    def work(self) -> int:
        from workers import tasks

        return tasks.drain()


class Someone:
    """A person who chats and looks at their memory over HTTP."""

    def __init__(self, world: World, who: Person) -> None:
        self.world, self.who = world, who
        self.http = httpx.Client(base_url=world.web.url, headers=who.auth, timeout=60)

    def chat(self, *said: str | dict[str, Any], **body: Any) -> dict[str, Any]:
        """Texts are turns of the person and the assistant, by turns; a final turn of the assistant is its answer."""
        messages = [
            m if isinstance(m, dict) else {"role": ("user", "assistant")[n % 2], "content": m}
            for n, m in enumerate(said)
        ]
        if messages[-1]["role"] == "assistant":
            self.world.model.reply(messages.pop()["content"])
        answer = self.http.post("/v1/chat", json={"messages": messages, **body})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def told(self, raw: Any, *said: str | dict[str, Any], **body: Any) -> dict[str, Any]:
        """A chat, and what the reading model replies to it (bytes as they are, or JSON)."""
        self.world.model.extraction(raw if not isinstance(raw, dict) else json.dumps(raw))
        answer = self.chat(*said, **body)
        self.world.work()
        return answer

    def facts(self, **filters: Any) -> list[dict[str, Any]]:
        answer = self.http.get("/v1/facts", params=filters)
        assert answer.status_code == 200, answer.text
        return list(strict(answer.text)["results"])

    def held(self, **filters: Any) -> dict[str, Any]:
        """key -> value, or a sorted list of values where the key has several."""
        out: dict[str, Any] = {}
        for fact in self.facts(**filters):
            out.setdefault(fact["key"], []).append(fact["value"])
        return {key: values[0] if len(values) == 1 else sorted(values) for key, values in out.items()}

    def work_items(self, kind: str = "extract") -> list[dict[str, Any]]:
        return list(self.http.get("/v1/work", params={"kind": kind}).json()["results"])

    def audit(self, event_type: str) -> list[dict[str, Any]]:
        return list(self.http.get("/v1/audit", params={"event_type": event_type}).json()["results"])

    def knows(self, *pairs: tuple[str | None, str], **more: Any) -> None:
        """Facts in the person's own words, embedded where there is an embedder."""
        for key, value in pairs:
            made = self.http.post("/v1/facts", json={"key": key, "value": value, **more})
            assert made.status_code == 201, made.text
        self.world.work()

    def recall(self, query: str, **more: Any) -> list[dict[str, Any]]:
        answer = self.http.post("/v1/recall", json={"query": query, **more})
        assert answer.status_code == 200, answer.text
        return list(strict(answer.text)["results"])

    def given(self, question: str) -> str:
        """What the model receives from us with a question in a new chat, as one text."""
        self.world.model.reset()
        self.world.model.reply("ok")
        self.chat(question)
        return "\n".join(str(m["content"]) for m in self.world.model.chats[-1].messages)


def strict(text: str) -> Any:
    """Parses JSON as it should be: no NaN, no Infinity."""

    def refuse(word: str) -> Any:
        raise ValueError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


DIM = 8
EMBEDDER = f"openai/scripted-embedder/{DIM}"
# The scripted model embeds too, and has time for it: what is tested must not depend on how busy the machine is.
EMBEDS = {"provider": "openai", "model": "scripted-embedder", "embedding_dim": DIM, "query_budget_ms": 5000}


@pytest.fixture(scope="session")
def _recalling(cluster: Postgres, _model: ScriptedModel) -> Iterator[Web]:
    embeds = {f"CAESAR_SEMANTIC__{name.upper()}": str(value) for name, value in EMBEDS.items()}
    with server.running(server.with_model(_model.url) | embeds | {"CAESAR_SEMANTIC__ENABLED": "true"}) as web:
        yield web


@pytest.fixture
def recalling(database: Postgres, _recalling: Web, world: World, settings: Any) -> World:
    """The world with an embedder at the wire, and raw chat that is indexed. Questions are remembered over tests."""
    from memory import embed
    from memory.config import Semantic

    semantic = Semantic.model_validate({**EMBEDS, "enabled": True})
    settings.CAESAR = settings.CAESAR.model_copy(update={"semantic": semantic})
    embed.ready()
    world.web = _recalling
    if _recalling.pid not in _warm:
        _warm.add(_recalling.pid)
        warm_up(world.someone("somebody"))
    return world


_warm: set[int] = set()  # processes that have loaded what they embed questions with


def warm_up(who: Someone) -> None:
    """A new process embeds no question before it has loaded what it needs."""
    eventually(lambda: who.recall(f"Is anybody there at {time.monotonic()}?") or who.world.model.embeddings)
    who.world.model.reset()


@pytest.fixture
def world(web: Web, model: ScriptedModel, settings: Any) -> Iterator[World]:
    from memory.config import LLM

    llm = {
        "provider": "openai",
        "model": "scripted",
        "openai": {"api_key": "sk-not-a-real-key", "base_url": model.url},
        "timeout_seconds": 10,
    }
    settings.CAESAR = settings.CAESAR.model_copy(update={"llm": LLM.model_validate(llm)})
    made = World(web, model)
    yield made
    for who in made.people:
        who.http.close()
