"""Which facts a question brings up: the gates, and what the score is made of."""

from __future__ import annotations

import math
import uuid
from typing import Any

import pytest

from memory.domain.ranking.facts import FactCandidate, Ranked, Term, anchoring, coverage, rank

FACTS = 1_000


def fact(n: int = 1, *, semantic: float | None = None, hits: set[int] = frozenset(), **more: Any) -> FactCandidate:  # type: ignore[assignment]
    given = {"importance": 0.5, "recent": False} | more
    return FactCandidate(uuid.UUID(int=n), semantic, frozenset(hits), **given)


def ranked(terms: list[Term], *candidates: FactCandidate, facts: int = FACTS) -> list[Ranked]:
    return rank(terms, candidates, facts=facts, min_score=0.25, min_lexical=0.34)


def test_the_score_is_meaning_and_words_and_importance_and_recent_use():
    terms = [Term("ATL-4471", 1, specific=True), Term("pump", 10)]
    (found,) = ranked(terms, fact(semantic=0.4, hits={0}, importance=0.8, recent=True))
    rare, common = math.log1p(FACTS / 1), math.log1p(FACTS / 10)
    lexical = rare / (rare + common)
    assert found.scores == {
        "semantic": 0.4, "lexical": round(lexical, 4), "importance": 0.8, "recent": 0.03,
    }  # fmt: skip
    assert found.score == pytest.approx(0.4 + 0.45 * lexical + 0.05 * 0.8 + 0.03)
    assert found.why == "the question names ATL-4471 and close in meaning to the question"


@pytest.mark.parametrize(("semantic", "there"), [(0.25, True), (0.2499, False), (None, False), (-1.0, False)])
def test_by_meaning_it_comes_up_from_a_quarter_on(semantic, there):
    assert bool(ranked([Term("what", 0)], fact(semantic=semantic))) is there


def test_words_that_name_nothing_bring_nothing_up_however_many_there_are():
    terms = [Term("team", 500), Term("plan", 400)]
    assert ranked(terms, fact(semantic=0.2, hits={0, 1})) == []


def test_what_is_named_comes_up_though_it_is_far_away_in_meaning():
    (found,) = ranked([Term("ATL-4471", 1, specific=True)], fact(semantic=-0.1, hits={0}))
    assert found.anchors == ("ATL-4471",)
    assert found.scores["lexical"] == 1.0


def test_a_name_among_much_that_is_asked_for_besides_is_not_enough():
    """One rare word of a long question whose other words stand in other facts."""
    terms = [Term("Otto", 3), *(Term(f"word{n}", 4) for n in range(9))]
    assert ranked(terms, fact(hits={0})) == []


@pytest.mark.parametrize(
    ("df", "facts", "rare"),
    [(0, 100, False), (1, 1, True), (1, 4, True), (2, 4, False), (2, 8, True), (3, 12, True), (3, 9_999, True)],
)
def test_a_word_is_rare_in_a_quarter_of_the_facts_and_in_three_at_most(df, facts, rare):
    assert bool(anchoring([Term("word", df)], facts)) is rare
    assert not anchoring([Term("word", 4)], facts)


@pytest.mark.parametrize("facts", [10, 1_000, 100_000])
def test_which_of_two_is_named_does_not_depend_on_how_many_facts_there_are(facts):
    terms = [Term("ATL-4471", 1, specific=True), Term("ATL-4478", 1, specific=True), Term("ticket", 9)]
    first, second = ranked(terms, fact(1, hits={0, 2}), fact(2, hits={1, 2}), facts=facts)
    assert (first.anchors, second.anchors) == (("ATL-4471",), ("ATL-4478",))
    assert first.scores["lexical"] == second.scores["lexical"] == 1.0  # two questions in one


def test_words_that_no_fact_holds_say_nothing_about_any():
    terms = [Term("ATL-4471", 1, specific=True), Term("pray", 0), Term("tell", 0)]
    assert coverage(terms, frozenset({0}), {0}, FACTS) == 1.0
    assert coverage([Term("pray", 0)], frozenset(), set(), FACTS) == 0.0


def test_the_best_comes_first_and_of_equal_ones_the_older():
    terms = [Term("x", 0)]
    found = ranked(terms, fact(3, semantic=0.3), fact(2, semantic=0.5), fact(1, semantic=0.3))
    assert [one.id.int for one in found] == [2, 1, 3]
