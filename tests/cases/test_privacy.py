"""What a person wants gone is gone, by every door, and comes back only when they say it again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory.db import profile_scope
from memory.models import AuditLog, Fact
from tests.cases.conftest import Someone, World
from tests.memory.test_deleting import everything, let_time_pass
from tests.scripted_model import ScriptedModel

NUMBER = "+233 20 555 0147"
ASKED = f"Could you please forget my phone number? It is {NUMBER} and I don't want it kept."


def entries(*pairs: tuple[str, str], **more: Any) -> str:
    facts = [{"key": key, "value": value, "confidence": 0.97, **more} for key, value in pairs]
    return json.dumps({"facts": facts, "summary": "s"})


def known_by(who: Someone, how: str) -> None:
    """A phone number and a car, written by hand or told in a chat."""
    if how == "written":
        for key, value in (("phone", NUMBER), ("car", "Dacia Duster")):
            assert who.http.post("/v1/facts", json={"key": key, "value": value}).status_code == 201
    else:
        who.told(
            entries(("phone", NUMBER), ("car", "Dacia Duster")), f"My number is {NUMBER} and I drive a Dacia Duster."
        )
        who.world.model.reset()
    assert who.held() == {"phone": NUMBER, "car": "Dacia Duster"}


READINGS = {
    "it repeats the number": entries(("phone", NUMBER)),
    "it retracts the number": entries(("phone", NUMBER), op="retract"),
    "it retracts by name": entries(("phone", "phone number"), op="retract"),
    "it uses another key": entries(("contact.private", NUMBER)),
    "it shortens the number": entries(("phone", "20 555 0147"), op="retract"),
}


@pytest.mark.parametrize("how", ["written", "told"])
@pytest.mark.parametrize("reading", READINGS)
def test_what_a_person_asks_to_forget_is_forgotten(world: World, how: str, reading: str):
    kofi = world.someone("kofi")
    known_by(kofi, how)
    world.model.extraction(READINGS[reading])
    kofi.chat(ASKED)
    world.work()
    assert kofi.held() == {"car": "Dacia Duster"}
    for filters in ({"status": "pending"}, {"status": "rejected"}, {"include_superseded": "true"}, {"q": "0147"}):
        assert "555 0147" not in json.dumps(kofi.facts(**filters))
    assert kofi.facts(q="phone") == []
    (removal,) = kofi.audit("memory.fact.user_deleted")
    assert removal["payload"]["asked_for"] is True
    assert "555 0147" not in json.dumps(removal)
    assert "555 0147" not in kofi.given("What is my phone number?")
    # Neither a second reading nor the chat that taught it brings it back.
    world.model.extraction(entries(("phone", NUMBER)))
    for item in kofi.work_items():
        assert kofi.http.post(f"/v1/work/{item['id']}/retry").status_code == 200
    world.work()
    assert kofi.held() == {"car": "Dacia Duster"}
    assert kofi.facts(status="pending") == []
    # It can be taken back for a while, like any deletion.
    undone = kofi.http.post(f"/v1/facts/{removal['payload']['fact_id']}/undelete")
    assert undone.status_code == 200
    assert kofi.held()["phone"] == NUMBER


def test_what_was_never_known_and_is_to_be_forgotten_is_not_learned(world: World):
    kofi = world.someone("kofi")
    kofi.told(READINGS["it repeats the number"], ASKED)
    assert kofi.held() == kofi.held(status="pending") == {}
    kofi.told(READINGS["it repeats the number"], f"All right, my number is {NUMBER}.")
    assert (kofi.held(), kofi.held(status="pending")) == ({}, {"phone": NUMBER})


def test_work_on_a_text_is_no_wish_to_forget(world: World):
    kofi = world.someone("kofi")
    known_by(kofi, "written")
    kofi.told(entries(("car", "Dacia Duster")), "Delete my Dacia Duster paragraph from the letter, please.")
    assert kofi.held() == {"phone": NUMBER, "car": "Dacia Duster"}


@pytest.fixture
def jana(world: World) -> Someone:
    """Her model finds employer and city in every chat, whatever was said."""
    jana = world.someone("jana")
    both = entries(("employer", "Kestrel Optics"), ("city", "Bremen"))
    world.model.on(lambda request: request.is_extraction, both)
    jana.chat("I work at Kestrel Optics in Bremen.", conversation_id="one")
    world.work()
    assert jana.held() == {"work.employer": "Kestrel Optics", "address.city": "Bremen"}
    return jana


def stays_away(jana: Someone) -> None:
    assert jana.held() == {"address.city": "Bremen"}
    assert jana.facts(status="pending") == []
    (city,) = jana.facts(key="address.city", include_superseded=True)
    assert city["valid_to"] is None


def always(model: ScriptedModel) -> None:
    both = entries(("employer", "Kestrel Optics"), ("city", "Bremen"))
    model.on(lambda request: request.is_extraction, both)


def test_a_deleted_fact_returns_by_no_door(world: World, jana: Someone, database: Any):
    (employer,) = jana.facts(key="work.employer")
    assert jana.http.delete(f"/v1/facts/{employer['id']}").status_code == 204
    stays_away(jana)
    jana.chat("I work at Kestrel Optics in Bremen.", "ok", "Anyway, how are you?", conversation_id="one")
    world.work()
    stays_away(jana)
    for item in jana.work_items():
        assert jana.http.post(f"/v1/work/{item['id']}/retry").status_code == 200
    world.work()
    world.work()
    stays_away(jana)
    assert "Kestrel" not in jana.given("Where do I work?")
    let_time_pass(jana.who)
    world.work()
    with profile_scope(jana.who.profile_id):
        assert Fact.objects.get(id=employer["id"]).value == ""
        told = AuditLog.objects.exclude(event_type="chat.completed")
        assert "Kestrel" not in json.dumps([row.payload for row in told])
    always(world.model)
    for item in jana.work_items():
        assert jana.http.post(f"/v1/work/{item['id']}/retry").status_code == 200
    world.work()
    stays_away(jana)
    jana.chat("I am back at Kestrel Optics!")
    world.work()
    assert jana.held() == {"address.city": "Bremen"}
    (again,) = jana.facts(status="pending")
    assert (again["value"], again["reasons"]) == ("Kestrel Optics", ["deleted_before"])
    assert "back at" in again["quote"]
    assert jana.http.post(f"/v1/facts/{again['id']}/approve").status_code == 200
    assert jana.held() == {"work.employer": "Kestrel Optics", "address.city": "Bremen"}


def test_a_pruned_conversation_leaves_its_text_nowhere(world: World, jana: Someone, database: Any):
    jana.http.delete("/v1/conversations/one", params={"facts": "true"})
    assert jana.held() == {}
    let_time_pass(jana.who)
    world.work()
    assert "kestrel" not in everything(database).casefold()
    assert jana.work_items() == []


def test_a_wish_to_forget_is_heard_without_a_model_too(world: World, settings: Any):
    from memory.config import LLM

    settings.CAESAR = settings.CAESAR.model_copy(update={"llm": LLM.model_validate({"provider": "builtin"})})
    kofi = world.someone("kofi")
    known_by(kofi, "written")
    kofi.chat(ASKED)
    world.work()
    assert kofi.held() == {"car": "Dacia Duster"}
    assert kofi.facts(status="pending") == []
    assert kofi.http.post("/v1/facts", json={"key": "dog.name", "value": "Pixel"}).status_code == 201
    kofi.chat("We no longer have a dog.")
    world.work()
    (asked,) = kofi.facts(status="pending")  # it is their own word that it goes against
    assert (asked["op"], asked["reasons"]) == ("retract", ["against_pinned"])
