"""Recall by words alone in scripts that put none between words, in mixed ones, and in a language no model speaks."""

from __future__ import annotations

import pytest

from tests.cases.conftest import DIM, Someone, World
from tests.scripted_model import Vectors

FACTS = (
    ("hobby", "週末はしりとりと登山をする"),
    ("allergy", "そばアレルギーがある"),
    ("device", "书房的设备清单里有一台NAS"),
    ("job", "오늘부터 번역을 맡았다"),
    ("plan", "go 部署 在星期五"),
    ("noise1", "今天天气很好"),
    ("noise2", "コーヒーが好き"),
)
ASKED = {
    "しりとり": "しりとり",
    "登山": "登山",
    "设备": "NAS",
    "번역": "번역",
    "部署 deployment": "星期五",
    "NAS": "NAS",
}


@pytest.fixture
def hanae(recalling: World) -> Someone:
    recalling.model.embedding(Vectors(constant=[1.0] + [0.0] * (DIM - 1)))
    hanae = recalling.someone("hanae")
    hanae.knows(*FACTS)
    return hanae


def test_it_finds_words_that_stand_in_text_without_spaces(hanae: Someone):
    for query, words in ASKED.items():
        first, *others = hanae.recall(query, kinds=["facts"])
        assert words in first["text"], (query, first["text"])
        assert all(one["score"] < first["score"] for one in others), query
    assert "そばアレルギー" in hanae.given("そばは食べられる？")


def test_what_was_said_in_a_language_is_asked_for_in_it(world: World):
    aino = world.someone("aino")
    diet = {"key": "diet", "value": "kasvissyöjä", "confidence": 0.92}
    aino.told({"facts": [diet], "summary": "Aino on kasvissyöjä."}, "Olen kasvissyöjä ja asun Oulussa.", "Kiva!")
    assert "kasvissyöjä" in aino.given("Mitä minä syön?")
    for query in ("Kuka on kasvissyöjä?", "KASVISSYÖJÄ", "kasvissyo\u0308ja\u0308", "kasvissyojä"):
        first, *_ = aino.recall(query, kinds=["facts"])
        assert "kasvissyöjä" in first["text"]
        assert "names" in first["why"], query
