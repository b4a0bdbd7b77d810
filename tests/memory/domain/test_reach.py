"""Values that hold everywhere and values of one space: each is held once, and a word closes what it is about."""

from __future__ import annotations

import itertools
import uuid
from dataclasses import replace

from memory.domain.merge import Did
from memory.domain.types import Cardinality, Op
from tests.memory.domain.test_merge import World, claim, day, did

WORK, HOME = uuid.uuid4(), uuid.uuid4()
MANY = {"cardinality": Cardinality.MANY}


def held(world: World) -> list[tuple[str, object]]:
    there = [(f.value, {None: "all", WORK: "work", HOME: "home"}[f.space_id]) for f in world.current()]
    return sorted(there)


def test_what_a_space_repeats_confirms_what_holds_everywhere():
    for key, many in (("allergy", MANY), ("address.city", {}), (None, MANY)):
        world = World()
        world.hear(claim(key, "Nuts", 0, **many))
        assert did(world.hear(claim(key, "Nuts", 1, space_id=WORK, **many))) == [Did.CONFIRMED]
        assert held(world) == [("Nuts", "all")]


def test_what_held_in_a_space_and_is_said_of_everywhere_holds_once():
    for key, many in (("allergy", MANY), ("address.city", {}), (None, MANY)):
        world = World()
        world.hear(claim(key, "Nuts", 0, space_id=WORK, **many))
        assert did(world.hear(claim(key, "Nuts", 1, **many))) == [Did.UPDATED]
        assert held(world) == [("Nuts", "all")]
        assert world.in_state("superseded") == ["Nuts"]


def test_another_value_of_a_space_stays_beside_the_general_one():
    for order in itertools.permutations(
        [claim("address.city", "Oslo", 0), claim("address.city", "Bergen", 1, space_id=WORK)]
    ):
        world = World()
        for each in order:
            world.hear(each)
        assert held(world) == [("Bergen", "work"), ("Oslo", "all")]


def test_a_space_with_a_value_of_its_own_may_come_back_to_the_general_one():
    world = World()
    world.hear(claim("address.city", "Oslo", 0), claim("address.city", "Bergen", 1, space_id=WORK))
    world.hear(claim("address.city", "Oslo", 2, space_id=WORK))
    assert held(world) == [("Oslo", "all"), ("Oslo", "work")]


def test_what_the_person_put_into_a_space_is_spread_by_no_reading():
    world = World()
    world.hear(claim("allergy", "Nuts", 0, **MANY))
    for i, fact in world.facts.items():
        world.facts[i] = replace(fact, space_id=WORK, pinned=True)
    again = claim("allergy", "Nuts", 0, **MANY)
    assert did(world.hear(again)) == [Did.REPEATED]  # the chat that taught it
    (asked,) = world.hear(claim("allergy", "Nuts", 3, **MANY)).outcomes
    assert (asked.did, asked.claim.reasons) == (Did.PROPOSED, ("kept_in_space",))
    assert held(world) == [("Nuts", "work")]


def test_a_word_closes_what_it_is_about_however_far_the_model_thinks_it_reaches():
    over = {"op": Op.RETRACT, "said_in": WORK}
    for fact_space, word_space in itertools.product((None, WORK), repeat=2):
        world = World()
        world.hear(claim("work.employer", "Acme", 0, space_id=fact_space))
        done = world.hear(claim("work.employer", "Acme", 1, space_id=word_space, **over))
        assert did(done) == [Did.RETRACTED]
        assert held(world) == []
        assert world.in_state("retracted") == ["Acme"]


def test_a_word_said_in_a_space_closes_the_spaces_own_first_and_nothing_of_another():
    world = World()
    world.hear(claim("work.employer", "Acme", 0), claim("work.employer", "Acme Labs", 0, space_id=WORK))
    world.hear(claim("work.employer", "Acme Labs", 1, op=Op.RETRACT, space_id=WORK, said_in=WORK))
    assert held(world) == [("Acme", "all")]
    world.hear(claim("work.employer", "Beta", 2, space_id=HOME))
    world.hear(claim("work.employer", "Beta", 3, op=Op.RETRACT, said_in=WORK))
    assert held(world) == [("Acme", "all"), ("Beta", "home")]


def test_a_reading_in_a_space_brings_back_nothing_that_was_deleted():
    world = World()
    world.hear(claim("work.employer", "Acme", 0))
    for i, fact in world.facts.items():
        world.facts[i] = replace(fact, state="deleted", was_state="current", deleted_at=day(2))
    again = claim("work.employer", "Acme Inc", 0, space_id=WORK)
    assert did(world.hear(again)) == [Did.ANSWERED]
    assert held(world) == []


def test_a_wish_to_forget_counts_in_every_space():
    for wish, left in (("Acme", [("Acme Labs", "work")]), ("employer", [])):
        world = World()
        world.hear(claim("work.employer", "Acme", 0), claim("work.employer", "Acme Labs", 0, space_id=WORK))
        forgotten = claim("work.employer", wish, 2, op=Op.RETRACT, forget=True, place=(0, 0))
        same_chat = claim("work.employer", "Acme", 2, space_id=HOME, place=(0, 1), audit_id=forgotten.audit_id)
        world.hear(forgotten, same_chat)
        if wish == "employer":
            world.hear(claim("work.employer", "Beta", 1, space_id=HOME))  # said before, read after it
        assert held(world) == left, wish
