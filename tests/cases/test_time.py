"""When something was said, where, and when it was processed are three things."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memory import profiles
from tests.cases.conftest import Someone, World
from tests.cases.past import said


def fact(key: str, value: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "value": value, "confidence": 0.9, **more}


def reply(*facts: dict[str, Any]) -> str:
    return json.dumps({"facts": list(facts), "summary": "s"})


def living_in(world: World, name: str, zone: str, language: str = "") -> Someone:
    who = world.someone(name)
    profiles.update(profile_id=who.who.profile_id, changes={"timezone": zone, "language": language})
    return who


def asked(world: World) -> str:
    """What the reading model was asked last."""
    return "\n".join(str(m["content"]) for m in world.model.extractions[-1].messages)


def test_it_works_dates_out_from_the_day_on_which_it_was_said(world: World):
    dora = living_in(world, "dora", "America/Los_Angeles")
    world.model.extraction(reply(fact("injury", "broke wrist yesterday"), fact("work.start_date", "next Monday")))
    said(dora.who, "2025-12-31T07:30:00+00:00", "I broke my wrist yesterday and my new job starts next Monday.")
    world.work()
    request = asked(world)
    assert "Tuesday 2025-12-30 23:30" in request
    assert f"{datetime.now(UTC):%Y-%m-%d}" not in request
    texts = {f["key"]: f["text"] for f in dora.facts()}
    assert set(texts) == {"injury", "work.start_date"}
    assert all("said on 2025-12-30" in text for text in texts.values())
    given = dora.given("What about my wrist, and when do I start?")
    assert "broke wrist yesterday (said on 2025-12-30)" in given
    assert "next Monday (said on 2025-12-30)" in given


def test_it_accepts_the_dates_that_a_model_works_out_and_no_others(world: World):
    dora = living_in(world, "dora", "America/Los_Angeles")
    text = "I broke my wrist yesterday and my new job starts next Monday."
    world.model.extraction(
        reply(
            fact("injury", "broken wrist 2025-12-29"),
            fact("work.start_date", "2026-01-05", valid_from="2026-01-05"),
            fact("wrist.date", "2026-01-04"),  # yesterday, counted from the day of processing
        )
    )
    said(dora.who, "2025-12-31T07:30:00+00:00", text)
    world.work()
    held = {f["key"]: f for f in dora.facts()}
    assert set(held) == {"injury", "work.start_date"}
    assert held["work.start_date"]["valid_from"] == "2026-01-05T08:00:00Z"  # midnight in Los Angeles
    assert held["injury"]["valid_from"] == "2025-12-31T07:30:00Z"
    assert [f["key"] for f in dora.facts(status="pending")] == ["wrist.date"]


@pytest.mark.parametrize(
    ("zone", "at", "local"),
    [
        ("Pacific/Tongatapu", "2025-12-31T11:30:00+00:00", "Thursday 2026-01-01 00:30"),
        ("Pacific/Kiritimati", "2025-12-31T10:00:00+00:00", "Thursday 2026-01-01 00:00"),
        ("Pacific/Pago_Pago", "2026-01-01T10:59:00+00:00", "Wednesday 2025-12-31 23:59"),
        ("Asia/Kolkata", "2025-12-31T18:29:00+00:00", "Wednesday 2025-12-31 23:59"),
        ("Asia/Kolkata", "2025-12-31T18:30:00+00:00", "Thursday 2026-01-01 00:00"),
        ("Asia/Kathmandu", "2025-12-31T18:15:00+00:00", "Thursday 2026-01-01 00:00"),
        # Clocks go forward: there is no 02:30 that night.
        ("America/New_York", "2026-03-08T06:59:00+00:00", "Sunday 2026-03-08 01:59"),
        ("America/New_York", "2026-03-08T07:00:00+00:00", "Sunday 2026-03-08 03:00"),
        # Clocks go back: 01:30 is there twice.
        ("America/New_York", "2026-11-01T05:30:00+00:00", "Sunday 2026-11-01 01:30"),
        ("America/New_York", "2026-11-01T06:30:00+00:00", "Sunday 2026-11-01 01:30"),
        ("Asia/Beirut", "2021-03-27T22:00:00+00:00", "Sunday 2021-03-28 01:00"),
        ("Australia/Lord_Howe", "2025-12-31T13:00:00+00:00", "Thursday 2026-01-01 00:00"),
        ("UTC", "2025-12-31T23:59:00+00:00", "Wednesday 2025-12-31 23:59"),
    ],
)
def test_it_counts_days_where_the_person_is(world: World, zone: str, at: str, local: str):
    who = living_in(world, "tevita", zone)
    world.model.extraction(reply(fact("injury", "broke wrist yesterday")))
    said(who.who, at, "I broke my wrist yesterday.")
    world.work()
    request = asked(world)
    assert f"{local} ({zone})" in request
    (known,) = who.facts()
    day = datetime.fromisoformat(at).astimezone(ZoneInfo(zone)).date()
    assert f"said on {day}" in known["text"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I broke my wrist yesterday.", "broke wrist yesterday"),
        ("Ich habe mir gestern das Handgelenk gebrochen.", "gestern das Handgelenk gebrochen"),
        ("Mein neuer Job fängt morgen an.", "fängt morgen an"),
        ("Je me suis cassé le poignet hier.", "cassé le poignet hier"),
        ("Me rompí la muñeca ayer.", "rompí la muñeca ayer"),
        ("Ieri mi sono rotto il polso.", "ieri rotto il polso"),
        ("Quebrei o pulso ontem.", "quebrei o pulso ontem"),
        ("Ik heb gisteren mijn pols gebroken.", "gisteren mijn pols gebroken"),
        ("Jag bröt handleden igår.", "bröt handleden igår"),
        ("Mursin ranteeni eilen.", "mursin ranteeni eilen"),
        ("Murdsin eile oma randme.", "murdsin eile oma randme"),
        ("Я вчера сломал запястье.", "вчера сломал запястье"),
        ("昨日手首を折りました。", "昨日手首を折りました"),
        ("我昨天摔断了手腕。", "昨天摔断了手腕"),
        ("어제 손목이 부러졌어요.", "어제 손목이 부러졌어요"),
    ],
)
def test_it_says_when_a_day_was_meant_in_every_language(world: World, text: str, value: str):
    who = living_in(world, "dora", "Europe/Tallinn")
    world.model.extraction(reply(fact("injury", value)))
    said(who.who, "2025-12-30T22:30:00+00:00", text)  # the 31st in Tallinn
    world.work()
    (known,) = [*who.facts(), *who.facts(status="pending")]
    assert known["text"].count("(said on 2025-12-31)") == 1
    assert known["value"] == value


def test_turns_of_several_days_are_read_with_their_own_days(world: World):
    dora = living_in(world, "dora", "America/Los_Angeles")
    world.model.extraction(reply(fact("injury", "fell yesterday"), fact("work.start_date", "starts tomorrow")))
    said(dora.who, "2025-12-27T06:30:00+00:00", "I fell yesterday.", conversation_id="c")
    said(dora.who, "2025-12-31T07:30:00+00:00", "My job starts tomorrow.", conversation_id="c")
    world.work()
    assert len(world.model.extractions) == 1
    assert '"date": "Friday 2025-12-26"' in asked(world)
    texts = {f["key"]: f["text"] for f in dora.facts()}
    assert "said on 2025-12-26" in texts["injury"]
    assert "said on 2025-12-30" in texts["work.start_date"]


def test_an_older_chat_that_is_read_later_never_replaces_what_was_said_since(world: World):
    arvo = world.someone("arvo")

    def read(at: str, text: str, employer: str) -> None:
        world.model.extraction(reply(fact("work.employer", employer)))
        said(arvo.who, at, text)
        world.work()
        assert arvo.held()["work.employer"] == "Lumen Works"

    read("2026-03-02T10:00:00+00:00", "I started at Lumen Works.", "Lumen Works")
    read("2024-05-10T10:00:00+00:00", "I work at Fjord Paper.", "Fjord Paper")
    read("2025-08-01T10:00:00+00:00", "I'm at Fjord Paper till winter, then looking around.", "Fjord Paper")
    given = arvo.given("Where do I work?")
    assert "Lumen Works" in given
    assert "Fjord" not in given
    past = [f for f in arvo.facts(include_superseded="true") if f["value"] == "Fjord Paper"]
    assert len(past) in (1, 2)
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    for row in past:
        assert row["valid_to"] <= "2026-03-02T10:00:00Z"
        assert row["first_seen_at"][:10] in ("2024-05-10", "2025-08-01")  # when it was said
        assert row["created_at"][:10] == today  # when it was stored
    assert min(row["first_seen_at"] for row in past).startswith("2024-05-10")
