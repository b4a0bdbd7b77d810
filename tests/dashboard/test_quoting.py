"""The words that taught something, found in what was said."""

import pytest

from dashboard.quoting import pieces
from dashboard.turns import turns


@pytest.mark.parametrize(
    ("text", "quotes", "marked"),
    [
        ("I have a dog. He is called Beans.", ["a dog"], ["a dog"]),
        ("I have a dog.", ["I have a dog."], ["I have a dog."]),
        ("I  have\n a   dog today", ["i have a dog"], ["I  have\n a   dog"]),
        ("she said “it’s fine” to me", ['"it\'s fine"'], ["“it’s fine”"]),
        ("one two three", ["one two", "two three"], ["one two three"]),
        ("one two three", ["one", "three"], ["one", "three"]),
        ("one two", ["four"], []),
        ("one two", ["", " "], []),
        ("", ["one"], []),
        ("ﬁne ①", ["fine"], ["ﬁne"]),
        ("犬の名前はビーンズです", ["名前はビーンズ"], ["名前はビーンズ"]),
        ("a" * 16_384, ["a" * 16_384], ["a" * 16_384]),
    ],
)
def test_it_marks_the_quote_and_loses_nothing(text, quotes, marked):
    found = pieces(text, quotes)
    assert "".join(piece.text for piece in found) == text
    assert [piece.text for piece in found if piece.quoted] == marked


def test_only_the_persons_own_words_are_marked_and_one_place_is_the_first():
    payload = {
        "messages": [
            {"role": "tool", "text": "a dog"},
            {"role": "user", "text": "a dog and a dog"},
            {"role": "user", "text": "a dog"},
            "rubbish",
        ],
        "answer": {"text": "a dog!"},
    }
    found = turns(payload, ["a dog"])
    assert [turn.role for turn in found] == ["tool", "user", "user", "assistant"]
    marked = [(turn.role, piece.first) for turn in found for piece in turn.pieces if piece.quoted]
    assert marked == [("user", True), ("user", False)]


@pytest.mark.parametrize("payload", [{}, {"messages": None}, {"messages": "x", "answer": 7}])
def test_it_shows_nothing_where_the_row_holds_nothing(payload):
    assert turns(payload, ["x"]) == []
