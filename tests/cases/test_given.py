"""Only what is approved and holds now is ever given to a model or found; all else is seen where it is asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cases.conftest import Someone, World

MARK = "Zanzibar"


def entries(*pairs: tuple[str | None, str], **more: Any) -> str:
    return json.dumps({"facts": [{"key": key, "value": value, "confidence": 0.9, **more} for key, value in pairs]})


def reads(who: Someone, space: str | None = None) -> str:
    """All that chats and searches give out, as one text."""
    body = {"space": space} if space else {}
    found = who.http.post("/v1/recall", json={"query": f"Where is {MARK}?", "kinds": ["facts"], "k": 50, **body})
    assert found.status_code == 200, found.text
    block = who.http.post("/v1/context", json={"query": f"Where is {MARK}?", **body}).json()
    return json.dumps([found.json(), block]) + who.given(f"Where is {MARK}?")


def author(who: Someone, value: str, key: str | None = "boat", **more: Any) -> dict[str, Any]:
    answer = who.http.post("/v1/facts", json={"key": key, "value": value, **more})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def pending(who: Someone) -> None:
    who.told(entries(("boat", MARK), stance="hypothetical"), f"I would love a boat called {MARK}.")
    assert len(who.facts(status="pending")) == 1


def rejected(who: Someone) -> None:
    pending(who)
    (fact,) = who.facts(status="pending")
    assert who.http.post(f"/v1/facts/{fact['id']}/reject").status_code == 200


def superseded(who: Someone) -> None:
    author(who, MARK)
    author(who, "Tern")


def edited_away(who: Someone) -> None:
    assert who.http.patch(f"/v1/facts/{author(who, MARK)['id']}", json={"value": "Tern"}).status_code == 200


def retracted(who: Someone) -> None:
    who.told(entries(("boat", MARK)), f"My boat is called {MARK}.")
    who.world.model.reset()
    who.told(entries(("boat", MARK), op="retract"), f"I no longer have a boat called {MARK}.")
    assert who.facts() == []


def expired(who: Someone) -> None:
    author(who, MARK, expires_at="2001-01-01T00:00:00Z")


def deleted(who: Someone) -> None:
    assert who.http.delete(f"/v1/facts/{author(who, MARK)['id']}").status_code == 204


def elsewhere(who: Someone) -> None:
    who.http.post("/v1/spaces", json={"slug": "work"})
    author(who, MARK, space="work")


def of_somebody_else(who: Someone) -> None:
    author(who.world.someone("other"), MARK)


@pytest.mark.parametrize(
    "made",
    [pending, rejected, superseded, edited_away, retracted, expired, deleted, elsewhere, of_somebody_else],
)
def test_nothing_else_than_what_holds_now_is_given(world: World, made: Any):
    anna = world.someone("anna")
    made(anna)
    world.work()
    assert MARK not in reads(anna).replace(f"Where is {MARK}?", "")


def test_what_holds_is_given_where_it_holds(world: World):
    anna = world.someone("anna")
    elsewhere(anna)
    world.work()
    assert MARK in anna.http.post("/v1/context", json={"space": "work"}).text
    author(anna, MARK, key="ship")
    assert MARK in reads(anna).replace(f"Where is {MARK}?", "")


def test_what_the_person_edited_counts_more_and_its_successors_inherit_that(world: World):
    anna = world.someone("anna", approval="review")
    boat = author(anna, "Tern")
    for value in ("Gull", "Teal"):
        boat = anna.http.patch(f"/v1/facts/{boat['id']}", json={"value": value}).json()
    other = author(anna, "red", key="boat.colour")
    assert (boat["edit_count"], other["edit_count"]) == (2, 0)
    assert boat["score"] == pytest.approx(2 * other["score"], rel=0.01)  # 1 + 0.5 for each edit
    anna.told(entries(("boat", "Heron")), "My boat is called Heron now.")
    (asked,) = anna.facts(status="pending")
    heron = anna.http.post(f"/v1/facts/{asked['id']}/approve").json()
    assert (heron["value"], heron["edit_count"]) == ("Heron", 2)
    assert anna.held()["boat"] == "Heron"
