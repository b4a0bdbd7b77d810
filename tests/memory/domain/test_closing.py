"""What closes, what is forgotten, and that neither depends on the order of processing."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.domain.closing import is_generic
from memory.domain.merge import Did
from memory.domain.types import Cardinality, Op
from tests.memory.domain.test_merge import World, claim, day, did

MANY = {"cardinality": Cardinality.MANY}


def closing(key, value, n, **options):
    return claim(key, value, n, op=Op.RETRACT, **options)


def forgetting(key, value, n, **options):
    return closing(key, value, n, forget=True, **options)


@pytest.mark.parametrize(
    ("key", "value", "generic"),
    [
        ("dog.name", "dog", True),
        ("dog.name", "our dogs", True),
        ("phone", "my phone number", True),
        ("work.employer", "job", True),
        ("address.city", "home", True),
        ("dog.name", "Pixel", False),
        ("work.role", "nurse", False),
        ("pet", "cat", False),
        ("car", "Dacia Duster", False),
    ],
)
def test_it_knows_a_kind_of_thing_from_a_thing(key, value, generic):
    assert is_generic(key, value) is generic


def test_it_closes_the_only_one_of_a_kind():
    world = World()
    world.hear(claim("dog.name", "Pixel", 0, **MANY))
    assert did(world.hear(closing("dog.name", "dog", 1, **MANY))) == [Did.RETRACTED]
    assert world.in_state("current") == []
    assert did(world.hear(claim("dog.name", "Byte", 2, **MANY))) == [Did.ADDED]


def test_it_asks_which_one_where_several_fit():
    world = World()
    world.hear(claim("dog.name", "Pixel", 0, **MANY), claim("dog.name", "Byte", 0, **MANY))
    done = world.hear(closing("dog.name", "dog", 1, **MANY))
    assert did(done) == [Did.PROPOSED]
    assert world.in_state("current") == ["Byte", "Pixel"]
    (waiting,) = [f for f in world.facts.values() if f.state == "pending"]
    assert (waiting.op, done.new[waiting.id][0].reasons) == (Op.RETRACT, ("several_fit",))
    assert did(world.hear(closing("dog.name", "dog", 2, **MANY))) == [Did.REPEATED]


def test_it_does_not_take_one_for_another():
    world = World()
    world.hear(claim("dog.name", "Byte", 0, **MANY), claim("address.city", "Linz", 0))
    world.hear(closing("dog.name", "Pixel", 1, **MANY), closing("address.city", "Graz", 1))
    assert world.in_state("current") == ["Byte", "Linz"]


def test_it_knows_a_value_by_a_part_of_it():
    world = World()
    world.hear(claim("work.employer", "Lumen Works", 0), claim("dog.name", "Pixel", 0, **MANY))
    world.hear(closing("work.employer", "Lumen", 1), closing("dog.name", "Pixel the dog", 1, **MANY))
    assert world.in_state("current") == []


def test_it_only_proposes_to_close_the_persons_own_word():
    world = World()
    world.hear(claim("dog.name", "Pixel", 0, **MANY))
    world.pin("Pixel")
    assert did(world.hear(closing("dog.name", "Pixel", 1, **MANY))) == [Did.PROPOSED]
    assert world.in_state("current") == ["Pixel"]


def test_it_closes_nothing_that_was_said_since():
    world = World()
    world.hear(claim("dog.name", "Pixel", 5, **MANY))
    world.hear(closing("dog.name", "Pixel", 1, **MANY))
    assert world.in_state("current") == ["Pixel"]


def test_it_closes_once_however_often_it_is_read():
    world = World()
    word = closing("dog.name", "Pixel", 1, **MANY)
    for _ in range(2):
        world.hear(replace(word, id=claim(None, "x").id))
    world.hear(claim("dog.name", "Pixel", 0, **MANY))
    assert world.in_state("current") == []
    before = dict(world.facts)
    assert did(world.hear(replace(word, id=claim(None, "x").id))) == [Did.REPEATED]
    assert world.facts == before


CASES = {
    "a former city": ([claim("city", "Graz", 0), claim("city", "Linz", 1), closing("city", "Graz", 2)], ["Linz"]),
    "the present city": ([claim("city", "Graz", 0), claim("city", "Linz", 1), closing("city", "Linz", 2)], []),
    "whatever car": ([claim("car", "Duster", 0), claim("car", "Golf", 1), closing("car", "car", 2)], []),
    "back again": ([claim("city", "Graz", 0), closing("city", "Graz", 1), claim("city", "Graz", 2)], ["Graz"]),
    "moved and back": ([claim("city", v, n) for n, v in enumerate(["Graz", "Linz", "Graz"])], ["Graz"]),
    "one of two": (
        [claim("dog", "Pixel", 0, **MANY), claim("dog", "Byte", 1, **MANY), closing("dog", "Pixel", 2, **MANY)],
        ["Byte"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_it_ends_alike_in_every_order_of_processing(case):
    words, left = CASES[case]
    for order in itertools.permutations(words):
        world = World()
        for word in order:
            world.hear(word)
        assert world.in_state("current") == left, [w.value for w in order]


@st.composite
def sayings(draw):
    """Chats on one key, each at a time of its own with up to three words, and an order in which they are read."""
    many = draw(st.booleans())
    options = {"cardinality": Cardinality.MANY if many else Cardinality.ONE}
    values = st.lists(st.sampled_from(["Graz", "Linz", "Wels"]), min_size=1, max_size=3, unique=True)
    chats = []
    for n in range(draw(st.integers(2, 5))):
        chat = []
        for place, value in enumerate(draw(values)):  # a value stands where it was said last
            kind = draw(st.sampled_from(["say", "say", "say", "close", "close_all"]))
            if kind == "say":
                chat.append(claim("city", value, n, place=(0, place), **options))
            elif kind == "close" or many:
                chat.append(closing("city", value, n, place=(0, place), **options))
            else:
                chat.append(closing("city", "city", n, place=(0, place), **options))
        chats.append(chat)
    return chats, [chats[i] for i in draw(st.permutations(range(len(chats))))]


@settings(max_examples=300, deadline=None)
@given(sayings())
def test_it_holds_in_the_end_what_was_said_last(said):
    chats, order = said
    in_order, shuffled = World(), World()
    for chat in chats:
        in_order.hear(*chat)
    for chat in order:
        shuffled.hear(*chat)
    assert shuffled.in_state("current") == in_order.in_state("current")
    for fact in shuffled.facts.values():
        assert fact.valid_to is None or fact.valid_to >= fact.since
        assert (fact.valid_to is None) == (fact.state == "current")


def test_it_forgets_what_is_known_the_persons_own_word_too():
    world = World()
    world.hear(claim("phone", "0147", 0), claim("car", "Duster", 0))
    world.pin("0147")
    done = world.hear(forgetting("phone", "phone number", 1))
    assert did(done) == [Did.FORGOTTEN]
    assert world.in_state("current") == ["Duster"]
    assert world.in_state("pending") == []
    assert list(done.forgotten.values()) == [day(1)]


def test_it_forgets_the_history_that_led_to_it():
    world = World()
    world.hear(claim("phone", "0147", 0))
    world.hear(claim("phone", "0148", 1))
    world.hear(forgetting("phone", "0148", 2))
    assert world.in_state("deleted") == ["0147", "0148"]


def test_it_does_not_learn_from_older_words_what_was_forgotten():
    world = World()
    world.hear(forgetting("phone", "my phone number", 5))
    assert did(world.hear(claim("phone", "0147", 1))) == [Did.ANSWERED]
    assert did(world.hear(claim("phone", "0199", 6))) == [Did.ADDED]


def test_it_forgets_a_value_under_whatever_key_it_is_known():
    world = World()
    world.hear(claim("contact.mobile", "0147", 0), claim("lucky.number", "7", 0))
    world.hear(forgetting("phone", "0147", 1), forgetting("age", "7", 1))
    assert world.in_state("current") == ["7"]


def test_it_forgets_in_the_order_of_the_chat():
    world = World()
    early, late = claim("phone", "0147", 0, place=(0, 0)), claim("phone", "0147", 0, place=(2, 0))
    ask = forgetting("phone", "0147", 0, place=(1, 0))
    world.hear(ask, early)
    assert world.in_state("current") == []
    assert did(world.hear(ask, late))[-1] is Did.ANSWERED
    again = World()
    again.hear(ask, replace(late, said_at=day(1)))
    assert again.in_state("current") == []
    assert again.in_state("pending") == ["0147"]


def test_it_asks_which_one_to_forget():
    world = World()
    world.hear(claim("dog.name", "Pixel", 0, **MANY), claim("dog.name", "Byte", 0, **MANY))
    assert did(world.hear(forgetting("dog.name", "dog", 1, **MANY))) == [Did.PROPOSED]
    assert world.in_state("current") == ["Byte", "Pixel"]
    world.hear(forgetting("dog.name", "Pixel", 2, **MANY))
    assert world.in_state("current") == ["Byte"]
