"""Values that change, come late or all at once: what was said last holds, and nothing is lost."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import httpx
import psycopg
import pytest
from django.db import connection, connections

from memory import facts
from memory.db import operator_scope, profile_scope
from memory.models import WorkItem
from tests.cases.conftest import Someone, World
from tests.cases.test_worker import Clock
from tests.scripted_model import Status, Text
from workers import tasks


def entries(*pairs: tuple[str, str], confidence: float = 0.95, **more: Any) -> dict[str, Any]:
    facts = [{"key": key, "value": value, "confidence": confidence, **more} for key, value in pairs]
    return {"facts": facts, "summary": "s"}


def the(who: Someone, key: str, **filters: Any) -> dict[str, Any]:
    (fact,) = who.facts(key=key, **filters)
    return fact


def history(who: Someone, key: str) -> list[dict[str, Any]]:
    """All values of a key, newest first."""
    fact = who.facts(key=key, include_superseded=True)[0]
    return list(who.http.get(f"/v1/facts/{fact['id']}/history").json()["results"])


def verb(who: Someone, fact: dict[str, Any], name: str, body: Any = None) -> httpx.Response:
    return who.http.post(f"/v1/facts/{fact['id']}/{name}", json=body or {})


def fresh(world: World, raw: Any) -> Any:
    """Forget the scripted replies so far, and hand on the next one."""
    world.model.reset()
    return raw


BORN_AND_LIVING = [("birth_year", "1978"), ("home_city", "Linz"), ("birth_year", "1987"), ("home_city", "Graz")]
LUKAS = (
    "I was born in 1987 and live in Graz.",
    "Graz is lovely.",
    "Sorry, typo: 1978, not 1987. And we moved to Linz in March, Graz is the old address.",
)


@pytest.mark.parametrize("order", [BORN_AND_LIVING, BORN_AND_LIVING[::-1]])
@pytest.mark.parametrize("turn_by_turn", [False, True])
def test_a_correction_inside_one_chat_leaves_one_value(world: World, order: Any, turn_by_turn: bool):
    lukas = world.someone("lukas")
    world.model.extraction(json.dumps(entries(*order)))
    if turn_by_turn:
        lukas.chat(*LUKAS[:2])
        world.work()
    lukas.chat(*LUKAS)
    world.work()
    assert lukas.held() == {"birth_year": "1978", "address.city": "Linz"}
    assert lukas.facts(status="pending") == []
    assert [f["value"] for f in history(lukas, "birth_year")] == ["1978", "1987"]
    given = lukas.given("Where do I live?")
    assert "Linz" in given
    assert "Graz" not in given


@pytest.mark.parametrize("order", [BORN_AND_LIVING, BORN_AND_LIVING[::-1]])
def test_a_correction_inside_one_chat_leaves_one_proposal(world: World, order: Any):
    lukas = world.someone("lukas", approval="review")
    lukas.told(entries(*order), *LUKAS)
    assert lukas.held() == {}
    assert lukas.held(status="pending") == {"birth_year": "1978", "address.city": "Linz"}


def test_one_of_several_is_added_and_lost_by_itself(world: World):
    ilse = world.someone("ilse")
    ilse.told(entries(("dog", "Pixel"), ("home_city", "Namur")), "My dog Pixel is 3. I live in Namur.")
    second = entries(("dog", "Byte"), ("language", "Dutch"), ("language", "French"))
    ilse.told(fresh(world, second), "We adopted a second dog, Byte! Also I speak Dutch and French.")
    both = {"dog.name": ["Byte", "Pixel"], "language": ["Dutch", "French"]}
    assert ilse.held() == {**both, "address.city": "Namur"}
    ilse.told(fresh(world, entries(("home_city", "Liege"))), "I moved to Liege last month.")
    assert ilse.held() == {**both, "address.city": "Liege"}
    liege, namur = history(ilse, "address.city")
    assert (namur["value"], namur["superseded_by"], liege["valid_to"]) == ("Namur", liege["id"], None)
    assert namur["valid_to"]
    ilse.told(fresh(world, entries(("dog", "Byte"))), "Sad news, Pixel died on Sunday.")
    held = ilse.held()
    assert "Byte" in held["dog.name"]
    assert "Pixel" in [f["value"] for f in history(ilse, "dog.name")]
    assert (held["language"], held["address.city"]) == (["Dutch", "French"], "Liege")
    # A model that says it outright closes the one, and no other.
    ilse.told(fresh(world, entries(("dog", "Pixel"), op="retract")), "As I said, Pixel died.")
    assert ilse.held() == {"dog.name": "Byte", "language": ["Dutch", "French"], "address.city": "Liege"}
    assert {f["value"]: f["valid_to"] is None for f in history(ilse, "dog.name")} == {"Byte": True, "Pixel": False}


def test_we_no_longer_have_a_dog(world: World):
    tom = world.someone("tom")
    tom.told(entries(("dog", "Pixel")), "My dog is called Pixel.")
    tom.told(fresh(world, entries(("dog", "dog"), op="retract")), "We no longer have a dog, sadly.")
    assert tom.held() == {}
    assert [f["value"] for f in history(tom, "dog.name")] == ["Pixel"]
    for name in ("Byte", "Rex"):
        tom.told(fresh(world, entries(("dog", name))), f"We have a new dog, {name}.")
    tom.told(fresh(world, entries(("dog", "dog"), op="retract")), "We no longer have a dog.")
    assert tom.held() == {"dog.name": ["Byte", "Rex"]}
    (asked,) = tom.facts(status="pending")
    assert (asked["op"], asked["reasons"]) == ("retract", ["several_fit"])
    beside = tom.http.get("/v1/facts/conflicts").json()["results"]
    assert sorted(pair["current"]["value"] for pair in beside) == ["Byte", "Rex"]
    assert verb(tom, asked, "approve", {"value": "Rex"}).status_code == 200
    assert tom.held() == {"dog.name": "Byte"}
    assert tom.facts(status="pending") == []


def test_a_hand_made_correction_outlives_every_reading(world: World):
    edda = world.someone("edda")
    edda.told(entries(("job", "nurse")), "I work as a nurse.")
    job = the(edda, "work.role")
    edited = edda.http.patch(f"/v1/facts/{job['id']}", json={"value": "midwife"})
    assert edited.status_code == 200
    (item,) = edda.work_items()
    world.model.extraction(json.dumps(entries(("job", "nurse"), confidence=0.99)))
    assert edda.http.post(f"/v1/work/{item['id']}/retry").status_code == 200
    world.work()
    edda.told(fresh(world, entries(("job", "nurse"), confidence=0.99)), "At work the nurses were great today.")
    assert edda.held() == {"work.role": "midwife"}
    given = edda.given("What do I do for a living?")
    assert "midwife" in given
    assert "nurse" not in given
    edda.told(fresh(world, entries(("job", "carpenter"))), "I changed careers, I am a carpenter now.")
    assert edda.held() == {"work.role": "midwife"}
    carpenter = next(f for f in edda.facts(status="pending") if f["value"] == "carpenter")
    assert carpenter["reasons"] == ["against_pinned"]
    pairs = edda.http.get("/v1/facts/conflicts").json()["results"]
    assert ("carpenter", "midwife") in [(p["proposed"]["value"], p["current"]["value"]) for p in pairs]
    assert verb(edda, carpenter, "approve").status_code == 200
    assert edda.held() == {"work.role": "carpenter"}
    assert [f["value"] for f in history(edda, "work.role")] == ["carpenter", "midwife", "nurse"]
    who = [(row["event_type"], row["actor"]) for row in edda.http.get("/v1/audit").json()["results"]]
    assert ("memory.fact.user_edited", "person") in who
    assert ("memory.fact.added", "worker") in who
    back = verb(edda, job, "revert").json()
    assert (back["value"], back["pinned"]) == ("midwife", True)
    assert edda.held() == {"work.role": "midwife"}


@pytest.fixture
def said_on(database: Any) -> Callable[[str], None]:
    """Moves the last chat to another day, as if it had been said then."""

    def move(day: str) -> None:
        at = datetime.fromisoformat(day).replace(hour=9, tzinfo=UTC)
        with psycopg.connect(database.url("superuser")) as raw:
            raw.execute("SET session_replication_role = replica")
            raw.execute("UPDATE audit_log SET said_at = %s WHERE id = (SELECT max(id) FROM audit_log)", [at])

    return move


def test_an_older_chat_that_is_read_late_replaces_nothing(world: World, said_on: Callable[[str], None]):
    arvo = world.someone("arvo")

    def holds() -> None:
        assert arvo.held() == {"work.employer": "Lumen Works"}
        given = arvo.given("Where do I work?")
        assert "Lumen Works" in given
        assert "Fjord" not in given

    def tell(text: str, employer: Any, day: str) -> None:
        world.model.reset()
        world.model.extraction(
            employer if isinstance(employer, Status) else json.dumps(entries(("employer", employer)))
        )
        arvo.chat(text)
        said_on(day)
        world.work()

    tell("I started at Lumen Works.", "Lumen Works", "2026-03-02")
    holds()
    tell("I work at Fjord Paper.", "Fjord Paper", "2024-05-10")
    holds()
    (fjord,) = history(arvo, "work.employer")[1:]
    assert fjord["valid_from"].startswith("2024-05-10")
    assert fjord["valid_to"].startswith("2026-03-02")
    tell("I'm at Fjord Paper till winter, then looking around.", Status(503, "down"), "2025-08-01")
    holds()
    world.model.reset()
    world.model.extraction(Text(json.dumps(entries(("employer", "Fjord Paper")))))
    Clock.wait()
    world.work()
    with operator_scope():
        assert set(WorkItem.objects.exclude(outcome="skipped").values_list("outcome", flat=True)) <= {
            "learned",
            "nothing",
            "summarised",
        }
    holds()
    (fjord,) = history(arvo, "work.employer")[1:]
    assert (fjord["first_seen_at"][:10], fjord["valid_to"][:10]) == ("2024-05-10", "2026-03-02")


def at_once(who: Someone, count: int) -> None:
    """So many workers take one conversation each; all have their answers before one of them writes."""

    def one(_: int) -> bool:
        try:
            return tasks.work_next(tasks.WorkKind.EXTRACT)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        with profile_scope(who.who.profile_id):
            facts.lock(who.who.profile_id)
            running = [pool.submit(one, n) for n in range(count)]
            deadline = time.monotonic() + 30
            while waiting() < count:
                assert time.monotonic() < deadline
                time.sleep(0.02)
        assert all(each.result() for each in running)


def waiting() -> int:
    """How many wait for the lock under which facts change."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        return int(cursor.fetchone()[0])


def test_the_same_thing_learned_eight_times_at_once_is_one_fact(world: World):
    vera = world.someone("vera")
    words = ["I really like oat milk.", *(f"I really like oat milk, {n} times." for n in range(7))]
    for text in words:
        vera.chat(text)
    tasks.cursor.tick(tasks.WorkKind.EXTRACT)
    world.model.extraction(json.dumps(entries(("drink", "oat milk"))))
    at_once(vera, 8)
    drink = the(vera, "drink")
    assert drink["value"] == "oat milk"
    assert len(vera.audit("memory.fact.added")) == 1
    assert len(vera.audit("memory.fact.confirmed")) == 7
    assert {item["state"] for item in vera.work_items()} == {"done"}


def test_the_last_of_eight_cities_holds_in_whatever_order_they_are_read(world: World):
    vera = world.someone("vera")
    cities = ["Oslo", "Riga", "Turku", "Gdansk", "Bergen", "Malmo", "Visby", "Narva"]
    world.model.on(
        lambda request: request.is_extraction,
        lambda request: json.dumps(entries(("home_city", next(c for c in cities if f"living in {c}" in request.text)))),
    )
    for turn in range(6):
        random.shuffle(cities)
        with operator_scope():
            done = WorkItem.objects.count()
        for city in cities:
            vera.chat(f"Since today I am living in {city}, round {turn}.")
        tasks.cursor.tick(tasks.WorkKind.EXTRACT)
        with operator_scope():
            assert WorkItem.objects.count() == done + 8
        at_once(vera, 8)
        assert vera.held() == {"address.city": cities[-1]}
        rows = history(vera, "address.city")
        assert sum(row["valid_to"] is None for row in rows) == 1
        assert all(row["superseded_by"] for row in rows[1:])
    with operator_scope():
        assert set(WorkItem.objects.values_list("state", flat=True)) == {"done"}


def test_one_of_two_edits_from_the_same_version_is_told_so(world: World):
    vera = world.someone("vera")
    made = vera.http.post("/v1/facts", json={"key": "dog.name", "value": "Beans"}).json()

    def edit(value: str) -> int:
        sent = {"value": value, "version": made["version"]}
        headers = vera.who.auth
        return httpx.patch(f"{world.web.url}/v1/facts/{made['id']}", json=sent, headers=headers, timeout=30).status_code

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(edit, ["X", "Y"])) == [200, 409]
    assert the(vera, "dog.name")["value"] in ("X", "Y")
    assert len(vera.audit("memory.fact.user_edited")) == 1


def test_the_first_eight_chats_of_somebody_new_make_one_profile(world: World):
    vera = world.someone("vera")

    def chat(n: int) -> int:
        headers = {**vera.who.auth, "X-Caesar-Profile": "brand-new"}
        sent = {"messages": [{"role": "user", "content": f"Hello number {n}, I am new here."}]}
        return httpx.post(f"{world.web.url}/v1/chat", json=sent, headers=headers, timeout=60).status_code

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(chat, range(8))) == [200] * 8
    theirs = {"X-Caesar-Profile": "brand-new"}
    rows = vera.http.get("/v1/audit", params={"event_type": "chat.completed"}, headers=theirs).json()["results"]
    assert len(rows) == 8
