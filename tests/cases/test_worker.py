"""What happens around a reading: broken characters, providers that fail in every way, and nothing lost."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from memory.db import claim_scope, operator_scope
from memory.models import AuditLog, ModelPause, WorkItem
from tests.cases.conftest import World
from tests.scripted_model import Hang, Status, Text


def fact(key: str, value: str) -> str:
    return json.dumps({"facts": [{"key": key, "value": value, "confidence": 0.95}], "summary": "s"})


def test_it_lives_with_a_nul_character_anywhere(world: World):
    hiro = world.someone("hiro")
    raw = (
        '{"facts":[{"key":"office_city","value":"Kobe","confidence":0.9},{"key":"office_hours",'
        '"value":"o\\u0000ce hours 9-17","confidence":0.9},{"key":"pet","value":"tortoise","confidence":0.8}],'
        '"summary":"Office \\u0000 talk"}'
    )
    hiro.told(raw, "pasted from PDF: o\u0000ce hours 9-17, my office is in Kobe and my pet is a tortoise")
    values = [f["value"] for f in hiro.facts() + hiro.facts(status="pending")]
    assert {"Kobe", "tortoise"} <= set(values)
    (item,) = hiro.work_items()
    assert item["state"] == "done"
    with operator_scope():
        stored = json.dumps([row.payload for row in AuditLog.objects.all()]) + json.dumps(values)
    assert "\\u0000" not in stored
    for query in ("%00", "Kobe%00"):
        answer = hiro.http.get(f"/v1/facts?q={query}")
        assert answer.status_code in (200, 400)


class Clock:
    """Lets the pauses and waits that the rows hold be over."""

    @staticmethod
    def wait() -> None:
        past = datetime.now(UTC) - timedelta(seconds=1)
        with claim_scope():
            ModelPause.objects.update(until=past)
        with operator_scope():
            WorkItem.objects.filter(state="waiting").update(not_before=past)


def test_it_loses_no_chat_to_a_provider_that_fails_in_every_way(world: World, settings: Any):
    people = [world.someone(f"p{n}") for n in range(5)]
    for who in people:
        for n in range(4):
            who.chat(f"My lucky number is {n} and my name is {who.who.user_id}.")

    def calls() -> int:
        return len(world.model.extractions)

    world.model.extraction(Status(429, "slow down", headers={"Retry-After": "20"}))
    world.work()
    world.work()
    assert calls() == 1  # the whole route rests as long as it was asked to
    with claim_scope():
        assert ModelPause.objects.get().until > datetime.now(UTC) + timedelta(seconds=15)
    later = (datetime.now(UTC) + timedelta(seconds=90)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    world.model.extraction(Status(429, "slow down", headers={"Retry-After": later}))
    Clock.wait()
    world.work()
    with claim_scope():
        assert ModelPause.objects.get().until > datetime.now(UTC) + timedelta(seconds=80)
    ours = settings.CAESAR.llm
    settings.CAESAR.llm = ours.model_copy(update={"timeout_seconds": 0.3})
    world.model.extraction(Hang())
    Clock.wait()
    world.work()
    settings.CAESAR.llm = ours
    for trouble in (Status(503, "down"), Status(500, "boom")):
        world.model.extraction(trouble)
        Clock.wait()
        world.work()
    with operator_scope():
        assert not WorkItem.objects.filter(state="dead").exists()
    world.model.extraction(Status(401, "key expired"))
    before = calls()
    for _ in range(80):
        Clock.wait()
        world.work()
    assert calls() - before <= 20 * 3
    with operator_scope():
        dead = WorkItem.objects.filter(state="dead")
        assert {item.error_code for item in dead} == {"model_misconfigured"}
    answers = [who.http.post("/v1/chat", json={"messages": [{"role": "user", "content": "Hi"}]}) for who in people]
    assert [a.status_code for a in answers] == [200] * 5
    world.model.reset()
    world.model.extraction(Text(fact("lucky_number", "3")))
    Clock.wait()
    for who in people:
        for item in [*who.work_items(), *who.work_items("summarise")]:
            if item["state"] == "dead":
                assert who.http.post(f"/v1/work/{item['id']}/retry").status_code == 200
    world.work()
    with operator_scope():
        assert set(WorkItem.objects.values_list("state", flat=True)) == {"done"}
