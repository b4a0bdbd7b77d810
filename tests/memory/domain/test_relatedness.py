"""What a reader is shown of very many known facts."""

from __future__ import annotations

import uuid

import pytest

from memory.domain.relatedness import MOST_OF_A_KEY, KeyedFact, most_related

BEANS = uuid.uuid4()


@pytest.fixture
def many() -> list[KeyedFact]:
    """Five hundred keys in the order of their scores, those that matter far down."""
    known = [KeyedFact(f"note.topic_{n}", f"the old green thing number {n} and a house") for n in range(490)]
    return [
        *known,
        KeyedFact("dog.name", "Beans", BEANS),
        KeyedFact("dog.vet", "Dr. Lee", BEANS),
        KeyedFact("spouse.name", "Mia"),
        KeyedFact("project.atlas.launch_date", "2027-05-01"),
        KeyedFact("allergy", "hazelnuts"),
        KeyedFact("work.manager", "Sarah Chen"),
        KeyedFact("favourite.food", "ラーメン"),
        *(KeyedFact("hobby", f"collecting stamps of land {n}") for n in range(40)),
    ]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Beans has a cold.", {"dog.name", "dog.vet"}),
        ("What should my dogs eat?", {"dog.name", "dog.vet"}),
        ("My wife's birthday is on Sunday", {"spouse.name"}),
        ("The launch of ATLAS moved to June, the old house is green", {"project.atlas.launch_date"}),
        ("I'm no longer allergic, hazelnut is fine: allergies gone", {"allergy"}),
        ("my boss left", {"work.manager"}),
        ("ラーメンはもう食べない", {"favourite.food"}),
    ],
)
def test_it_shows_first_what_the_text_is_about(many, text, keys):
    assert keys <= {fact.key for fact in most_related(many, text, 50)[:8]}


def test_it_gives_common_words_little_weight(many):
    first = most_related(many, "The old green house of Beans and a thing", 50)[0]
    assert first.key == "dog.name"


def test_it_fills_up_in_the_order_given(many):
    shown = most_related(many, "", 50)
    assert shown == many[:50]


def test_one_key_with_many_values_leaves_room_for_others(many):
    shown = most_related(many, "I sold my stamps", 50)
    assert sum(fact.key == "hobby" for fact in shown) == MOST_OF_A_KEY
    assert len(shown) == 50


def test_it_shows_all_where_there_are_few():
    facts = [KeyedFact("dog.name", "Beans"), KeyedFact("address.city", "Riga")]
    assert set(most_related(facts, "I moved", 50)) == set(facts)
    assert most_related([], "I moved", 50) == []
