"""Which past conversations fit: cosine x freshness x recall weight, and what names something."""

from __future__ import annotations

import math
import uuid
from typing import Any

import pytest

from memory.domain.ranking.episodes import EpisodeCandidate, RankedEpisode, rank
from memory.domain.ranking.facts import Term


def episode(
    n: int = 1, *, semantic: float | None = 0.9, hits: set[int] | None = None, days: float = 0, recalls: int = 0
) -> EpisodeCandidate:
    return EpisodeCandidate(uuid.UUID(int=n), semantic, frozenset(hits or ()), days, recalls)


def ranked(*candidates: EpisodeCandidate, terms: tuple[Term, ...] = (), **more: Any) -> list[RankedEpisode]:
    rules = {"halflife_days": 30.0, "recall_weight_scale": 0.25, "threshold": 0.45, "min_lexical": 0.34} | more
    return rank(terms, candidates, episodes=100, **rules)


@pytest.mark.parametrize(("days", "recalls"), [(0, 0), (3, 0), (0, 1), (10, 7), (30, 100)])
def test_the_score_is_nearness_times_freshness_times_recall_weight(days, recalls):
    (found,) = ranked(episode(semantic=0.9, days=days, recalls=recalls), threshold=0.0)
    freshness, weight = math.exp(-days / 30), 1 + 0.25 * math.log1p(recalls)
    assert found.score == pytest.approx(0.9 * freshness * weight)
    assert found.scores["freshness"] == pytest.approx(freshness, abs=1e-4)
    assert found.scores["recall_weight"] == pytest.approx(weight, abs=1e-4)
    assert found.why == "close in meaning to the question"


@pytest.mark.parametrize(("semantic", "there"), [(0.45, True), (0.4499, False), (None, False)])
def test_what_stays_below_the_threshold_does_not_come_up(semantic, there):
    assert bool(ranked(episode(semantic=semantic))) is there


def test_one_of_the_future_is_as_fresh_as_one_of_today():
    (found,) = ranked(episode(days=-5))
    assert found.score == pytest.approx(0.9)


def test_what_is_named_gets_a_second_chance_and_fades_all_the_same():
    terms = (Term("heating", 1),)
    (found,) = ranked(episode(semantic=0.3, hits={0}, days=3), terms=terms)
    assert found.score == pytest.approx((0.3 + 0.45) * math.exp(-3 / 30))
    assert found.why == "the question names heating"
    assert ranked(episode(semantic=0.3, hits={0}, days=30), terms=terms) == []
    assert ranked(episode(semantic=0.3, hits=set(), days=3), terms=terms) == []


def test_without_a_vector_words_alone_decide():
    (found,) = ranked(episode(semantic=None, hits={0}), terms=(Term("ATL-4471", 1, specific=True),))
    assert found.score == 1.0


def test_words_that_many_hold_give_no_second_chance():
    assert ranked(episode(semantic=0.3, hits={0}), terms=(Term("plan", 40),)) == []


def test_what_was_recalled_often_comes_before_what_is_as_near_and_as_old():
    often, never = episode(1, recalls=20), episode(2)
    assert [one.id.int for one in ranked(never, often)] == [1, 2]
