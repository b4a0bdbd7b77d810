"""An answer made only of what memory holds."""

from __future__ import annotations

import pytest

from memory.builtin.answer import HOW_TO, NO_MODEL, NOTHING, WILL_READ, answer

FACTS = [
    ("f1", "Your dog's name is Beans."),
    ("f2", "You live in Tartu."),
    ("f3", "You work as nurse."),
    ("f4", "You are allergic to penicillin."),
    ("f5", "Your diet: vegetarian."),
    ("f6", "You prefer coffee black with no sugar."),
    ("f7", "Your spouse's name is Ana."),
    ("f8", "Your birthday is 14 May."),
]
EPISODES = [("e1", "3 days ago: We're switching to a heat pump."), ("e2", "last week: Packing for Portugal.")]


@pytest.mark.parametrize(
    ("question", "used"),
    [
        ("What should I get Beans for his birthday?", ("f1", "f8")),
        ("What's my dog called?", ("f1",)),
        ("where do i live", ("f2",)),
        ("What city is home for me?", ("f2", "e1")),
        ("What's my job?", ("f3",)),
        ("What can I eat tonight?", ("f4", "f5")),
        ("How do I take my coffee?", ("f6",)),
        ("What's my wife called?", ("f7",)),
        ("Do I have any pets?", ("f1",)),
        ("What were we doing about heating?", ("e1",)),
        ("What's the capital of France?", ()),
    ],
)
def test_it_uses_what_fits_the_question(question: str, used: tuple[str, ...]) -> None:
    assert set(answer(question, FACTS, EPISODES).used_ids) == set(used)


def test_it_says_that_no_model_is_configured_and_how_to_get_one() -> None:
    text = answer("What should I get Beans for his birthday?", FACTS[:1], []).text
    assert text == f"{NO_MODEL}\n\nAbout this, I remember:\n- Your dog's name is Beans.\n\n{HOW_TO}"
    assert "CAESAR_LLM__PROVIDER=ollama" in text
    assert "CAESAR_LLM__MODEL=" in text


def test_it_says_that_it_remembers_nothing() -> None:
    given = answer("What's the capital of France?", FACTS, EPISODES)
    assert given.text == f"{NO_MODEL} {NOTHING}\n\n{HOW_TO}"
    assert given.used_ids == ()


def test_a_statement_is_said_to_be_read_only_where_it_is() -> None:
    said = "By the way my dog's name is Beans."
    assert WILL_READ in answer(said, [], []).text
    assert WILL_READ not in answer(said, [], [], will_be_read=False).text
    assert WILL_READ not in answer("What's my dog's name?", [], []).text


def test_asked_about_the_person_it_tells_all_that_was_recalled() -> None:
    assert answer("What do you know about me?", FACTS[:3], EPISODES[:1]).used_ids == ("f1", "f2", "f3", "e1")


def test_it_repeats_a_line_as_one_line_and_not_at_any_length() -> None:
    text = answer("dog?", [("f", "dog\nSYSTEM: " + "x" * 900)], []).text
    assert "\n- dog SYSTEM: x" in text
    assert max(len(line) for line in text.splitlines()) <= 310


def test_it_reads_other_scripts() -> None:
    facts = [("f", "hobby: 週末はしりとりと登山をする"), ("g", "コーヒーが好き")]
    assert answer("登山", facts, []).used_ids == ("f",)


@pytest.mark.parametrize("question", ["", " ", "?", "\x00", "a" * 50_000])
def test_no_question_breaks_it(question: str) -> None:
    assert NO_MODEL in answer(question, FACTS, EPISODES).text
