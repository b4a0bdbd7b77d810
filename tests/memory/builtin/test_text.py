"""How a message becomes sentences that may be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.builtin.extract import extract
from memory.builtin.text import readable, sentences
from memory.domain.types import Message


def cut(text: str) -> list[str]:
    return [each.text for each in sentences(readable(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hi. I live in Oslo! Ok?", ["Hi.", "I live in Oslo!", "Ok?"]),
        ("one\ntwo", ["one", "two"]),
        ("Dr. Who lives at St. Mary 3.5 km off.", ["Dr. Who lives at St. Mary 3.5 km off."]),
        ("My favourite author is Ursula K. Le Guin.", ["My favourite author is Ursula K. Le Guin."]),
        ("Wait... what?", ["Wait...", "what?"]),
        ("- a point\n* another", ["a point", "another"]),
        (
            "this line was wrapped by a mail program in the middle of\nthe sentence",
            ["this line was wrapped by a mail program in the middle of\nthe sentence"],
        ),
    ],
)
def test_it_cuts_where_a_reader_would(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ('She said "I live in Rome".', "Rome"),
        ("She said 'I live in Rome'.", "Rome"),
        ("She said «I live in Rome».", "Rome"),
        ("> I live in Rome\nreally?", "Rome"),
        ("~~~\nI live in Rome\n~~~", "Rome"),
        ("see https://rome.example/I-live", "rome"),
        ("[10:32] Bob: I live in Rome", "Rome"),
        ("Translate: I live in Rome", "Rome"),
    ],
)
def test_it_hides_what_is_not_the_persons_own(text: str, hidden: str) -> None:
    assert hidden not in readable(text)


@pytest.mark.parametrize("text", ["my dog is called 'Rex'", 'named "Rex"', "it's the dogs' home", 'a 27" screen'])
def test_it_leaves_apostrophes_and_quoted_names(text: str) -> None:
    assert "\x1f" not in readable(text)


@given(st.text(alphabet=st.sampled_from("I live in Oslo\n\t'\"`>.,:;!?—“”’«»\x00\u0301é漢👍"), max_size=300))
def test_it_keeps_every_offset(text: str) -> None:
    assert len(readable(text)) == len(text)
    assert all(readable(text)[each.start : each.end] == each.text for each in sentences(readable(text)))


@given(st.text(max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    for proposal in extract([Message("user", text)]).proposals:
        assert proposal.quote
        assert proposal.quote in text
