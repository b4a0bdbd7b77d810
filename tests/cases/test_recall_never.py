"""What holds no longer, was never decided, or is elsewhere is told by no door."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db.models.functions import Now

from memory.db import profile_scope
from memory.models import Fact
from tests.cases.conftest import DIM, Someone, World
from tests.scripted_model import ToolCalls, Vectors

ALIKE = Vectors(constant=[1.0] + [0.0] * (DIM - 1))  # whatever is asked, everything is near
OLD, NEW = "Bremen", "Leipzig"
SAID = f"I live in {OLD} by the river."
ASKED = "Where is my home?"


def read(*facts: dict[str, Any], summary: str | None = None) -> str:
    return json.dumps({"facts": list(facts), "summary": summary})


def city(value: str, **more: Any) -> dict[str, Any]:
    return {"key": "address.city", "value": value, "confidence": 0.95, **more}


def told(who: Someone, raw: str, *said: str, **body: Any) -> None:
    """A chat that is read as `raw`, whatever was read of others."""
    who.world.model.reset()
    who.world.model.embedding(ALIKE)
    who.told(json.loads(raw), *said, **body)


@pytest.fixture
def jana(recalling: World) -> Someone:
    """She said where she lives, and later the assistant said it to her, as it was given to it."""
    jana = recalling.someone("jana")
    told(jana, read(city(OLD), summary=f"Jana lives in {OLD}."), SAID, "Noted.", conversation_id="first")
    told(
        jana,
        read(summary=f"Jana asked for bakeries, and {OLD} has many."),
        "Which bakeries are near my home?",
        f"There are many in {OLD}, go to the market.",
        conversation_id="second",
    )
    said = [one for one in jana.recall(ASKED, k=100) if OLD in one["text"]]
    assert {(one["kind"], one["role"]) for one in said} == {
        ("fact", ""), ("episode", ""), ("passage", "user"), ("passage", "assistant"),
    }  # fmt: skip
    assert not [text for text, marked in statements(jana) if marked]
    return jana


def doors(who: Someone, **body: Any) -> Iterator[str]:
    """Each thing that memory gives out, by all doors, as it is told."""
    for kind in ("facts", "episodes", "passages"):
        for one in who.recall(ASKED, k=100, kinds=[kind], **body):
            yield f"{'(since changed) ' if one['since_changed'] else ''}{one['text']}"
    yield from who.http.post("/v1/context", json={"query": ASKED, **body}).json()["block"].splitlines()
    model = who.world.model
    model.reset()
    model.embedding(ALIKE)
    model.script([ToolCalls([("s1", "semantic_recall", json.dumps({"query": ASKED, "k": 10}))]), "ok"])
    answer = who.chat(ASKED, memory="on", conversation_id="asking", **body)
    yield from (one["text"] for kind in ("facts", "episodes") for one in answer["memory"][kind])
    last = model.chats[-1].messages
    assert last[-1]["role"] == "tool"
    for message in last:
        if message["role"] in ("system", "tool"):
            yield from str(message["content"]).splitlines()
    who.http.delete("/v1/conversations/asking")


def statements(who: Someone, **body: Any) -> list[tuple[str, bool]]:
    """(what is given out that says where she lived, whether it is marked)."""
    return [(text, "(since changed)" in text) for text in doors(who, **body) if OLD in text]


def the_fact(who: Someone) -> str:
    return str(who.facts(key="address.city")[0]["id"])


def superseded(who: Someone) -> None:
    told(who, read(city(NEW), summary="Jana has moved."), f"I moved to {NEW}.", "Noted.", conversation_id="third")


def edited(who: Someone) -> None:
    assert who.http.patch(f"/v1/facts/{the_fact(who)}", json={"value": NEW}).status_code == 200


def retracted(who: Someone) -> None:
    raw = read(city(OLD, op="retract"), summary="Jana has left her city.")
    told(who, raw, f"I do not live in {OLD} any more.", "Noted.", conversation_id="third")
    assert who.facts(key="address.city") == []
    assert who.http.delete("/v1/conversations/third").status_code in (200, 204)  # it says the city, rightly


def expired(who: Someone) -> None:
    """Its time is over, and nobody came by yet to close it."""
    with profile_scope(who.who.profile_id):
        Fact.objects.filter(id=the_fact(who)).update(expires_at=Now())


def deleted(who: Someone) -> None:
    assert who.http.delete(f"/v1/facts/{the_fact(who)}").status_code == 204


def pruned(who: Someone) -> None:
    for name in ("first", "second"):
        assert who.http.delete(f"/v1/conversations/{name}", params={"facts": "true"}).status_code in (200, 204)


@pytest.mark.parametrize("ends", [superseded, edited, retracted, expired])
def test_what_no_longer_holds_is_no_fact_and_marked_wherever_it_was_said(
    recalling: World, jana: Someone, ends: Callable[[Someone], None]
):
    ends(jana)
    found = statements(jana)
    assert found
    assert not [text for text, marked in found if not marked]
    assert not [text for text in jana.recall(ASKED, kinds=["facts"]) if OLD in text["text"]]


@pytest.mark.parametrize("ends", [deleted, pruned])
def test_what_was_deleted_is_told_by_nothing(recalling: World, jana: Someone, ends: Callable[[Someone], None]):
    ends(jana)
    assert statements(jana) == []


def test_what_was_deleted_is_told_by_nothing_once_it_is_purged(recalling: World, jana: Someone, settings: Any):
    deleted(jana)
    memory = settings.CAESAR.memory.model_copy(update={"undo_hours": 0})
    settings.CAESAR = settings.CAESAR.model_copy(update={"memory": memory})
    recalling.work()
    assert statements(jana) == []


def test_what_waits_for_its_person_is_no_fact_for_anybody(recalling: World):
    jana = recalling.someone("jana")
    assert jana.http.patch("/v1/profile", json={"approval": "review"}).status_code == 200
    told(jana, read(city(OLD)), SAID, "Noted.")
    (waits,) = jana.facts(status="pending")
    assert waits["value"] == OLD
    assert [one["kind"] for one in jana.recall(ASKED, k=100) if OLD in one["text"]] == ["passage"]  # her own words
    assert OLD not in jana.http.post("/v1/context", json={"query": ASKED}).json()["block"]
    assert jana.http.post(f"/v1/facts/{waits['id']}/reject").status_code == 200
    assert jana.recall(ASKED, kinds=["facts"]) == []
    assert OLD not in jana.http.post("/v1/context", json={"query": ASKED}).json()["block"]


def test_what_is_said_in_a_space_is_told_in_no_other(recalling: World):
    jana = recalling.someone("jana")
    assert jana.http.post("/v1/spaces", json={"slug": "work"}).status_code == 201
    told(jana, read(city(OLD, scope="space"), summary=f"Jana lives in {OLD}."), SAID, "Noted.", space="work")
    assert statements(jana) == []
    kinds = {one["kind"] for one in jana.recall(ASKED, k=100, space="work") if OLD in one["text"]}
    assert kinds == {"fact", "episode", "passage"}


def test_what_was_deleted_takes_no_place_of_what_may_be_told(recalling: World):
    """The nearest pieces are those that say it, and only a few are asked for."""
    jana = recalling.someone("jana")
    told(jana, read(city("Kestrel Quay 14")), "I live at Kestrel Quay 14.", "Noted.")
    for n in range(4):
        told(jana, read(), f"My home is at Kestrel Quay 14, I said it {n} times.", "Yes.")
    told(jana, read(), "The garden is behind the house.", "It is.")
    assert jana.http.delete(f"/v1/facts/{the_fact(jana)}").status_code == 204
    found = jana.recall("Is my home at Kestrel Quay 14?", k=2, kinds=["passages"])
    assert len(found) == 2
    assert "Kestrel" not in json.dumps(found)
