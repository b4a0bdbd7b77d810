from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.domain.ranking.around import Holders, Places, rarity
from memory.domain.ranking.asked import Asked, read
from memory.domain.ranking.passages import Candidates, Weights, score, shortlist, told
from memory.domain.ranking.periods import Period
from memory.domain.terms import tokens

TODAY = date(2023, 10, 25)


def candidates(*rows, **columns):
    """Rows of the same conversation, five messages apart, unless the columns say otherwise."""
    count = max([len(rows), *(len(column) for column in columns.values())])
    default = {
        "cosine": np.zeros(count, np.float32),
        "holds": np.zeros((count, 0), bool),
        "conversation": np.zeros(count, np.int64),
        "position": np.arange(count) * 5,
        "length": np.full(count, 10, np.int64),
        "by_assistant": np.zeros(count, bool),
        "speaker": [""] * count,
        "day": np.full(count, TODAY.toordinal(), np.int64),
        "fact": np.full(count, np.nan, np.float32),
    }
    return Candidates(**default | {name: _array(name, column) for name, column in columns.items()})


def _array(name, column):
    return column if name == "speaker" else np.array(column)


def scored(asked, found, df=(), holders=()):
    return score(asked, found, rarity(df, 100), Places(list(holders) or [None] * len(df)))


def search(question, texts, **columns):
    """The texts as a conversation of their own each, ranked by words alone."""
    asked = read(question, today=TODAY)
    held = [[word in tokens(text) for word in asked.words] for text in texts]
    found = candidates(
        holds=np.array(held, bool).reshape(len(texts), len(asked.words)),
        conversation=range(len(texts)),
        length=[len(tokens(text)) for text in texts],
        **columns,
    )
    df = [sum(row[n] for row in held) for n in range(len(asked.words))]
    scores = score(asked, found, rarity(df, len(texts)), Places([None] * len(asked.words)))
    order, _ = told(asked, scores, found, shortlist(scores, found), texts)
    return [texts[place] for place in order]


def test_what_is_nearer_in_meaning_comes_first():
    scores = scored(Asked("x", ()), candidates(cosine=[0.2, 0.6, 0.4]))
    assert np.argsort(-scores.total).tolist() == [1, 2, 0]
    assert scores.of(1)["semantic"] == pytest.approx(0.6)


def test_a_passage_without_a_vector_counts_as_far_away_as_the_farthest():
    assert scored(Asked("x", ()), candidates(cosine=[0.5, np.nan, 0.3])).parts["semantic"].tolist() == pytest.approx(
        [0.5, 0.3, 0.3]
    )
    assert scored(Asked("x", ()), candidates(cosine=[np.nan])).total.tolist() == [pytest.approx(Weights().person)]


def test_a_fact_that_was_taught_by_a_passage_is_another_key_to_it():
    found = candidates(cosine=[0.2, np.nan, 0.5])
    found = Candidates(**vars(found) | {"fact": np.array([0.6, 0.1, np.nan], np.float32)})
    parts = scored(Asked("x", ()), found).parts
    assert parts["semantic"].tolist() == pytest.approx([0.2, 0.2, 0.5])
    assert parts["fact"].tolist() == pytest.approx([0.4, 0.0, 0.0])


def test_a_rarer_word_counts_more_and_words_count_more_where_something_is_looked_up():
    asked = Asked("x", ("rare", "common"))
    found = candidates(holds=[[True, False], [False, True]])
    plain = scored(asked, found, df=[1, 60]).parts["lexical"]
    assert plain[0] > plain[1] > 0
    looked_up = scored(Asked("x?", asked.words, looks_up=True), found, df=[1, 60]).parts["lexical"]
    assert looked_up.tolist() == pytest.approx((plain * Weights().look_up).tolist())


def test_an_answer_shares_in_the_words_of_its_question():
    asked = Asked("x", ("read",))
    found = candidates(holds=[[True], [False], [False]], position=[0, 1, 9])
    holders = [Holders(np.array([0]), np.array([0]), np.array([10]))]
    scores = scored(asked, found, df=[1], holders=holders)
    assert scores.parts["around"][1] > 0
    assert scores.parts["around"][[0, 2]].tolist() == [0, 0]
    assert scores.total[0] > scores.total[1] > scores.total[2]


def test_the_speaker_who_is_named_comes_first_but_not_where_two_are():
    found = candidates(speaker=["Bob", "Ada"])
    assert scored(Asked("x", (), speakers=frozenset({"Ada"})), found).parts["speaker"].tolist() == pytest.approx(
        [0, 0.3]
    )
    assert not scored(Asked("x", (), speakers=frozenset({"Ada", "Bob"})), found).parts["speaker"].any()


def test_what_was_said_on_a_named_day_comes_first():
    day = date(2023, 5, 7)
    asked = Asked("x", (), periods=(Period(day, day),))
    assert scored(asked, candidates(day=[day.toordinal(), TODAY.toordinal()])).parts["time"].tolist() == pytest.approx(
        [Weights().time, 0]
    )


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (Asked("x", ()), [Weights().person, 0]),
        (Asked("x", (), of_assistant=True), [0, 0]),
        (Asked("x", (), speakers=frozenset({"Ada"})), [0, 0]),
    ],
)
def test_the_persons_own_words_come_first_unless_others_are_asked_for(asked, expected):
    found = candidates(by_assistant=[False, True])
    assert scored(asked, found).parts["person"].tolist() == pytest.approx(expected)


def test_who_tells_of_themselves_comes_first_but_the_assistant_never_does():
    found = candidates(cosine=[0.3, 0.3, 0.3], by_assistant=[False, False, True])
    asked = Asked("x", ())
    scores = scored(asked, found)
    order, final = told(asked, scores, found, np.array([0, 1, 2]), ["Is it cold?", "I am cold", "I am cold"])
    assert order.tolist() == [1, 0, 2]
    assert final.parts["tells"].tolist() == pytest.approx([0, Weights().tells, 0])
    _, named = told(
        Asked("x", (), speakers=frozenset({"Bob"})),
        scores,
        candidates(by_assistant=[True, True], speaker=["Bob", ""]),
        np.array([0, 1]),
        ["I am cold"] * 2,
    )
    assert named.parts["tells"].tolist() == pytest.approx([Weights().tells, 0, 0])
    _, other = told(Asked("x", (), of_assistant=True), scores, found, np.array([1]), ["I am cold"])
    assert not other.parts["tells"].any()


def test_of_a_message_only_the_best_part_is_shown():
    found = candidates(cosine=[0.1, 0.5, 0.4, 0.3], position=[3, 3, 4, 3], conversation=[0, 0, 0, 1])
    assert shortlist(scored(Asked("x", ()), found), found).tolist() == [1, 2, 3]
    assert shortlist(scored(Asked("x", ()), found), found, most=1).tolist() == [1]


def test_the_parts_of_a_score_add_up():
    found = candidates(cosine=[0.4], holds=[[True]], speaker=["Ada"])
    scores = scored(Asked("x?", ("a",), speakers=frozenset({"Ada"}), looks_up=True), found, df=[3])
    assert sum(scores.of(0).values()) == pytest.approx(float(scores.total[0]), abs=1e-3)


@pytest.mark.parametrize(
    "question", ["what was ATL-4471 about?", "ATL 4471", "ticket ATL\u20114471", "(ATL-4471)?", "atl-4471"]
)
def test_by_words_alone_the_very_identifier_comes_first(question):
    texts = [f"Ticket ATL-{n}: pump seal leaks at station {n % 7}" for n in range(4461, 4481)]
    texts.append("Ticket ATL-44710: unrelated lamp")
    assert search(question, texts)[0] == "Ticket ATL-4471: pump seal leaks at station 5"


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("しりとり", "週末はしりとりと登山をする"),
        ("登山", "週末はしりとりと登山をする"),
        ("设备", "书房的设备清单里有一台NAS"),
        ("번역", "오늘부터 번역을 맡았다"),
        ("部署 deployment", "go 部署 在星期五"),
        ("NAS", "书房的设备清单里有一台NAS"),
        ("そばは食べられる？", "そばアレルギーがある"),
    ],
)
def test_by_words_alone_it_finds_texts_without_spaces(question, first):
    texts = [
        "今天天气很好",
        "コーヒーが好き",
        "週末はしりとりと登山をする",
        "そばアレルギーがある",
        "书房的设备清单里有一台NAS",
        "오늘부터 번역을 맡았다",
        "go 部署 在星期五",
    ]
    assert search(question, texts)[0] == first


@settings(max_examples=50)
@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=6))
def test_it_ranks_anything(question, texts):
    assert sorted(search(question, texts)) == sorted(texts)
