"""A fact is another key to the piece of chat that taught it, as long as it holds."""

from __future__ import annotations

from typing import Any

import pytest

from memory import chats, facts, finding
from tests.memory.saying import tell
from tests.memory.search.conftest import general
from tests.people import Person, person
from workers import embedding as worker

pytestmark = pytest.mark.usefixtures("database", "embedder", "semantic")
SAID = "We fetched Beans from the shelter at last, and she has slept ever since."
OTHERS = (
    "The dog next door is called Rex, and his owner plays the drums.",
    "A puppy needs a vet, a bed and a lot of patience.",
    "My sister asked whether we want a pet at all.",
)
ASKED = "What is my dog called?"


def said(who: Person, *messages: str) -> int:
    turn = chats.begin(profile_id=who.profile_id, messages=[{"role": "user", "content": text} for text in messages])
    return chats.finish(turn, chats.Answer(text="I see."))


def found(who: Person) -> list[finding.Result]:
    worker.drain()
    return finding.find_in(general(who)[1], query=ASKED, k=10, at=None, kinds=["passages"])


def piece(who: Person) -> finding.Result:
    (one,) = [one for one in found(who) if one.text == SAID]
    return one


@pytest.fixture
def told(anna: Person) -> tuple[Person, int]:
    for text in OTHERS:
        said(anna, text)
    return anna, said(anna, "Big news today.", SAID, "Ask me how it went.")


def test_what_a_piece_taught_leads_to_it(told: tuple[Person, int]):
    anna, audit_id = told
    before = piece(anna)
    assert "fact" not in before.scores
    tell(anna, "dog.name", "Beans", audit_id=audit_id, quote="We fetched Beans from the shelter")
    after = piece(anna)
    assert after.scores["fact"] > 0.1
    assert after.score == pytest.approx(before.score + after.scores["fact"], abs=0.001)
    assert "taught a fact that is close to the question" in after.why
    # Of its chat none but the piece that says it.
    assert [one.text for one in found(anna) if "fact" in one.scores] == [SAID]


@pytest.mark.parametrize("quote", ["", "fetched  BEANS from\nthe shelter"])
def test_it_is_known_by_its_value_where_it_is_not_quoted_to_the_letter(told: tuple[Person, int], quote: str):
    anna, audit_id = told
    tell(anna, "dog.name", "Beans", audit_id=audit_id, quote=quote)
    assert [one.text for one in found(anna) if "fact" in one.scores] == [SAID]


def end(who: Person, how: str, fact_id: Any) -> None:
    if how == "deleted":
        facts.delete(profile_id=who.profile_id, fact_id=fact_id)
    else:
        tell(who, "dog.name", "Otto")


@pytest.mark.parametrize("how", ["deleted", "superseded"])
def test_what_holds_no_longer_leads_nowhere(told: tuple[Person, int], how: str):
    anna, audit_id = told
    fact = tell(anna, "dog.name", "Beans", audit_id=audit_id)
    end(anna, how, fact.id)
    assert [one for one in found(anna) if "fact" in one.scores] == []


def test_somebody_elses_fact_leads_nowhere(told: tuple[Person, int]):
    _, audit_id = told
    bert = person("bert")
    tell(bert, "dog.name", "Beans", audit_id=audit_id)
    assert found(bert) == []
