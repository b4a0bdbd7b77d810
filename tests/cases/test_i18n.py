"""The person's own language, whatever language the model likes."""

from __future__ import annotations

import json
from typing import Any

import pytest
import regex

from memory import profiles
from tests.cases.conftest import World

SAID = "Olen kasvissyöjä ja asun Oulussa. Koirani nimi on Halla."
CJK = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")


def answer(diet: str, summary: str) -> dict[str, Any]:
    return {
        "facts": [
            {"key": "diet", "value": diet, "confidence": 0.92},
            {"key": "home_city", "value": "Oulu", "confidence": 0.95},
            {"key": "dog_name", "value": "Halla", "confidence": 0.95},
        ],
        "summary": summary,
    }


def test_a_value_in_a_script_that_the_person_never_wrote_waits_for_them(world: World):
    aino = world.someone("aino")
    aino.told(answer("素食主义者", "用户是素食主义者"), SAID, "Kiva, terveisiä Hallalle!")
    facts = aino.facts()
    assert sorted(f["value"] for f in facts) == ["Halla", "Oulu"]
    (waits,) = aino.facts(status="pending")
    assert waits["value"] == "素食主义者"
    assert "other_language" in waits["reasons"]
    assert not CJK.search(aino.given("Mitä minä syön?"))
    assert aino.http.get("/v1/work").json()["results"][0]["state"] == "done"
    episodes = aino.http.get("/v1/episodes").json()["results"]
    assert not CJK.search(json.dumps(episodes, ensure_ascii=False))


def test_a_translated_value_waits_too(world: World):
    aino = world.someone("aino")
    aino.told(answer("vegetarian", "The user is vegetarian."), SAID, "Kiva, terveisiä Hallalle!")
    assert sorted(f["value"] for f in aino.facts()) == ["Halla", "Oulu"]
    (waits,) = aino.facts(status="pending")
    assert waits["reasons"] == ["not_grounded"]


def test_the_model_is_told_to_keep_the_language(world: World):
    aino = world.someone("aino")
    aino.told(answer("kasvissyöjä", "s"), SAID, "Kiva!")
    request = "\n".join(str(m["content"]) for m in world.model.extractions[-1].messages)
    assert "in the person's own language" in request
    assert "never translated" in request
    profiles.update(profile_id=aino.who.profile_id, changes={"language": "fi"})
    aino.told(answer("kasvissyöjä", "s"), "Minulla on myös kissa.", "Kiva!")
    request = "\n".join(str(m["content"]) for m in world.model.extractions[-1].messages)
    assert "Language of the person: fi. Keep it." in request
    assert aino.held()["diet"] == "kasvissyöjä"


def test_a_word_of_another_script_that_the_person_wrote_themself_is_theirs(world: World):
    yuki = world.someone("yuki")
    raw = {
        "facts": [
            {"key": "device", "value": "ThinkPad", "confidence": 0.9},
            {"key": "food", "value": "寿司", "confidence": 0.9},
            {"key": "home_city", "value": "Kyoto", "confidence": 0.9},
        ]
    }
    yuki.told(raw, "ThinkPadを使っています。寿司が好きで、京都に住んでいます。")
    assert {"ThinkPad", "寿司"} <= {f["value"] for f in yuki.facts()}
    assert [f["value"] for f in yuki.facts(status="pending")] == ["Kyoto"]


DENSE = {
    "hobby": "週末はしりとりと登山をする",
    "allergy": "そばアレルギーがある",
    "device": "书房的设备清单里有一台NAS",
    "job": "오늘부터 번역을 맡았다",
    "plan": "go 部署 在星期五",
    "noise1": "今天天气很好",
    "noise2": "コーヒーが好き",
}


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("しりとり", "hobby"),
        ("登山", "hobby"),
        ("设备", "device"),
        ("번역", "job"),
        ("部署 deployment", "plan"),
        ("NAS", "device"),
    ],
)
def test_words_are_found_in_text_without_spaces(world: World, query: str, key: str):
    """No worker has made vectors: words alone find it."""
    hanae = world.someone("hanae")
    for name, value in DENSE.items():
        assert hanae.http.post("/v1/facts", json={"key": name, "value": value}).status_code == 201
    found = hanae.http.post("/v1/recall", json={"query": query, "kinds": ["facts"]}).json()["results"]
    assert DENSE[key] in found[0]["text"]
    block = hanae.http.post("/v1/context", json={"query": "そばは食べられる？"}).json()["block"]
    assert DENSE["allergy"] in block
