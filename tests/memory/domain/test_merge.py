"""What claims do to what is known: order of saying decides, never order of processing."""

from __future__ import annotations

import itertools
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from memory.domain.merge import Claim, Did, Known, Plan, confirmed_confidence, plan
from memory.domain.types import Cardinality, Op

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


def day(n: int) -> datetime:
    return MONDAY + timedelta(days=n)


def claim(key: str | None, value: str, n: int = 0, **options: object) -> Claim:
    base = Claim(
        id=uuid.uuid4(),
        space_id=None,
        key=key,
        value=value,
        value_norm=value.casefold(),
        cardinality=Cardinality.ONE if key else Cardinality.MANY,
        op=Op.SET,
        confidence=0.9,
        said_at=day(n),
        audit_id=n + 1000,
        current=True,
    )
    return replace(base, **options)


class World:
    """Applies plans one after another, as the database does."""

    def __init__(self) -> None:
        self.facts: dict[uuid.UUID, Known] = {}

    def hear(self, *claims: Claim) -> Plan:
        done = plan(self.facts.values(), claims)
        self.facts |= done.changed
        self.facts |= {i: fact for i, (_, fact) in done.new.items()}
        for fact_id, audit_id in done.evidence:
            fact = self.facts[fact_id]
            self.facts[fact_id] = replace(fact, heard_in=fact.heard_in | {audit_id})
        return done

    def pin(self, value: str) -> None:
        for i, fact in self.facts.items():
            if fact.value == value:
                self.facts[i] = replace(fact, pinned=True)

    def current(self) -> list[Known]:
        return [f for f in self.facts.values() if f.state == "current"]

    def in_state(self, state: str) -> list[str]:
        return sorted(f.value for f in self.facts.values() if f.state == state)


def did(done: Plan) -> list[Did]:
    return [outcome.did for outcome in done.outcomes]


def test_it_adds_a_new_value():
    world = World()
    assert did(world.hear(claim("dog.name", "Beans"))) == [Did.ADDED]
    assert world.in_state("current") == ["Beans"]


def test_it_confirms_the_same_value_once_per_chat():
    world = World()
    world.hear(claim("address.city", "Tartu", 0))
    again = claim("address.city", "Tartu", 1)
    assert did(world.hear(again)) == [Did.CONFIRMED]
    assert did(world.hear(replace(again, id=uuid.uuid4()))) == [Did.REPEATED]
    (fact,) = world.facts.values()
    assert fact.confidence == confirmed_confidence(0.9, 0.9)
    assert fact.last_confirmed_at == day(1)


def test_it_never_reaches_more_than_certainty():
    confidence = 0.5
    for _ in range(1000):
        confidence = confirmed_confidence(confidence, 0.9)
    assert confidence <= 1.0


def test_it_replaces_an_older_single_value_and_keeps_it_as_history():
    world = World()
    world.hear(claim("address.city", "Namur", 0))
    done = world.hear(claim("address.city", "Liege", 5))
    assert did(done) == [Did.UPDATED]
    assert world.in_state("current") == ["Liege"]
    (old,) = [f for f in world.facts.values() if f.value == "Namur"]
    assert (old.state, old.valid_to) == ("superseded", day(5))
    assert old.superseded_by == done.outcomes[0].fact_id


def test_it_lets_the_last_said_win_in_every_order_of_processing():
    cities = [claim("address.city", name, n) for n, name in enumerate(["Oslo", "Bergen", "Molde", "Bodo"])]
    for order in itertools.permutations(cities):
        world = World()
        for each in order:
            world.hear(each)
        assert world.in_state("current") == ["Bodo"], order
        assert world.in_state("superseded") == ["Bergen", "Molde", "Oslo"]
        assert all(f.valid_to and f.valid_to >= f.said_at for f in world.facts.values() if f.state == "superseded")


def test_it_puts_an_older_statement_that_is_read_late_into_history_once():
    world = World()
    world.hear(claim("work.employer", "Lumen Works", 100))
    assert did(world.hear(claim("work.employer", "Fjord Paper", 0))) == [Did.HISTORY]
    assert did(world.hear(claim("work.employer", "Fjord Paper", 50))) == [Did.REPEATED]
    assert world.in_state("current") == ["Lumen Works"]
    assert world.in_state("superseded") == ["Fjord Paper"]


def test_it_orders_claims_inside_one_chat_by_where_they_stand():
    early = claim("birth_year", "1987", 0, place=(0, 12))
    late = claim("birth_year", "1978", 0, place=(2, 13))
    for order in ((early, late), (late, early)):
        world = World()
        world.hear(*order)
        assert world.in_state("current") == ["1978"]


def test_it_keeps_many_values_side_by_side():
    world = World()
    many = {"cardinality": Cardinality.MANY}
    world.hear(claim("dog.name", "Pixel", 0, **many), claim("dog.name", "Byte", 1, **many))
    assert world.in_state("current") == ["Byte", "Pixel"]
    assert did(world.hear(claim("dog.name", "Pixel", 2, op=Op.RETRACT, **many))) == [Did.RETRACTED]
    assert world.in_state("current") == ["Byte"]
    assert world.in_state("retracted") == ["Pixel"]


def test_it_retires_nothing_under_another_key_or_in_another_space():
    world = World()
    work = uuid.uuid4()
    world.hear(claim("address.city", "Oslo", 0), claim("work.city", "Oslo", 0))
    world.hear(claim("address.city", "Bergen", 1, space_id=work))
    assert world.in_state("current") == ["Bergen", "Oslo", "Oslo"]


def test_it_only_proposes_against_the_persons_own_word():
    world = World()
    world.hear(claim("work.role", "midwife", 0))
    world.pin("midwife")
    done = world.hear(claim("work.role", "nurse", 1))
    assert did(done) == [Did.PROPOSED]
    assert world.in_state("current") == ["midwife"]
    assert world.in_state("pending") == ["nurse"]
    assert did(world.hear(claim("work.role", "nurse", 2))) == [Did.REPEATED]
    assert world.in_state("pending") == ["nurse"]


def test_it_proposes_the_same_thing_only_once():
    world = World()
    doubtful = {"current": False, "reasons": ("not_grounded",)}
    assert did(world.hear(claim("work.role", "nurse", 0, **doubtful))) == [Did.PROPOSED]
    assert did(world.hear(claim("work.role", "nurse", 1, **doubtful))) == [Did.REPEATED]
    assert world.in_state("pending") == ["nurse"]


def test_it_takes_a_plain_statement_for_the_answer_to_its_own_doubt():
    world = World()
    world.hear(claim("work.role", "nurse", 0, current=False, reasons=("low_confidence",)))
    assert did(world.hear(claim("work.role", "nurse", 1))) == [Did.ADDED]
    assert world.in_state("current") == ["nurse"]
    assert world.in_state("pending") == []


def test_it_does_not_bring_back_what_was_deleted():
    world = World()
    dropped = claim("dog.name", "Pixel", 0, deleted_at=day(3))
    assert did(world.hear(dropped)) == [Did.ANSWERED]
    assert did(world.hear(claim("dog.name", "Pixel", 5, deleted_at=day(3)))) == [Did.PROPOSED]
    made_up = claim("dog.name", "Byte", 6, deleted_at=day(3), current=False, grounded=False)
    assert did(world.hear(made_up)) == [Did.ANSWERED]
    assert world.in_state("current") == []
    assert did(world.hear(claim("dog.name", "Rex", 6, rejected=True))) == [Did.ANSWERED]


def test_it_asks_about_the_same_value_said_before_the_deletion_of_it_under_another_key():
    world = World()
    elsewhere = {"deleted_elsewhere_at": day(3)}
    (asked,) = world.hear(claim("work.company", "Kestrel Optics", 0, **elsewhere)).outcomes
    assert (asked.did, asked.claim.reasons) == (Did.PROPOSED, ("deleted_before",))
    assert did(world.hear(claim("client.name", "Kestrel Optics", 4, **elsewhere))) == [Did.ADDED]


def reviewed(value: str, confidence: float = 0.7, **options: object) -> Claim:
    many = {"cardinality": Cardinality.MANY, "current": False, "reasons": ("review",)}
    return claim("friend.name", value, confidence=confidence, **many | options)


def test_it_asks_who_reviews_everything_five_questions_a_chat_the_surest_ones():
    world = World()
    done = world.hear(*(reviewed(name, 0.6 + n / 100) for n, name in enumerate("abcdefgh")))
    assert did(done).count(Did.PROPOSED) == 5
    assert did(done).count(Did.OVER_CAP) == 3
    assert world.in_state("pending") == list("defgh")
    assert not [f for f in world.facts.values() if f.value in "abc"]


def test_what_is_known_or_was_answered_takes_no_question_away():
    world = World()
    world.hear(*(claim("friend.name", name, cardinality=Cardinality.MANY) for name in "abcd"))
    again = [reviewed(name, 0.99, audit_id=7) for name in "abcd"]
    answered = [reviewed(name, 0.98, audit_id=7, rejected=True) for name in "efgh"]
    world.hear(*again, *answered, reviewed("zoe", 0.6, audit_id=7))
    assert world.in_state("pending") == ["zoe"]


def test_chats_that_are_read_together_have_their_own_questions():
    world = World()
    world.hear(*(reviewed(f"{n}{name}", audit_id=n, said_at=day(n)) for n in (1, 2) for name in "abcdef"))
    assert len(world.in_state("pending")) == 10


def test_it_closes_a_value_without_successor():
    world = World()
    world.hear(claim("work.employer", "Acme", 0))
    assert did(world.hear(claim("work.employer", "Acme", 2, op=Op.RETRACT))) == [Did.RETRACTED]
    assert did(world.hear(claim("work.employer", "Acme", 1))) == [Did.REPEATED]  # said before it was closed
    assert world.in_state("current") == []
    assert did(world.hear(claim("work.employer", "Acme", 3))) == [Did.ADDED]


def test_it_changes_nothing_when_a_chat_is_read_again():
    world = World()
    chat = [claim("address.city", "Graz", 0, place=(0, 0)), claim("address.city", "Linz", 0, place=(2, 0))]
    world.hear(*chat)
    before = dict(world.facts)
    done = world.hear(*(replace(c, id=uuid.uuid4()) for c in chat))
    assert set(did(done)) == {Did.REPEATED}
    assert world.facts == before


def test_it_lets_narrative_facts_stand_beside_each_other():
    world = World()
    world.hear(claim(None, "Likes long walks", 0), claim(None, "Grew up by the sea", 0))
    assert did(world.hear(claim(None, "Likes long walks", 1))) == [Did.CONFIRMED]
    assert len(world.in_state("current")) == 2
