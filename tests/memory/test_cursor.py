"""The cursor loses nothing and repeats nothing, whatever commits late."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from django.db import connection

from memory import chats, cursor, sql
from memory.db import claim_scope, operator_scope
from memory.models import AuditLog, MemoryCursor, Profile, WorkItem, WorkKind
from tests.people import Person, person
from tests.processes import eventually

pytestmark = pytest.mark.usefixtures("database")


def tell(who: Person, text: str, **options: object) -> int:
    turn = chats.begin(profile_id=who.profile_id, messages=[{"role": "user", "content": text}], **options)
    return chats.finish(turn, chats.Answer(text="Noted."))


def items() -> int:
    with claim_scope():
        return WorkItem.objects.count()


def test_it_makes_one_item_of_each_chat():
    anna = person("anna")
    for n in range(3):
        tell(anna, f"I like number {n}.")
    assert cursor.tick(WorkKind.EXTRACT).items == 3
    assert cursor.tick(WorkKind.EXTRACT).items == 0
    assert items() == 3


def test_it_never_makes_work_of_what_was_said_without_consent():
    anna = person("anna", memory=False)
    tell(anna, "I like tea.")
    assert cursor.tick(WorkKind.EXTRACT).rows == 1
    assert items() == 0


def test_it_waits_for_a_chat_that_commits_late(database):
    anna = person("anna")
    tell(anna, "First.")
    cursor.tick(WorkKind.EXTRACT)
    with psycopg.connect(database.url("superuser")) as late:
        late.execute("SELECT set_config('session_replication_role', 'origin', false)")
        late.execute(
            "INSERT INTO audit_log (profile_id, event_type, actor, mine_facts, mine_summary, payload, said_at,"
            " conversation_id) SELECT profile_id, event_type, actor, true, true, payload, now(), conversation_id"
            " FROM audit_log WHERE event_type = 'chat.completed' LIMIT 1"
        )
        tell(anna, "Said later, committed first.")
        for _ in range(3):
            cursor.tick(WorkKind.EXTRACT)
        assert items() == 1  # the later one waits too, or the cursor would pass the open one
        (lag,) = [place for place in cursor.lag() if place.kind == "extract"]
        assert lag.rows == 1
        assert lag.blocked_by == late.info.backend_pid
    cursor.tick(WorkKind.EXTRACT)
    assert items() == 3


def test_it_loses_no_chat_of_many_writers_while_it_ticks():
    people = [person(f"p{n}") for n in range(6)]
    done = threading.Event()

    def ticking() -> None:
        try:
            while not done.is_set():
                cursor.tick(WorkKind.EXTRACT)
        finally:
            connection.close()

    def telling(who: Person) -> None:
        try:
            for n in range(25):
                tell(who, f"I like number {n}.")
        finally:
            connection.close()

    tickers = [threading.Thread(target=ticking) for _ in range(2)]
    writers = [threading.Thread(target=telling, args=(p,)) for p in people]
    [t.start() for t in (*tickers, *writers)]
    [t.join() for t in writers]
    done.set()
    [t.join() for t in tickers]
    cursor.tick(WorkKind.EXTRACT)
    assert items() == 6 * 25


def test_it_starts_over_without_repeating_where_the_cursor_is_lost():
    anna = person("anna")
    tell(anna, "I like tea.")
    cursor.tick(WorkKind.EXTRACT)
    with operator_scope():
        MemoryCursor.objects.all().delete()
    assert cursor.tick(WorkKind.EXTRACT).items == 0
    assert items() == 1


def test_it_is_not_upset_by_a_chat_that_is_removed_while_it_reads(database):
    anna = person("anna")
    gone = tell(anna, "I like tea.")
    tell(anna, "I like rice.")
    ticked = []

    def ticking() -> None:
        try:
            ticked.append(cursor.tick(WorkKind.EXTRACT))
        finally:
            connection.close()

    with psycopg.connect(database.url("superuser")) as removing:
        removing.execute("SET session_replication_role = replica")
        removing.execute("DELETE FROM audit_log WHERE id = %s", [gone])
        ticker = threading.Thread(target=ticking)
        ticker.start()
        eventually(lambda: removing.execute("SELECT FROM pg_locks WHERE NOT granted").fetchone() is not None)
    ticker.join()
    assert [t.items for t in ticked] == [1]
    assert items() == 1


def test_it_begins_to_read_at_its_place_and_not_at_the_beginning_of_the_log():
    with claim_scope(), connection.cursor() as db:
        db.execute("SET LOCAL enable_seqscan = off")
        db.execute("EXPLAIN " + sql.read("tick"), {"kind": "extract", "most": 500, "below": "9"})
        plan = [line.strip() for (line,) in db.fetchall()]
    (at,) = [n for n, line in enumerate(plan) if "audit_chats_in_commit_order" in line]
    assert plan[at + 1].startswith("Index Cond: ((ROW(xid, id) >")


def test_it_keeps_the_order_of_saying_though_the_clock_is_set_back():
    anna = person("anna")
    with operator_scope():
        Profile.objects.filter(id=anna.profile_id).update(last_said_at=datetime.now(UTC) + timedelta(hours=1))
    for n in range(3):
        tell(anna, f"I like number {n}.")
    with operator_scope():
        times = list(AuditLog.objects.filter(said_at__isnull=False).order_by("id").values_list("said_at", flat=True))
    assert times == sorted(set(times))
    assert times[0] > datetime.now(UTC) + timedelta(minutes=59)


def test_what_a_chat_is_read_for_appears_at_once_though_a_chat_commits_late(database):
    anna = person("anna")
    tell(anna, "First.")
    with psycopg.connect(database.url("superuser")) as late:
        late.execute("SELECT pg_current_xact_id()")
        tell(anna, "Said while another transaction is open.")
        cursor.tick(*WorkKind)
        with claim_scope():
            made = sorted(WorkItem.objects.values_list("audit_id", "kind"))
    assert len(made) == 2
    assert {kind for _, kind in made} == {"extract", "summarise"}
    cursor.tick(*WorkKind)
    assert items() == 4


def test_each_kind_is_looked_for_at_its_own_interval(settings):
    memory = settings.CAESAR.memory
    slow = memory.episodes_summarise.model_copy(update={"interval_seconds": 600.0})
    settings.CAESAR = settings.CAESAR.model_copy(
        update={"memory": memory.model_copy(update={"episodes_summarise": slow})}
    )
    assert cursor.ripe() == list(WorkKind)
    cursor.tick(*WorkKind)
    assert cursor.ripe() == []

    def ago(seconds: float) -> list[WorkKind]:
        with claim_scope():
            MemoryCursor.objects.update(ticked_at=datetime.now(UTC) - timedelta(seconds=seconds))
        return cursor.ripe()

    assert ago(20) == []
    assert ago(59) == [WorkKind.EXTRACT]
    assert ago(599) == list(WorkKind)


def test_nothing_is_looked_for_that_is_switched_off(settings):
    memory = settings.CAESAR.memory
    off = {
        name: getattr(memory, name).model_copy(update={"enabled": False})
        for name in ("facts_extract", "episodes_summarise")
    }
    settings.CAESAR = settings.CAESAR.model_copy(update={"memory": memory.model_copy(update=off)})
    assert cursor.ripe() == []
    anna = person("anna")
    tell(anna, "I like tea.")
    assert cursor.tick(*cursor.ripe()) == cursor.Ticked(0, 0)
    assert items() == 0
