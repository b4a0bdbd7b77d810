"""The extractive summary: the person's own sentences, or nothing."""

from __future__ import annotations

import pytest

from memory.builtin.summary import LONGEST, summarise
from memory.domain.types import Message

HEATING = (
    "We're switching to a heat pump — the install date is the 14th and the rebate paperwork is in the cabinet "
    "by the door."
)


def test_it_is_made_of_the_persons_own_words() -> None:
    summary = summarise(
        [
            Message("user", f"Hi! {HEATING} Thanks!"),
            Message("assistant", "Great choice. A heat pump saves energy. " * 5),
        ]
    )
    assert summary == HEATING


def test_it_takes_the_two_sentences_that_say_most_in_their_order() -> None:
    text = "Hello there. The dentist moved my appointment to 14 May 2026. Ok then. I plan to travel to Lisbon in June."
    assert summarise([Message("user", text)]) == (
        "The dentist moved my appointment to 14 May 2026. I plan to travel to Lisbon in June."
    )


def test_it_adds_a_short_answer() -> None:
    chat = [
        Message("user", "Which paint did we decide on for the kitchen walls?"),
        Message("assistant", "You decided on matte sage green, two coats."),
    ]
    assert summarise(chat) == (
        "Which paint did we decide on for the kitchen walls? You decided on matte sage green, two coats."
    )


@pytest.mark.parametrize("text", ["hi", "ok", "thanks, that worked!", "", "\n", "👍", "Good morning!", "lol", "Bye"])
def test_a_trivial_chat_has_none(text: str) -> None:
    assert summarise([Message("user", text), Message("assistant", "You're welcome!")]) is None


def test_an_empty_chat_has_none() -> None:
    assert summarise([]) is None


def test_it_is_never_longer_than_it_may_be() -> None:
    assert len(summarise([Message("user", "we decided to move the meeting " * 80)]) or "") <= LONGEST


def test_it_repeats_no_pasted_text_and_no_game() -> None:
    chat = [
        Message("user", "Summarise: 'The reactor leaked 40 litres of coolant on Sunday night.'"),
        Message("user", "Let's play: you are the captain, I'm Orla Venn from Ceres with 3 blasters."),
        Message("user", "(pause the game a sec: I have a dentist appointment on 14 May 2026 at 9, remind me later)"),
    ]
    assert summarise(chat) == "I have a dentist appointment on 14 May 2026 at 9, remind me later"
