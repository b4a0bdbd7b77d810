import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.domain.text import clamp, clean, fold, normalise, one_line, text_of, tokens, was_cut


def test_it_takes_out_control_characters_and_keeps_lines():
    assert clean("o\x00ce\r\nhours\x07\t9\x85next") == "oce\nhours\t9\nnext"


def test_it_takes_out_halves_of_surrogate_pairs_so_that_the_text_can_be_stored():
    assert clean("Zo\ud83d!").encode() == b"Zo!"


def test_it_composes_accents():
    assert clean("Plzen\u030c") == "Plzeň"


def test_it_makes_one_line_of_many():
    assert one_line("  a\n\n  b\tc ") == "a b c"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I’m  “here”", 'i\'m "here"'),
        ("ticket ATL‑4471", "Ticket ATL-4471"),
        ("Ｔａｒｔｕ", "tartu"),
        ("Straße", "STRASSE"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("a – b — c", "a - b - c"),
        ("Plzen\u030c", "plzeň"),
        ("line\none", "Line one "),
    ],
)
def test_it_calls_two_spellings_of_the_same_text_equal(one, other):
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(("one", "other"), [("1987", "1978"), ("Maria", "Marie"), ("ATL-4471", "ATL-4478")])
def test_it_keeps_different_texts_apart(one, other):
    assert normalise(one) != normalise(other)


@pytest.mark.parametrize("text", ["", " ", "I’m at Ｆoo — ﬁne\n\n日本", "e\u0301\u200b x", "🏳️‍🌈 ok", "ẞ İ"])
def test_it_knows_for_each_folded_character_where_it_came_from(text):
    folded = fold(text)
    assert len(folded.text) == len(folded.at)
    assert list(folded.at) == sorted(folded.at)
    assert all(0 <= at < len(text) for at in folded.at)
    assert fold(folded.text).text == folded.text


@given(st.text(st.characters(max_codepoint=127)))
def test_it_has_one_comparable_form_however_it_is_made(text: str) -> None:
    assert normalise(text) == fold(text).text


def test_it_finds_the_place_of_a_word_behind_wide_and_invisible_characters():
    text = "Ｈｉ\u200b,  I live in Graz"
    folded = fold(text)
    assert text[folded.at[folded.text.index("graz")] :] == "Graz"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't smoke, 43.5 kg!", ["i", "don't", "smoke", "43.5", "kg"]),
        ("what was ATL-4471?", ["what", "was", "atl", "4471", "atl4471"]),
        ("登山をする", ["登山", "山を", "をす", "する"]),
        ("오늘부터 번역을", ["오늘", "늘부", "부터", "번역", "역을"]),
        ("go 部署 NAS", ["go", "部署", "nas"]),
        ("猫", ["猫"]),
        ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
        ("Привет мир", ["привет", "мир"]),
        ("+233 20 555 0147", ["233", "20", "555", "0147"]),
        ("---", []),
    ],
)
def test_it_cuts_every_script_into_tokens(text, expected):
    assert tokens(text) == expected


def test_it_says_how_much_it_cut():
    assert clamp("short", 10) == "short"
    cut = clamp("x" * 1000, 100)
    kept = cut.count("x")
    assert len(cut) <= 100
    assert f"{1000 - kept} characters cut" in cut
    assert (was_cut(cut), was_cut("short")) == (True, False)


@pytest.mark.parametrize("limit", range(30))
def test_it_never_grows_over_the_limit(limit):
    assert len(clamp("y" * 5000, limit)) <= limit


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, ""),
        ("hello", "hello"),
        (
            [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}],
            "look",
        ),
        ([{"type": "text", "text": "a"}, {"type": "input_text", "text": "b"}, "c", None, 7], "a\nb\nc"),
        ([{"type": "text", "text": None}, {"type": "input_audio", "input_audio": {"data": "UklGR"}}], ""),
        ({"type": "text", "text": "not a list"}, ""),
        (42, ""),
        ("see data:image/png;base64,iVBORw0KGgo= there", "see [data left out] there"),
        ("nul\x00here", "nulhere"),
    ],
)
def test_it_reads_the_text_of_a_content_and_nothing_else(content, expected):
    assert text_of(content) == expected


def test_it_takes_a_pile_of_marks_in_its_stride():
    pile = "a" + "\u0301\u0316" * 100_000
    assert len(clean(pile)) <= 40
    assert len(normalise(pile)) <= 40
    assert clean("e\u0301") == "\u00e9"


@pytest.mark.parametrize("piece", ["x", "9", "x-", "x1", "a'", "1.", "\u0301", "登", "x\u0301", "-", "x--"])
def test_it_takes_time_in_proportion_to_a_text_without_spaces(piece):
    began = time.monotonic()
    tokens(piece * (64_000 // len(piece)))
    assert time.monotonic() - began < 5
