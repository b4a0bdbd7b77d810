"""What is part of a game, and what is said for real inside one."""

import time

import pytest

from memory.domain.grounding import ground
from memory.domain.play import is_meant, played
from memory.domain.text import normalise
from memory.domain.types import Message, Proposal


def fiction(*texts: str) -> list[str]:
    """Of each message, what is part of a game."""
    folded = [normalise(text) for text in texts]
    return [
        " ".join(text[slice(*span)] for span in spans)
        for text, spans in zip(folded, played(tuple(folded)), strict=True)
    ]


@pytest.mark.parametrize(
    "opening",
    [
        "Let's play: you are the ship's AI, I'm Captain Orla Venn.",
        "Let's pretend that you're a dragon.",
        "Role-play time! I am a wizard.",
        "You are the innkeeper and I'm a knight from Ceres.",
        "Pretend we're in the year 2400.",
        "Rollenspiel: ich bin ein Ritter.",
        "Du bist der Wirt, ich bin ein Ritter.",
    ],
)
def test_a_game_goes_on_over_messages_until_it_ends(opening):
    assert fiction(opening, "I draw my blaster.", "End the game. I live in Graz.", "My dog is Rex.") == [
        normalise(opening),
        "i draw my blaster.",
        "end the game",
        "",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I play tennis with my brother.",
        "Let's play it safe. I live in Graz.",
        "Let's play chess tomorrow, I'm free at five.",
        "You are the best! I live in Graz.",
        "I'm a game designer and I like stories.",
        "My role in the play is small.",
        "I am the captain of our football team.",
    ],
)
def test_ordinary_words_begin_no_game(text):
    assert fiction(text, "I live in Graz.") == ["", ""]


def test_it_takes_no_time_over_hostile_texts():
    texts = tuple(
        part * 8_000 for part in ("you are a ", "let's play ", "i'm the ", "pretend you ", "roleplay", "end the ")
    )
    started = time.perf_counter()
    played(texts)
    assert time.perf_counter() - started < 2


def test_what_stands_before_the_game_is_no_part_of_it():
    assert fiction("I live in Graz. Let's play, you are a dragon.") == ["let's play, you are a dragon."]


@pytest.mark.parametrize(
    "aside",
    [
        "(pause the game a sec: I have a dentist appointment on 14 May)",
        "Out of character: I live in Graz.",
        "IRL I live in Graz.",
        "Seriously, I live in Graz.",
        "By the way, in real life I live in Graz.",
        "Im echten Leben wohne ich in Graz.",
    ],
)
def test_an_aside_is_meant(aside):
    assert is_meant(normalise(aside))
    assert not is_meant(normalise("I live in Graz and I draw my blaster."))


def test_what_is_said_in_a_game_is_imagined_even_where_it_began_in_an_earlier_turn():
    opening = Message("user", "Let's play: you are the ship's AI, I'm Captain Venn.", new=False)
    turn = Message("user", "Captain Venn draws her blaster. In real life I live in Graz, by the way.")
    weapon = ground(Proposal("blaster", "weapon"), [opening, turn])
    assert (weapon.ok, weapon.reason) == (False, "imagined")
    assert ground(Proposal("Graz", "address.city"), [opening, turn]).ok
    assert ground(Proposal("blaster", "weapon"), [turn]).ok
