"""What was deleted or rejected is recognised in other words, by the chat that said it and by older ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.domain.answers import Answer, answered, form, is_telling
from memory.domain.board import fact_of
from memory.domain.types import Cardinality, Op
from tests.memory.domain.test_merge import claim, day


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Kestrel Optics", "kestrel optics."),
        ("Kestrel Optics", "Kestrel-Optics"),
        ("Kestrel Optics", "  KESTREL \u00a0 OPTICS!"),
        ("Kestrel Optics", "The Kestrel Optics"),
        ("Kestrel Optics", "K\u0435str\u0435l Optics"),  # Cyrillic ie
        ("Kestrel Optics", "\u201cKestrel\u200b Optics\u201d"),
        ("oat milk", "the oat milk"),
        ("das Haus", "Haus"),
    ],
)
def test_spellings_of_one_value_have_one_form(one, other):
    assert form(one) == form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C", "C++"),
        ("C#", "C"),
        ("-5 degrees", "5 degrees"),
        ("2-3", "23"),
        ("the", "a"),
        ("10.5", "105"),
        ("маска", "macka"),  # all Cyrillic: a word of its own
        ("naïve", "naive"),
    ],
)
def test_two_values_have_two_forms(one, other):
    assert form(one) != form(other)


def test_a_short_value_alone_says_too_little():
    assert not is_telling("no")
    assert not is_telling("a 42")
    assert is_telling("Graz")
    assert is_telling("寿司と天ぷら")


def gone(value: str, *, chat: int = 1, state: str = "deleted", key: str = "work.employer", purged: bool = False):
    row = fact_of(claim(key, value, 0, audit_id=chat), state=state)
    at = day(5) if state == "deleted" else None
    row = replace(row, heard_in=frozenset({chat}), was_state="current", deleted_at=at)
    return replace(row, value="", value_norm="") if purged else row


@pytest.mark.parametrize("state", ["deleted", "rejected"])
@pytest.mark.parametrize("words", ["Kestrel Optics GmbH", "Kestrel", "at Kestrel Optics in Bremen"])
def test_a_second_reading_of_the_same_chat_asks_nothing_that_was_answered(state, words):
    again = claim("work.employer", words, 0, audit_id=1)
    assert answered(again, [gone("Kestrel Optics", state=state)]) is Answer.SETTLED


def test_older_words_of_another_chat_that_may_mean_what_was_deleted_wait():
    row = gone("Kestrel Optics")
    before = claim("work.employer", "Kestrel Optics GmbH", 3, audit_id=2)
    assert answered(before, [row]) is Answer.DOUBT
    assert answered(replace(before, said_at=day(6)), [row]) is Answer.NONE  # said since
    assert answered(replace(before, value="Fjord Paper"), [row]) is Answer.NONE
    assert answered(before, [replace(row, state="rejected", deleted_at=None)]) is Answer.NONE
    assert answered(before, [replace(row, state="superseded")]) is Answer.NONE


def test_of_a_purged_fact_the_chat_is_remembered():
    row = gone("Kestrel Optics", purged=True)
    again = claim("work.employer", "Anything", 0, audit_id=1)
    assert answered(again, [row]) is Answer.SETTLED
    assert answered(replace(again, cardinality=Cardinality.MANY), [row]) is Answer.DOUBT
    assert answered(replace(again, audit_id=2), [row]) is Answer.NONE
    assert answered(replace(again, key="client.name"), [row]) is Answer.DOUBT


def test_older_words_that_contain_what_was_deleted_wait_under_any_key():
    row = gone("Kestrel Optics")
    inside = claim(None, "Works at Kestrel Optics in Bremen", 3, audit_id=2)
    assert answered(inside, [row]) is Answer.DOUBT
    assert answered(replace(inside, audit_id=1), [row]) is Answer.DOUBT
    assert answered(replace(inside, said_at=day(6)), [row]) is Answer.NONE
    assert answered(replace(inside, value="Works at Kestrel"), [row]) is Answer.NONE
    assert answered(replace(inside, value="Eats an egg a day"), [gone("egg")]) is Answer.NONE  # says too little
    assert answered(inside, [replace(row, state="rejected", deleted_at=None)]) is Answer.NONE


def test_a_word_that_closed_something_is_no_value():
    row = replace(gone("Kestrel Optics"), op=Op.RETRACT)
    assert answered(claim("work.employer", "Kestrel Optics", 0, audit_id=1), [row]) is Answer.NONE
