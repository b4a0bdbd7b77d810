"""A value in a script that the person did not write in."""

import pytest

from memory.domain.judge import explain, judge
from memory.domain.language import in_another_script, scripts
from memory.domain.types import Grounding, Proposal, Verdict

FINNISH = "Olen kasvissyöjä ja asun Oulussa. Koirani nimi on Halla."


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("素食主义者", FINNISH),
        ("вегетарианец", FINNISH),
        ("素食 vegetarian", FINNISH),
        ("채식주의자", FINNISH),
        ("vegetarian", "私は菜食主義者です"),
        ("Berlin", "Я живу в Берлине"),
        ("Oυlu", FINNISH),  # one letter is Greek
        ("নিরামিষ", FINNISH),
    ],
)
def test_it_sees_a_script_that_the_person_did_not_use(value, said):
    assert in_another_script(value, [said])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("kasvissyöjä", FINNISH),
        ("vegetarian", FINNISH),  # another language in the same script is for grounding to see
        ("2026-05-14", "私は五月十四日に生まれた"),
        ("180", "рост 180 см"),
        ("NAS", "书房的设备清单里有一台NAS"),
        ("ＮＡＳ", "my nas is old"),
        ("カタカナ", "漢字とひらがな"),
        ("寿司", "すしがすきです"),
        ("", ""),
        ("5 µg", "5 μg every day"),
    ],
)
def test_it_lets_pass_what_is_in_the_scripts_of_the_person(value, said):
    assert not in_another_script(value, [said])


def test_it_takes_all_that_the_person_said_together():
    assert not in_another_script("Halla 寿司", [FINNISH, "寿司が好き"])
    assert in_another_script("Halla", [])


def test_digits_and_signs_have_no_script():
    assert scripts("12:30 +358 (4) — € ☀ ٣") == frozenset()


def test_such_a_value_waits_for_the_person():
    proposal = Proposal(value="素食主义者", key="diet", confidence=0.9)
    verdict = judge(proposal, Grounding(ok=True), approval="auto", pinned_conflict=False, other_language=True)
    assert verdict == Verdict(current=False, reasons=("other_language",))
    assert "script" in explain("other_language")
