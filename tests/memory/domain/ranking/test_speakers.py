import pytest

from memory.domain.ranking.speakers import named, without_names

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


def test_it_looks_for_hundreds_of_names_in_a_long_text():
    assert named("a" * 100_000 + " Name7", [f"Name{n}" for n in range(400)]) == {"Name7"}
