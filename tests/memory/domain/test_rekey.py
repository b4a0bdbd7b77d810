"""Two keys that are one: what holds afterwards, whatever was there before."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.known import Known
from memory.domain.rekey import cardinality, join
from memory.domain.types import Cardinality, Op

START = datetime(2030, 1, 1, tzinfo=UTC)
SPACES = [None, uuid.UUID(int=1)]


def row(number: int, value: str = "x", day: int = 0, **more: object) -> Known:
    base: dict[str, object] = {
        "id": uuid.UUID(int=number),
        "space_id": None,
        "key": "a",
        "value": value,
        "value_norm": value,
        "state": "current",
        "cardinality": Cardinality.ONE,
        "said_at": START + timedelta(days=day),
        "confidence": 0.9,
    }
    return Known(**{**base, **more})  # type: ignore[arg-type]


def ids(*numbers: int) -> set[uuid.UUID]:
    return {uuid.UUID(int=number) for number in numbers}


def test_the_last_word_stays():
    joined = join([row(1, "May", 1), row(2, "June", 2)], single=True)
    assert joined.closed == {uuid.UUID(int=1): uuid.UUID(int=2)}
    assert not joined.folded
    assert not joined.doubted


def test_a_later_claim_against_the_persons_own_word_waits():
    joined = join([row(1, "May", 1, pinned=True), row(2, "June", 2), row(3, "April", 0)], single=True)
    assert joined.doubted == ids(2)
    assert set(joined.closed) == ids(3)


def test_what_says_the_same_is_folded_even_where_it_only_waits():
    rows = [row(1, "May", 1), row(2, "May", 2), row(3, "May", 3, state="pending"), row(4, "June", 0, state="pending")]
    joined = join(rows, single=True)
    assert joined.folded == dict.fromkeys(ids(1, 3), uuid.UUID(int=2))
    assert not joined.closed


def test_a_proposal_to_close_is_no_value():
    joined = join([row(1, "May"), row(2, "May", state="pending", op=Op.RETRACT)], single=True)
    assert not joined.folded


@pytest.mark.parametrize(
    ("key", "kinds", "expected"),
    [
        ("address.city", ["many", "one"], Cardinality.ONE),
        ("hobby", ["one"], Cardinality.MANY),
        ("note.x", ["one", "many"], Cardinality.MANY),
        ("note.x", ["one", "one"], Cardinality.ONE),
    ],
)
def test_a_key_with_many_values_stays_one(key, kinds, expected):
    rows = [row(n, cardinality=Cardinality(kind)) for n, kind in enumerate(kinds)]
    assert cardinality(key, rows) is expected


ROWS = st.lists(
    st.builds(
        lambda n, value, day, state, pinned, space: row(
            n, value, day, state=state, pinned=pinned, space_id=SPACES[space]
        ),
        st.integers(1, 10_000),
        st.sampled_from("abc"),
        st.integers(0, 3),
        st.sampled_from(["current", "current", "pending", "superseded", "deleted"]),
        st.booleans(),
        st.integers(0, 1),
    ),
    max_size=12,
    unique_by=lambda made: made.id,
)


@given(ROWS, st.booleans())
def test_no_key_has_two_answers_and_no_word_of_a_person_is_lost(rows, single):
    joined = join(rows, single)
    gone = {*joined.closed, *joined.folded, *joined.doubted}
    by_id = {each.id: each for each in rows}
    assert all(by_id[each].state in ("current", "pending") for each in gone)
    for space in SPACES:
        there = [each for each in rows if each.space_id == space and each.state == "current"]
        left = [each for each in there if each.id not in gone]
        slots = [each.value_norm for each in left]
        assert len(slots) == len(set(slots))
        assert bool(left) == bool(there)
        if single:
            assert len(left) <= 1
        if any(each.pinned for each in there):
            assert any(each.pinned for each in left)
    for each, into in {**joined.closed, **joined.folded}.items():
        assert by_id[each].space_id == by_id[into].space_id
