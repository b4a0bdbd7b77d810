"""Summaries of conversations: the person's language, no rubbish, one for each, whoever reads it and however often."""

from __future__ import annotations

import json
import threading
from typing import Any

import regex
from django.db import connection

from memory.db import operator_scope
from memory.models import EpisodeSummary, WorkKind
from tests.cases.conftest import Someone, World
from tests.scripted_model import Text
from workers import tasks

CJK = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")
FINNISH = "Olen kasvissyöjä ja asun Oulussa. Koirani nimi on Halla."


def episodes(who: Someone) -> list[dict[str, Any]]:
    answer = who.http.get("/v1/episodes")
    assert answer.status_code == 200, answer.text
    return list(answer.json()["results"])


def told(summary: str, *facts: tuple[str, str]) -> dict[str, Any]:
    return {"facts": [{"key": k, "value": v, "confidence": 0.95} for k, v in facts], "summary": summary}


def test_a_nul_in_a_summary_costs_nothing(world: World):
    hiro = world.someone("hiro")
    hiro.told(told("Office \u0000 talk", ("office_city", "Kobe")), "pasted: o\u0000ce hours 9-17, my office is in Kobe")
    (episode,) = episodes(hiro)
    assert episode["summary"] == "Office  talk"
    assert hiro.http.get("/v1/episodes?q=Office%00").status_code in (200, 400)
    assert {item["state"] for item in hiro.work_items("summarise")} == {"done"}


def test_no_summary_is_in_a_script_that_stands_nowhere_in_the_chat(world: World):
    aino = world.someone("aino")
    facts = [("diet", "素食主义者"), ("home_city", "Oulu"), ("dog_name", "Halla")]
    aino.told(told("用户是素食主义者", *facts), FINNISH, "Kiva, terveisiä Hallalle!")
    assert sorted(f["value"] for f in aino.facts()) == ["Halla", "Oulu"]
    assert episodes(aino) == []
    (item,) = aino.work_items("summarise")
    assert (item["outcome"], item["detail"]) == ("skipped", {"why": "another_script"})
    (skipped,) = aino.audit("memory.episode.summarise_skipped")
    assert skipped["payload"]["reason"] == "another_script"
    assert len(world.model.extractions) == 2
    assert not any(CJK.search(json.dumps(row, ensure_ascii=False)) for row in aino.audit("memory.episode.summarised"))


def test_the_model_is_told_to_write_the_summary_in_the_conversations_language(world: World):
    aino = world.someone("aino")
    aino.told(told("Puhuttiin koirasta."), FINNISH, "Kiva!")
    assert '"summary": one or two sentences, in the conversation\'s language' in world.model.extractions[-1].system
    assert [episode["summary"] for episode in episodes(aino)] == ["Puhuttiin koirasta."]


def test_one_slow_answer_and_many_wake_ups_make_one_summary(world: World):
    noor = world.someone("noor")
    reply = told("s", ("sport", "fencing"), ("team", "SK Brann"))
    world.model.extraction(Text(json.dumps(reply), delay=1.0))
    noor.chat("I just started fencing and I support SK Brann.", "Nice!")
    tasks.cursor.tick(*WorkKind)

    def wake_up(kind: WorkKind) -> None:
        try:
            tasks.work_next(kind)
        finally:
            connection.close()

    threads = [threading.Thread(target=wake_up, args=(kind,)) for kind in WorkKind for _ in range(3)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(world.model.extractions) == 1
    assert [episode["summary"] for episode in episodes(noor)] == ["s"]
    assert len(noor.audit("memory.episode.summarised")) == 1
    assert {f["value"] for f in noor.facts()} == {"fencing", "SK Brann"}
    assert {i["state"] for kind in WorkKind for i in noor.work_items(kind.value)} == {"done"}


def test_a_conversation_has_one_summary_however_it_is_sent(world: World):
    ada = world.someone("ada")
    history: list[dict[str, Any]] = []
    for n in range(4):
        history.append({"role": "user", "content": f"I play the viola in room {n} each week."})
        world.model.reset()
        ada.told(told(f"They play in {n + 1} rooms."), *history)
        history.append({"role": "assistant", "content": "ok"})
    (episode,) = episodes(ada)
    assert episode["summary"] == "They play in 4 rooms."
    assert len(episode["source_audit_ids"]) == 4
    with operator_scope():
        assert EpisodeSummary.objects.count() == 1
