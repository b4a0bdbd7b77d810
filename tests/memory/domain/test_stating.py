"""Whether a text says a value."""

import pytest

from memory.domain.stating import echoes, spans, states, states_by_itself, telling


@pytest.mark.parametrize(
    ("text", "value", "quote", "own", "others"),
    [
        ("She works at Kestrel Optics.", "Kestrel Optics", "", True, True),
        ("She looked through the optics.", "Kestrel Optics", "", False, False),
        ("Call +233 20 555 0147 at noon.", "+233 20 555 0147", "", True, True),
        ("Call +233 20 555 0148 at noon.", "+233 20 555 0147", "", False, False),
        ("The car is red.", "red", "", True, False),  # anything may be red
        ("The car is ATL-4471.", "ATL-4471", "", True, True),
        ("We chose the blue one, of all things.", "azure", "chose  the blue one", True, True),
        ("They drive a red Duster.", "a red Dacia Duster", "", True, False),  # in another chat all of it
        ("一台NAS在书房", "书房", "", True, False),
        ("", "x", "", False, False),
        ("x", "", "", False, False),
    ],
)
def test_it_knows_a_value_again(text, value, quote, own, others):
    assert states(text, value, quote) is own
    assert states_by_itself(text, value, quote) is others


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("Bakeries in Bremen, since you live in Bremen.", "Bremen", True),
        ("A bremen of old.", "Bremen", False),
        ("The Bremener Stadtmusikanten", "Bremen", False),
        ("The car is red.", "red", False),
        ("You drive a red Dacia Duster.", "Dacia Duster", True),
        ("C++ (of course)", "C++", True),
    ],
)
def test_where_it_was_given_a_name_is_known_by_its_spelling(text, value, expected):
    assert echoes(text, value) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [("red", False), ("Bremen", False), ("a red", False), ("a red car", True), ("书房", False), ("4471", True)],
)
def test_it_knows_what_is_told_from_others_by_itself(value, expected):
    assert telling(value) is expected


def test_it_finds_all_runs_of_words():
    assert set(spans("a bc d")) == {"a", "a bc", "a bc d", "bc", "bc d", "d"}
    assert "京都" in set(spans("今は京都に住む"))
    assert len(list(spans("word " * 1_000))) <= 10_000
    assert list(spans(" ")) == []
