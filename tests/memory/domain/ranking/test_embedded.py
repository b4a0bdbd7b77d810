import pytest

from memory.domain.ranking.embedded import SHORT_ANSWER, passage_text, question_text

PEOPLE = ("Caroline", "user")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("When did Caroline go?", "When did go?"),
        ("Can you recommend some must-try dishes in Mexico City?", "must-try dishes in Mexico City"),
        ("Could you please help me find a hotel?", "find a hotel"),
        ("What are some of the best long games you\u2019d recommend for me?", "best long games"),
        ("I'm planning a trip to Graz. What would you suggest?", "I'm planning a trip to Graz"),
        ("How can I improve my Python?", "improve my Python"),
        ("What is my dog called?", "What is my dog called?"),
        ("What did you recommend for my essay?", "What did you recommend for my essay?"),
        ("Can you?", "Can you?"),
        ("please", "please"),
        ("", ""),
    ],
)
def test_of_a_question_what_it_is_about_is_embedded(text, expected):
    assert question_text(text, PEOPLE) == expected


def test_without_named_speakers_a_passage_stays_as_it_is():
    assert passage_text("Hi,  it is me.", ["", "user", "assistant"]) == "Hi,  it is me."
    assert passage_text("Hey Caroline!", PEOPLE) == "Hey !"


def test_a_short_answer_takes_its_question_along():
    asked = "Nice to hear, Caroline. What is your dog called?"
    assert passage_text("Beans, she is two.", PEOPLE, asked=asked) == "What is your dog called? Beans, she is two."
    assert passage_text("Beans, she is two.", PEOPLE, asked="Fine.") == "Beans, she is two."
    assert passage_text("我叫它豆豆", PEOPLE, asked="你的狗叫什么？") == "你的狗叫什么？ 我叫它豆豆"


def test_a_long_answer_speaks_for_itself():
    answer = "x" * SHORT_ANSWER
    assert passage_text(answer, PEOPLE, asked="What?") == answer


def test_hostile_texts_take_their_time_once():
    assert passage_text("so", [], asked="a" * 100_000).endswith("so")
    assert question_text("can you " * 20_000 + "go there", [])
