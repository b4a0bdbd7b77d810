"""Work and home in one memory: what is said in a space stays there, and never touches what holds everywhere."""

from __future__ import annotations

from typing import Any

import pytest

from memory.db import profile_scope
from memory.models import Fact
from tests.cases.conftest import Someone, World


def told(key: str, value: str, scope: str = "space", **more: Any) -> dict[str, Any]:
    return {"facts": [{"key": key, "value": value, "confidence": 0.95, "scope": scope, **more}], "summary": "s"}


def given(who: Someone, question: str, space: str | None = None) -> str:
    """What the model receives with a question in a new chat."""
    who.world.model.reset()
    who.chat(question, **({"space": space} if space else {}))
    return "\n".join(str(m["content"]) for m in who.world.model.chats[-1].messages)


@pytest.fixture
def mia(world: World) -> Someone:
    mia = world.someone("mia")
    assert mia.http.post("/v1/spaces", json={"slug": "work"}).status_code == 201
    return mia


def test_a_chat_sees_what_was_said_in_its_own_space_alone(mia: Someone):
    mia.told(told("project.name", "Atlas"), "The project here is called Atlas.", space="work")
    mia.told(told("dog.name", "Halla", "profile"), "My dog is called Halla.", space="work")
    assert "Atlas" in given(mia, "What is my project called?", "work")
    assert "Halla" in given(mia, "What is my dog called?", "work")
    seen = given(mia, "What is my project called, and my dog?")
    assert "Atlas" not in seen
    assert "Halla" in seen
    facts = {f["value"]: (f["scope"], f["space"]) for f in mia.facts()}
    assert facts == {"Atlas": ("space", "work"), "Halla": ("profile", None)}


def test_what_is_said_in_the_default_space_for_it_alone_is_not_seen_elsewhere(mia: Someone):
    mia.told(told("project.name", "Atlas"), "The project here is called Atlas.")
    assert "Atlas" in given(mia, "What is my project called?")
    assert "Atlas" not in given(mia, "What is my project called?", "work")


def test_a_value_of_a_space_stands_in_the_place_of_the_general_one_and_never_retires_it(mia: Someone):
    mia.told(told("preference.language", "Finnish", "profile"), "I prefer to write Finnish.")
    mia.told(told("preference.language", "English"), "In here I prefer to write English.", space="work")
    inside = given(mia, "Which language do I prefer?", "work")
    assert "English" in inside
    assert "Finnish" not in inside
    outside = given(mia, "Which language do I prefer?")
    assert "Finnish" in outside
    assert "English" not in outside
    with profile_scope(mia.who.profile_id):
        assert not Fact.objects.exclude(state="current").exists()
    # Closed in the space, the general one is there again.
    (there,) = mia.facts(space="work")
    mia.http.delete(f"/v1/facts/{there['id']}")
    assert "Finnish" in given(mia, "Which language do I prefer?", "work")


def test_a_new_general_value_leaves_the_one_of_a_space_alone(mia: Someone):
    mia.told(told("preference.language", "English"), "In here I prefer to write English.", space="work")
    mia.told(told("preference.language", "Finnish", "profile"), "I prefer to write Finnish.")
    mia.told(told("preference.language", "Estonian", "profile"), "By now I prefer to write Estonian.")
    assert "English" in given(mia, "Which language do I prefer?", "work")
    assert "Estonian" in given(mia, "Which language do I prefer?")


def test_values_of_a_key_that_has_many_stand_side_by_side(mia: Someone):
    mia.told(told("pet", "a cat", "profile", cardinality="many"), "I have a cat.")
    mia.told(told("pet", "an office dog", cardinality="many"), "Here we have an office dog.", space="work")
    inside = given(mia, "Which pets do I have?", "work")
    assert "cat" in inside
    assert "office dog" in inside
    assert "office dog" not in given(mia, "Which pets do I have?")


def test_a_turn_in_another_space_of_the_same_conversation_is_filed_where_it_was_said(mia: Someone):
    mia.chat("Good morning to everybody.", conversation_id="c")
    mia.told(told("project.name", "Atlas"), "The project here is called Atlas.", conversation_id="c", space="work")
    (fact,) = mia.facts()
    assert (fact["scope"], fact["space"]) == ("space", "work")


def test_nothing_is_learned_in_or_given_from_a_space_that_is_switched_off(mia: Someone):
    mia.told(told("project.name", "Atlas"), "The project here is called Atlas.", space="work")
    mia.http.patch("/v1/spaces/work", json={"memory_enabled": False, "summaries_enabled": False})
    mia.world.model.reset()
    mia.told(told("desk.colour", "blue"), "My desk here is blue.", space="work")
    assert mia.world.model.extractions == []
    assert "Atlas" not in given(mia, "What is my project called?", "work")


def test_a_removed_space_is_found_by_no_chat_and_read_by_no_worker(mia: Someone):
    mia.told(told("project.name", "Atlas"), "The project here is called Atlas.", space="work")
    mia.chat("My desk here is blue.", space="work", conversation_id="c")
    mia.http.delete("/v1/spaces/work?facts=delete")
    mia.world.model.reset()
    mia.world.work()
    assert mia.world.model.extractions == []
    asked = {"messages": [{"role": "user", "content": "Hello?"}], "space": "work"}
    assert mia.http.post("/v1/chat", json=asked).status_code == 404
    assert "Atlas" not in given(mia, "What is my project called?")
    mia.told(told("desk.height", "120 cm"), "My desk is 120 cm high.", conversation_id="c")  # goes on elsewhere
    (fact,) = mia.facts()
    assert fact["space"] == "general"
