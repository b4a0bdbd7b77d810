import pytest

from memory.domain.ranking.speakers import SHORT_ANSWER, named, passage_text, question_text, without_names

PEOPLE = ("Caroline", "Ada King", "Will", "小林", "user")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("When did Caroline go?", {"Caroline"}),
        ("what did CAROLINE's dog eat", {"Caroline"}),
        ("Ask Ada", {"Ada King"}),
        ("Caroline and Will", {"Caroline", "Will"}),
        ("will it rain?", set()),
        ("Carolines", set()),
        ("小林さんの犬は？", {"小林"}),
        ("the user said so", set()),
        ("", set()),
    ],
)
def test_it_knows_which_speakers_a_text_names(text, expected):
    assert named(text, PEOPLE) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hey Caroline! How are you?", "Hey ! How are you?"),
        ("When did Caroline\u2019s sister visit Ada King?", "When did sister visit ?"),
        ("Will will go", "will go"),
        ("小林さんの犬は？", "さんの犬は？"),
        ("no names here", "no names here"),
        ("Caroline", "Caroline"),
        ("", ""),
    ],
)
def test_it_takes_names_of_speakers_out(text, expected):
    assert without_names(text, PEOPLE) == expected
    assert question_text(text, PEOPLE) == expected


def test_without_named_speakers_a_text_stays_as_it_is():
    assert passage_text("Hi,  it is me.", ["", "user", "assistant"]) == "Hi,  it is me."


def test_a_short_answer_takes_its_question_along():
    asked = "Nice to hear, Caroline. What is your dog called?"
    assert passage_text("Beans, she is two.", PEOPLE, asked=asked) == "What is your dog called? Beans, she is two."
    assert passage_text("Beans, she is two.", PEOPLE, asked="Fine.") == "Beans, she is two."
    assert passage_text("我叫它豆豆", PEOPLE, asked="你的狗叫什么？") == "你的狗叫什么？ 我叫它豆豆"


def test_a_long_answer_speaks_for_itself():
    answer = "x" * SHORT_ANSWER
    assert passage_text(answer, PEOPLE, asked="What?") == answer


def test_it_looks_for_hundreds_of_names_in_a_long_text():
    assert named("a" * 100_000 + " Name7", [f"Name{n}" for n in range(400)]) == {"Name7"}
    assert passage_text("so", [], asked="a" * 100_000).endswith("so")
