"""The notes that the model of a real chat is given: what is asked for, among a thousand facts, inside one budget."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory.config import conf
from memory.db import profile_scope
from memory.domain.terms import term_ids, tokens
from memory.domain.text import normalise
from memory.models import Fact
from tests.cases.conftest import Someone, World
from tests.processes import eventually

SUBJECTS = ["shelf", "folder", "box", "drawer", "jar", "rack", "tray", "bin", "crate", "basket"]
THINGS = ["paper", "rope", "paint", "cloth", "wire", "glass", "cork", "felt", "chalk", "twine"]
OLD = datetime.now(UTC) - timedelta(days=700)


def plain(number: int) -> str:
    return f"keeps {THINGS[number % 10]} number {number} in {SUBJECTS[number // 10 % 10]} {number // 100}"


def many(who: Someone, count: int) -> None:
    """Facts that were confirmed of late, often, and have a high score."""
    now = datetime.now(UTC)
    with profile_scope(who.who.profile_id):
        Fact.objects.bulk_create(
            Fact(
                profile_id=who.who.profile_id,
                value=plain(n),
                value_norm=normalise(plain(n)),
                terms=term_ids(who.who.profile_id, tokens(plain(n))),
                state="current",
                confidence=1.0,
                evidence_count=9,
                edit_count=3,
                said_at=now,
                first_seen_at=now,
                last_confirmed_at=now,
            )
            for n in range(count)
        )


def aged(who: Someone, fact_id: str) -> None:
    with profile_scope(who.who.profile_id):
        changed = Fact.objects.filter(id=fact_id).update(
            said_at=OLD, first_seen_at=OLD, last_confirmed_at=OLD, confidence=0.35, importance=0.0
        )
        assert changed == 1


@pytest.fixture
def marta(world: World) -> Someone:
    """A thousand facts; those that anybody asks for are the oldest and the least sure of all."""
    marta = world.someone("marta")
    many(marta, 998)
    for key, value in (("allergy", "penicillin"), ("locker", "ATL-4471 behind the boiler")):
        made = marta.http.post("/v1/facts", json={"key": key, "value": value}).json()
        aged(marta, made["id"])
    marta.world.work()
    return marta


def notes(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("  - ")]


def test_what_is_asked_for_is_there_among_a_thousand(marta: Someone):
    given = marta.given("Good morning!")
    assert "penicillin" not in given
    assert "ATL-4471" not in given
    assert len(notes(given)) > 10  # the core has taken all the room
    assert "ATL-4471" in marta.given("What is it with ATL-4471?")

    def by_meaning() -> bool:
        # Asked once, the question's vector is at hand, however busy the machine is.
        return "penicillin" in marta.given("Which medicines am I not allowed to take?")

    eventually(by_meaning, seconds=60)
    given = marta.given("Which medicines am I not allowed to take?")
    budget = conf().memory.facts_inject
    block = given[given.index("<caesar-memory>") : given.index("</caesar-memory>") + len("</caesar-memory>")]
    assert len(block) <= budget.max_chars
    assert len(notes(block)) <= budget.max_facts
    assert sum(plain(n) in block for n in range(998)) > 10  # the core is there too, beside it
    assert "penicillin" in notes(block)[0]


@pytest.mark.parametrize(
    ("rules", "items", "characters"),
    [({"max_facts": 4}, 4, 2048), ({"max_chars": 600}, 30, 600), ({"max_facts": 1, "max_chars": 450}, 1, 450)],
)
def test_the_caps_hold_and_what_is_asked_for_goes_first(
    marta: Someone, settings: Any, rules: dict[str, int], items: int, characters: int
):
    """The block is made here as the web process makes it, for that one has its settings from its start."""
    from memory import context

    memory = settings.CAESAR.memory
    inject = memory.facts_inject.model_copy(update=rules)
    settings.CAESAR = settings.CAESAR.model_copy(update={"memory": memory.model_copy(update={"facts_inject": inject})})
    fields = {"query": "What is it with ATL-4471?"}
    block = context.for_question(profile_id=marta.who.profile_id, fields=fields).block
    assert len(block) <= characters
    assert 1 <= len(notes(block)) <= items
    assert "ATL-4471" in notes(block)[0]


def test_many_chats_with_one_question_get_one_answer(marta: Someone):
    """Whoever asks the same gets the same, though each time what was given counts as used."""
    question = "What is it with ATL-4471?"
    first = marta.given(question)
    for _ in range(5):
        assert marta.given(question) == first
    with profile_scope(marta.who.profile_id):
        assert Fact.objects.get(value__startswith="ATL-4471").last_used_at is not None
