"""A person who reviews everything: what they see beside what holds, and what each of their answers does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cases.conftest import Someone, World


def entries(*pairs: tuple[str | None, str], **more: Any) -> str:
    return json.dumps({"facts": [{"key": key, "value": value, "confidence": 0.9, **more} for key, value in pairs]})


def told(who: Someone, text: str, *pairs: tuple[str | None, str], **more: Any) -> None:
    who.world.model.reset()
    who.told(entries(*pairs, **more), text)


def waiting(who: Someone, value: str) -> str:
    (fact,) = [fact for fact in who.facts(status="pending") if fact["value"] == value]
    return str(fact["id"])


def post(who: Someone, fact_id: str, verb: str, body: Any = None) -> dict[str, Any]:
    answer = who.http.post(f"/v1/facts/{fact_id}/{verb}", json=body or {})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


@pytest.fixture
def ilse(world: World) -> Someone:
    """She has approved two dogs, a city and a sentence."""
    ilse = world.someone("ilse", approval="review")
    told(
        ilse,
        "My dogs are Pixel and Byte. I live in Namur. I swim every morning.",
        ("dog", "Pixel"),
        ("dog", "Byte"),
        ("city", "Namur"),
        (None, "Swims every morning"),
    )
    assert ilse.held() == {}
    ids = [fact["id"] for fact in ilse.facts(status="pending")]
    counts = ilse.http.post("/v1/facts/bulk", json={"action": "approve", "ids": ids}).json()["counts"]
    assert counts == {"adds": 4}
    return ilse


BOTH = {"dog.name": ["Byte", "Pixel"], "address.city": "Namur", None: "Swims every morning"}


def test_a_change_is_shown_beside_what_it_would_replace(ilse: Someone):
    told(ilse, "We moved to Liege, and Rex is our third dog.", ("city", "Liege"), ("dog", "Rex"))
    pairs = ilse.http.get("/v1/facts/conflicts").json()["results"]
    assert [(p["effect"], p["proposed"]["value"], p["current"]["value"]) for p in pairs] == [
        ("replaces", "Liege", "Namur")
    ]
    assert ilse.held() == BOTH
    post(ilse, waiting(ilse, "Liege"), "approve")
    post(ilse, waiting(ilse, "Rex"), "approve")
    assert ilse.held() == {**BOTH, "dog.name": ["Byte", "Pixel", "Rex"], "address.city": "Liege"}


def test_a_value_of_several_that_is_corrected_on_approval_leaves_the_others_alone(ilse: Someone):
    told(ilse, "Rexx is our third dog.", ("dog", "Rexx"))
    approved = post(ilse, waiting(ilse, "Rexx"), "approve", {"value": "Rex"})
    assert (approved["value"], approved["pinned"], approved["cardinality"]) == ("Rex", True, "many")
    assert ilse.held()["dog.name"] == ["Byte", "Pixel", "Rex"]
    # Corrected to what is known already, it says nothing new.
    told(ilse, "Pixxel is our first dog.", ("dog", "Pixxel"))
    assert post(ilse, waiting(ilse, "Pixxel"), "approve", {"value": "pixel."})["value"] == "Pixel"
    assert ilse.held()["dog.name"] == ["Byte", "Pixel", "Rex"]
    assert ilse.facts(status="pending") == []


def test_an_edit_a_revert_and_an_undo_of_one_of_several_leave_the_others_alone(ilse: Someone):
    (byte,) = [fact for fact in ilse.facts() if fact["value"] == "Byte"]
    edited = ilse.http.patch(f"/v1/facts/{byte['id']}", json={"value": "Bit"}).json()
    assert ilse.held()["dog.name"] == ["Bit", "Pixel"]
    (was,) = [f for f in ilse.facts(key="dog.name", include_superseded=True) if f["value"] == "Byte"]
    assert was["superseded_by"] == edited["id"]
    assert post(ilse, was["id"], "revert")["value"] == "Byte"
    assert ilse.held()["dog.name"] == ["Byte", "Pixel"]  # the value that it had become gives way, and no other
    (pixel,) = [fact for fact in ilse.facts() if fact["value"] == "Pixel"]
    ilse.http.delete(f"/v1/facts/{pixel['id']}")
    assert ilse.held()["dog.name"] == "Byte"
    post(ilse, pixel["id"], "undelete")
    assert ilse.held() == BOTH


def test_a_sentence_without_a_key_is_corrected_closed_and_brought_back_by_itself(ilse: Someone):
    told(ilse, "I sing in a choir.", (None, "Sings in a choir"))
    post(ilse, waiting(ilse, "Sings in a choir"), "approve")
    (swims,) = [fact for fact in ilse.facts() if fact["value"] == "Swims every morning"]
    changed = ilse.http.patch(f"/v1/facts/{swims['id']}", json={"value": "Swims every evening"}).json()
    assert ilse.held()[None] == ["Sings in a choir", "Swims every evening"]
    was = next(f for f in ilse.facts(include_superseded=True) if f["value"] == "Swims every morning")
    post(ilse, was["id"], "revert")
    assert ilse.held()[None] == ["Sings in a choir", "Swims every morning"]
    assert changed["id"] == swims["id"]
    told(ilse, "I don't swim every morning any more.", (None, "Swims every morning"), op="retract")
    (asked,) = ilse.facts(status="pending")
    assert asked["op"] == "retract"
    post(ilse, asked["id"], "approve")
    assert ilse.held()[None] == "Sings in a choir"


def test_many_answers_are_given_in_the_order_of_saying(ilse: Someone):
    for city in ("Liege", "Ghent", "Bruges"):
        told(ilse, f"We moved to {city}.", ("city", city))
    ids = [waiting(ilse, city) for city in ("Bruges", "Liege", "Ghent")]
    tried = ilse.http.post("/v1/facts/bulk", json={"action": "approve", "ids": ids, "dry_run": True}).json()
    assert ilse.held() == BOTH
    done = ilse.http.post("/v1/facts/bulk", json={"action": "approve", "ids": ids}).json()
    assert {**tried, "dry_run": False} == done
    assert done["counts"] == {"replaces": 3}
    assert ilse.held()["address.city"] == "Bruges"
    (city,) = ilse.facts(key="address.city")
    past = ilse.http.get(f"/v1/facts/{city['id']}/history").json()["results"]
    assert [fact["value"] for fact in past] == ["Bruges", "Ghent", "Liege", "Namur"]
    assert [bool(fact["valid_to"]) for fact in past] == [False, True, True, True]


def test_an_older_proposal_that_is_approved_late_holds_from_the_answer_on(ilse: Someone):
    told(ilse, "We moved to Liege.", ("city", "Liege"))
    told(ilse, "We moved to Ghent.", ("city", "Ghent"))
    post(ilse, waiting(ilse, "Ghent"), "approve")
    liege = post(ilse, waiting(ilse, "Liege"), "approve")
    assert ilse.held()["address.city"] == "Liege"
    assert liege["valid_from"] > liege["first_seen_at"]
    # An older statement that is read again does not take its place.
    world = ilse.world
    world.model.reset()
    world.model.on(lambda request: request.is_extraction, entries(("city", "Ghent")))
    for item in ilse.work_items():
        ilse.http.post(f"/v1/work/{item['id']}/retry")
    world.work()
    assert ilse.held()["address.city"] == "Liege"


def test_values_of_one_key_are_all_of_one_kind_however_they_came(world: World):
    """One was proposed as the only value, the others as some of many; approving it makes it one of many."""
    tom = world.someone("tom")
    told(tom, "I would like a hammer.", ("tool", "hammer"), stance="hypothetical", cardinality="one")
    told(tom, "I have a saw and a drill.", ("tool", "saw"), ("tool", "drill"), op="add", cardinality="many")
    post(tom, waiting(tom, "hammer"), "approve")
    assert tom.held()["tool"] == ["drill", "hammer", "saw"]
    assert {fact["cardinality"] for fact in tom.facts()} == {"many"}
    told(tom, "I have an axe.", ("tool", "axe"))
    assert tom.held()["tool"] == ["axe", "drill", "hammer", "saw"]
    assert tom.http.post("/v1/facts", json={"key": "tool", "value": "file"}).status_code == 201
    assert len(tom.held()["tool"]) == 5
