"""What the deterministic extractor takes from a chat, and what it must leave alone."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from memory.builtin.extract import extract
from memory.domain.types import Cardinality, Message, Op, Proposal, Stance


def facts(*texts: str | Message) -> list[str]:
    return [f"{'-' * (each.op is Op.RETRACT)}{each.key}={each.value}" for each in proposals(*texts)]


def proposals(*texts: str | Message) -> Sequence[Proposal]:
    messages = [text if isinstance(text, Message) else Message("user", text) for text in texts]
    return extract(messages).proposals


def test_it_reads_only_what_the_person_says() -> None:
    said = "My dog's name is Rex and I live in Paris."
    assert facts(Message("assistant", said), Message("system", said), Message("tool", said)) == []


def test_it_reads_only_new_messages() -> None:
    assert facts(Message("user", "I live in Graz.", new=False), "My dog's name is Rex.") == ["dog.name=Rex"]


def test_a_proposal_is_complete() -> None:
    (proposal,) = proposals("Hey CAESAR — by the way my dog's name is Beans.")
    assert (proposal.key, proposal.value, proposal.op) == ("dog.name", "Beans", Op.ADD)
    assert (proposal.cardinality, proposal.stance) == (Cardinality.MANY, Stance.ASSERTED)
    assert proposal.confidence == 0.95
    assert proposal.quote == "Hey CAESAR — by the way my dog's name is Beans."


@pytest.mark.parametrize(
    "text",
    [
        "Hi!  I live in\nTartu — and my cat’s name is “Nata”.  Ok?",
        "x" * 300 + ", I live in Tartu now, and " + "y " * 200,
        "> quoted\nI'm allergic to nuts; I take my coffee black",
        "\u200bI\u00a0live in Tartu\r\nMy dog is called Rex",
    ],
)
def test_a_quote_stands_verbatim_in_the_message(text: str) -> None:
    found = proposals(text)
    assert found
    assert all(each.quote and each.quote in text for each in found)


def test_a_guess_is_less_sure_than_a_statement() -> None:
    (sure,) = proposals("My wife's name is Ana.")
    (unsure,) = proposals("I think my wife's name is Ana.")
    assert sure.confidence is not None
    assert unsure.confidence is not None
    assert unsure.confidence < sure.confidence - 0.2


@pytest.mark.parametrize(
    "text",
    [
        "Imagine I live in Rome and my dog is called Rex.",
        "What if my name is Bob?",
        "Let's say I work as a nurse. What would I earn?",
        "If I live in Rome, my bike is a Brompton.",
        "Hypothetical: I live in Rome. My dog is called Rex.",
        "I wish my dog's name was Rex.",
        "I'm not a nurse and I don't live in Rome.",
        "It's not true that I live in Rome.",
        "My brother lives in Rome and works as a nurse.",
        "She told me: I live in Rome.",
        "My boss said I work at Novo.",
        "According to the form, I live in Rome.",
        'The article begins "I live in Rome and my name is Bob".',
        "Do I live in Rome?",
        "I live in Rome, don't I?",
        "My dog's name is Rex, right?",
        "Correct this text: I live in Rome since 2 year.",
        "Proofread the following paragraph:\n\nI live in Rome. My dog is called Rex.",
        "```\nI live in Rome\n```",
        "`I live in Rome`",
        "Bob: I live in Rome\nAlice: I work at Novo",
        "Write a story in which I live in Rome.",
        "In my novel, I live in Rome.",
        "Pretend I'm a nurse.",
        "I used to live in Rome.",
        "My dog is called Rex, just kidding.",
        "",
        " \n ",
        "?!",
    ],
)
def test_it_leaves_alone_what_is_not_stated(text: str) -> None:
    assert facts(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("If you're wondering, I live in Oslo.", ["address.city=Oslo"]),
        ("I don't know if it rains but I live in Oslo.", ["address.city=Oslo"]),
        ("I live in Oslo, can you find a bakery?", ["address.city=Oslo"]),
        ("Is it far? I live in Oslo.", ["address.city=Oslo"]),
        ("She said 'hi' and I live in Oslo.", []),
        ("My friends call me Jo.", []),
        ("I’m allergic to nuts…", ["allergy=nuts"]),
        ("- I live in Oslo\n- my dog is called Rex", ["address.city=Oslo", "dog.name=Rex"]),
        ("I live in Oslo (with two cats, Tom and Olive).", ["address.city=Oslo"]),
        ("my wifes name is ana and were living in oslo", ["spouse.name=ana"]),
    ],
)
def test_it_reads_what_is_stated_beside_something_else(text: str, expected: list[str]) -> None:
    assert facts(text) == expected


def test_a_role_play_goes_on_until_it_ends() -> None:
    game = [
        "Let's play: you are the ship's AI, I'm Captain Orla Venn, 61, from Ceres, and I'm allergic to starlight.",
        "I live on Vesta now. My dog is called Laser.",
        "(pause the game a sec: my real dog is called Rex, remind me to feed him)",
        "My name is Orla Venn.",
        "OK, stop the game. I live in Oslo.",
        "My cat is called Tom.",
    ]
    assert facts(*game) == ["address.city=Oslo", "cat.name=Tom"]
    assert facts(*game[:2], "(real life: my dog's name is Rex)", game[3]) == ["dog.name=Rex"]


def test_a_game_of_chess_is_no_role_play() -> None:
    assert facts("Let's play chess. I live in Oslo.", "I love role-playing games.") == [
        "address.city=Oslo",
        "like=role-playing games",
    ]


def test_a_correction_replaces_what_was_said_before() -> None:
    assert facts("I was born in 1987 and live in Graz.", "Sorry, typo: 1978, not 1987.") == [
        "birth_year=1987",
        "address.city=Graz",
        "birth_year=1978",
    ]
    assert facts("My dog's name is Beans.", "Actually it's Bowser, not Beans.") == [
        "dog.name=Beans",
        "-dog.name=Beans",
        "dog.name=Bowser",
    ]
    assert facts(Message("user", "my dog is called beans", new=False), "it's Bowser, not Beans") == [
        "-dog.name=beans",
        "dog.name=Bowser",
    ]


def test_a_correction_of_something_unknown_is_left_alone() -> None:
    assert facts("Actually it's Bowser, not Beans.") == []


def test_in_one_sentence_the_later_value_counts() -> None:
    assert facts("I live in Graz, I mean I live in Linz.") == ["address.city=Linz"]


def test_a_pet_that_died_is_retracted_where_it_is_known() -> None:
    assert facts("My dog Pixel is 3.", "Sad news, Pixel died on Sunday.") == ["dog.name=Pixel", "-dog.name=Pixel"]
    assert facts("Sad news, Pixel died on Sunday.") == []


def test_a_request_to_forget_becomes_a_retraction() -> None:
    assert facts("Please forget that my dog's name is Beans.") == ["-dog.name=Beans"]
    assert facts("Don't forget that my dog's name is Beans.") == ["dog.name=Beans"]


def test_the_same_fact_said_twice_is_proposed_once() -> None:
    assert facts("I live in Oslo.", "As I said, I live in Oslo.") == ["address.city=Oslo"]
    assert facts("I live in Oslo.", "I live in Bergen.", "I live in Oslo.") == [
        "address.city=Oslo",
        "address.city=Bergen",
        "address.city=Oslo",
    ]


def test_the_same_messages_give_the_same_reply() -> None:
    messages = [Message("user", "I play the viola, I live in Porto and my cat is Nata.")]
    assert extract(messages) == extract(messages)


HOSTILE = {
    "commas": "," * 50_000,
    "subjects": "I am, " * 8_000,
    "owners": "my dog, " * 6_000,
    "one word": "a" * 50_000,
    "blanks": "I live in" + " " * 50_000 + "x",
    "names": "my kids are " + "Ann, " * 10_000,
    "quotes": "'\"" * 25_000,
    "openings": " 'a" * 16_000,
    "fences": "```" * 16_000,
    "brackets": "(" * 50_000,
    "supposing": "if but " * 7_000,
    "lines": "I live in\n" * 5_000,
    "one long sentence": "I'm allergic to nuts, eggs and my dog's name is Beans and " * 860,
    "many facts": "I'm allergic to nuts. My dog's name is Beans. I work at Foo Bar. " * 770,
    "corrections": "it's Bowser, not Beans. my dog is called Beans. " * 1_040,
    "combining": "e\u0301" * 25_000,
    "nothing": "\x00\x1f" * 25_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_fifty_kilobytes_of_anything_take_less_than_half_a_second(text: str) -> None:
    proposals("My dog's name is Beans.")  # the patterns are compiled
    taken = []
    for _ in range(3):  # other processes on the machine make a single figure doubtful
        started = time.process_time()
        proposals(text[:50_000])
        taken.append(time.process_time() - started)
    assert min(taken) < 0.5
