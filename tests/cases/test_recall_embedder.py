"""An embedder that hangs, refuses or talks nonsense costs a chat its budget at most, and nothing that was said."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection

from memory.db import operator_scope
from memory.models import Embedding
from tests import server
from tests.cases.conftest import DIM, EMBEDS, Someone, World
from tests.processes import eventually
from tests.scripted_model import Hang, Recorded, ScriptedModel, Status, Vectors
from tests.server import Web

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

TRIES = 3  # in vain, then nobody asks the embedder for a while
ONE = [1.0] + [0.0] * (DIM - 1)
OTHER = [0.0] * (DIM - 1) + [1.0]
HAMSTER = {"facts": [{"key": "pet.hamster", "value": "Otto", "confidence": 0.95}], "summary": None}


@pytest.fixture(scope="module")
def _failing(cluster: Postgres, _model: ScriptedModel) -> Iterator[Web]:
    """With the usual budget, and an embedder that nobody else's tests have to live with."""
    embeds = {f"CAESAR_SEMANTIC__{name.upper()}": str(value) for name, value in EMBEDS.items() if "budget" not in name}
    with server.running(server.with_model(_model.url) | embeds) as web:
        yield web


@pytest.fixture
def ruben(recalling: World, _failing: Web, settings: Any) -> Someone:
    recalling.web = _failing
    semantic = settings.CAESAR.semantic.model_copy(update={"enabled": False})
    settings.CAESAR = settings.CAESAR.model_copy(update={"semantic": semantic})
    ruben = recalling.someone("ruben")
    ruben.knows(("allergy", "kiwi"), ("locker", "ATL-4471"))
    ruben.chat("Is anybody there?", memory="off")  # a new process loads what it needs
    return ruben


def health(who: Someone) -> tuple[str, dict[str, Any]]:
    time.sleep(1.1)  # it looks once a second
    found = who.http.get("/readyz").json()
    return found["status"], found["checks"]["embedder"]


def rodents_are_alike(request: Recorded) -> Vectors:
    alike = [text for text in request.inputs if "hamster" in text or "rodent" in text]
    return Vectors(texts=dict.fromkeys(alike, ONE), constant=OTHER)


def let_time_pass() -> None:
    with operator_scope(), connection.cursor() as cursor:
        cursor.execute("UPDATE embed_queue SET not_before = now()")


def numbers() -> list[Any]:
    with operator_scope():
        return [list(row.vector) for row in Embedding.objects.all()]


def test_it_goes_on_by_words_and_catches_up(ruben: Someone):
    model, world = ruben.world.model, ruben.world
    # It hangs.
    model.reset()
    model.embedding(Hang())
    took = []
    for n in range(10):
        began = time.monotonic()
        ruben.chat(f"what is in ATL-4471? {n}")
        took.append(time.monotonic() - began)
        assert "ATL-4471" in str(model.chats[-1].messages[0]["content"])
    assert len(model.embeddings) == TRIES
    assert max(took) < 3
    assert sorted(took[TRIES:])[len(took[TRIES:]) // 2] < 0.5
    found = ruben.recall("what is in ATL-4471? 0", kinds=["facts"])
    assert "ATL-4471" in found[0]["text"]
    assert "names" in found[0]["why"]
    status, embedder = health(ruben)
    assert embedder["degraded"]
    assert "by words alone" in embedder["detail"]
    assert status in ("degraded", "not ready")  # no worker runs beside this test

    # It refuses; what is told is learned.
    model.reset()
    model.embedding(Status(503, "down for maintenance"))
    ruben.told(HAMSTER, "I have a hamster called Otto")
    assert ruben.held()["pet.hamster"] == "Otto"
    assert {item["state"] for item in ruben.work_items()} == {"done"}
    assert len(numbers()) == 2
    assert health(ruben)[1]["failing"] == 1
    assert "503" in health(ruben)[1]["detail"]

    # It talks nonsense.
    for nonsense in ([float("nan")] * DIM, [1.0, 2.0, 3.0], [0.0] * DIM):
        model.embedding(Vectors(constant=nonsense))
        let_time_pass()
        world.work()
        assert len(numbers()) == 2
        assert all(number == number for vector in numbers() for number in vector)
        assert ruben.recall("what is in the locker ATL-4471?")
    assert health(ruben)[1]["degraded"]

    # It is well again: nobody lifts a finger.
    model.embedding(rodents_are_alike)
    let_time_pass()
    world.work()
    assert len(numbers()) == 3

    def otto() -> bool:
        first = ruben.recall("pet rodent", kinds=["facts"])[0]
        return "Otto" in first["text"] and first["scores"]["semantic"] > 0.99

    eventually(otto, seconds=60)
    assert not health(ruben)[1]["degraded"]


def test_nobody_embeds_what_nobody_may_remember(ruben: Someone):
    """Whoever embeds a text has read it."""
    model = ruben.world.model
    model.reset()
    off = {"memory_enabled": False, "summaries_enabled": False}
    assert ruben.http.post("/v1/spaces", json={"slug": "quiet", **off}).status_code == 201
    ruben.chat("This is off the record.", memory="off")
    ruben.chat("Nothing is kept in here.", space="quiet")
    ruben.http.post("/v1/recall", json={"query": "And in here?", "space": "quiet"})
    ruben.http.post("/v1/context", json={"query": "Or in here?", "space": "quiet"})
    assert ruben.http.patch("/v1/profile", json=off).status_code == 200
    ruben.chat("I want no memory at all.")
    ruben.recall("What do you know?")
    ruben.http.post("/v1/context", json={"query": "What would you tell?"})
    ruben.world.work()
    assert [request.inputs for request in model.embeddings] == []
    assert len(model.chats) == 3
    ruben.http.patch("/v1/profile", json={"memory_enabled": True})

    def asked() -> bool:
        ruben.chat("I do want some.")
        return bool(model.embeddings)

    eventually(asked, seconds=60)  # others' tests may have left it resting
    ruben.world.work()
    assert {text for request in model.embeddings for text in request.inputs} == {"I do want some."}
