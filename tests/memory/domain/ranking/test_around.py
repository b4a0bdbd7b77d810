import numpy as np
import pytest

from memory.domain.ranking.around import AROUND, Holders, Places, brevity, coverage, rarity


def holders(*places, length=36):
    """Of (conversation, position)."""
    columns = np.array(places, np.int64).reshape(-1, 2).T
    return Holders(columns[0], columns[1], np.full(len(places), length, np.int64))


def test_a_rare_term_tells_more_and_a_count_beyond_the_profile_does_no_harm():
    few, half, all_, more = rarity([1, 50, 100, 500], 100)
    assert few > half > all_ == more > 0


def test_a_word_counts_half_in_a_passage_of_36_terms():
    assert brevity(np.array([0, 36, 360])).tolist() == pytest.approx([1, 0.5, 1 / 11])


def test_a_word_counts_less_the_farther_away_it_stands_and_not_in_another_conversation():
    places = Places([holders((7, 10))])
    near = places.near(np.full(7, 7), np.arange(7, 14))[0]
    one, two = 0.5 * AROUND[1], 0.5 * AROUND[2]
    assert near.tolist() == pytest.approx([0, two, one, 0.5 * AROUND[0], one, two, 0])
    assert places.near(np.array([6, 8]), np.array([10, 10])).tolist() == [[0, 0]]


def test_the_beginning_of_a_conversation_borrows_nothing_from_the_end_of_the_one_before():
    places = Places([holders((1, 0))])
    assert places.near(np.array([0, 0, 2]), np.array([2**31, 0, 0])).tolist() == [[0, 0, 0]]
    assert places.near(np.array([1]), np.array([1]))[0, 0] > 0


def test_of_several_parts_of_a_message_the_shortest_counts():
    places = Places([Holders(np.array([1, 1]), np.array([4, 4]), np.array([360, 36]))])
    assert places.near(np.array([1]), np.array([4]))[0, 0] == pytest.approx(0.5 * AROUND[0])


def test_a_term_that_too_many_hold_is_found_nowhere():
    places = Places([None, holders((1, 5))])
    near = places.near(np.array([1]), np.array([5]))
    assert near[0, 0] == 0
    assert near[1, 0] > 0


def test_coverage_is_the_share_of_what_is_asked_for():
    weights = np.array([3.0, 1.0], np.float32)
    holds = np.array([[True, True], [True, False], [False, False]])
    near = np.array([[0, 0.4, 0], [0, 0.4, 0.4]], np.float32)
    own, around = coverage(weights, holds, np.zeros(3, np.int64), near)
    assert own.tolist() == pytest.approx([1, 0.75, 0])
    assert around.tolist() == pytest.approx([0, 0.1, 0.1])


def test_a_question_without_a_word_covers_nothing():
    own, around = coverage(np.empty(0, np.float32), np.empty((2, 0), bool), np.ones(2, np.int64), np.empty((0, 2)))
    assert own.tolist() == around.tolist() == [0, 0]


def test_the_best_places_hold_most_of_the_question_or_lie_beside_it():
    places = Places([holders((1, 10), (2, 3)), holders((1, 12), (3, 3)), None])
    conversation, position = places.best(np.array([1, 1, 5], np.float32), 3)
    assert set(zip(conversation.tolist(), position.tolist(), strict=True)) == {(1, 10), (1, 11), (1, 12)}


def test_the_best_places_of_a_question_without_holders_are_none():
    for places in (Places([]), Places([None]), Places([holders()])):
        conversation, position = places.best(np.ones(len(places.counts), np.float32), 5)
        assert len(conversation) == len(position) == 0
        assert places.near(np.array([1]), np.array([1])).shape == (len(places.counts), 1)
