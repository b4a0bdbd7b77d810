"""Retention: what is old goes with what was made of it, facts stay, and nobody waits for it."""

from __future__ import annotations

import json
import threading
import uuid
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.utils import DatabaseError

from memory import audit, chats, cursor, facts, passages, sweep, sweep_plan
from memory.db import operator_scope, profile_scope
from memory.models import (
    AuditLog,
    Conversation,
    EmbedQueue,
    EpisodeSummary,
    Event,
    Fact,
    FactSource,
    MessageHash,
    OffRecord,
    Passage,
    WorkItem,
    WorkKind,
)
from tests import everywhere
from tests.memory.test_cursor import tell
from tests.memory.test_extract import reply
from tests.people import Person, person
from tests.scripted_model import ScriptedModel
from workers import sweeping, tasks

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

pytestmark = pytest.mark.usefixtures("database")
OLD = timedelta(days=91)


@pytest.fixture
def anna() -> Person:
    return person("anna")


@pytest.fixture(autouse=True)
def pieces(settings: Any) -> None:
    semantic = settings.CAESAR.semantic.model_copy(update={"enabled": True})
    settings.CAESAR = settings.CAESAR.model_copy(update={"semantic": semantic})


def age(cluster: Postgres, by: timedelta = OLD, *, up_to: int | None = None, who: Person | None = None) -> None:
    """Let what was written so far (up to a row) be so much older."""
    where = "id <= coalesce(%s, id) AND profile_id IS NOT DISTINCT FROM coalesce(%s, profile_id)"
    with psycopg.connect(cluster.url("superuser"), autocommit=True) as link:
        link.execute("SET session_replication_role = replica")
        link.execute(f"UPDATE audit_log SET at = at - %s WHERE {where}", [by, up_to, who and who.profile_id])
        link.execute("UPDATE off_record SET at = at - %s", [by])


def learned(who: Person, model: ScriptedModel, text: str, value: str, *, conversation: str, summary: str) -> int:
    model.reset()
    entry = {"key": "dog.name", "value": value, "confidence": 0.9}
    model.extraction(json.dumps({"facts": [entry], "summary": summary}))
    audit_id = tell(who, text, conversation_id=conversation)
    tasks.drain()
    passages.index_due()
    return audit_id


def left(who: Person) -> dict[str, int]:
    found = (Conversation, MessageHash, EpisodeSummary, Passage, WorkItem, FactSource, OffRecord)
    with profile_scope(who.profile_id):
        counts = {model.__name__: model._default_manager.count() for model in found}
        counts["chats"] = AuditLog.objects.filter(event_type=Event.CHAT_COMPLETED).count()
    return counts


def sweeps(who: Person | None) -> list[dict[str, Any]]:
    with operator_scope():
        rows = AuditLog.objects.filter(event_type=Event.RETENTION_SWEEP, profile_id=who.profile_id if who else None)
        rows = rows if who else AuditLog.objects.filter(event_type=Event.RETENTION_SWEEP, profile__isnull=True)
        return list(rows.order_by("id").values_list("payload", flat=True))


def test_a_fact_outlives_all_that_its_chat_left_behind(anna, model, database):
    learned(anna, model, "My dog is Zanzibar.", "Zanzibar", conversation="one", summary="Of zanzibar and dogs.")
    tell(anna, "Off the record: zanzibar.", memory_on=False)
    before = left(anna)
    assert all(before[name] for name in ("Passage", "EpisodeSummary", "WorkItem", "FactSource", "OffRecord")), before
    age(database)
    done = sweep.sweep()
    assert (done.profiles, done.failed, done.chats, done.unread, done.unfinished) == (1, 0, 2, 0, False)
    assert set(left(anna).values()) == {0}
    with profile_scope(anna.profile_id):
        fact = Fact.objects.get()
        assert EmbedQueue.objects.exclude(owner_id=fact.id).count() == 0
    assert (fact.state, fact.value, fact.source_audit_id, fact.quote) == (
        "current",
        "Zanzibar",
        None,
        "My dog is Zanzibar.",
    )
    places = {place.partition(".")[0] for place in everywhere.in_tables(database, "zanzibar")}
    assert places == {"personal_facts", "fact_entities"}
    (told,) = sweeps(anna)
    assert (told["chats"], told["rows"]["episode_summaries"], told["rows"]["off_record"]) == (2, 1, 2)
    (all_told,) = sweeps(None)
    assert (all_told["profiles"], all_told["failed"], all_told["chats"]) == (1, 0, 2)


def test_it_leaves_what_is_younger_in_peace(anna, model, database):
    old = learned(anna, model, "My dog is Beans.", "Beans", conversation="one", summary="Of Beans.")
    with operator_scope():
        young = AuditLog.objects.order_by("-id")[0].id
    learned(anna, model, "My dog is Moss.", "Moss", conversation="one", summary="Of Beans and Moss.")
    newest = learned(anna, model, "My dog is Fern.", "Fern", conversation="two", summary="Of Fern.")
    age(database, up_to=young)
    before = left(anna)
    done = sweep.sweep()
    assert (done.chats, done.rows["episode_summaries"], done.rows["conversations"]) == (1, 0, 0)
    after = left(anna)
    assert after["chats"] == before["chats"] - 1 == 2
    assert (after["Conversation"], after["EpisodeSummary"], after["MessageHash"]) == (2, 2, before["MessageHash"])
    with profile_scope(anna.profile_id):
        rows = EpisodeSummary.objects.order_by("id").values_list("source_audit_ids", flat=True)
        assert old not in [each for ids in rows for each in ids]
        assert [newest] in list(rows)
        assert not Passage.objects.filter(audit_id=old).exists()
        assert Fact.objects.filter(source_audit_id=newest).exists()


def test_it_touches_nobody_else_and_takes_what_is_nobodys(anna, database):
    bert = person("bert")
    for who in (anna, bert):
        tell(who, "I like tea.", conversation_id="one")
    with operator_scope():
        audit.record(audit.Entry(Event.AUTH_FAILED, None, {"address": "192.0.2.1"}))
    age(database, who=anna)
    with psycopg.connect(database.url("superuser"), autocommit=True) as link:
        link.execute("SET session_replication_role = replica")
        link.execute("UPDATE audit_log SET at = at - interval '91 days' WHERE event_type = 'auth.failed'")
    with profile_scope(bert.profile_id):
        theirs = list(AuditLog.objects.order_by("id").values())
    sweep.sweep()
    with profile_scope(bert.profile_id):
        assert list(AuditLog.objects.order_by("id").values()) == theirs
    with operator_scope():
        assert not AuditLog.objects.filter(event_type=Event.AUTH_FAILED).exists()


def test_a_dry_run_says_just_what_the_sweep_then_takes(anna, model, database):
    learned(anna, model, "My dog is Beans.", "Beans", conversation="one", summary="Of Beans.")
    tell(anna, "I like tea.", conversation_id="two")
    cursor.tick(WorkKind.EXTRACT)
    age(database)
    tell(anna, "I like rice.", conversation_id="two")
    before = everywhere.rows_of(database, anna.profile_id)
    _, lines = sweep_plan.plan()
    line, nobodys = sorted(lines, key=lambda line: not line.profile)
    assert everywhere.rows_of(database, anna.profile_id) == before
    assert (line.user, line.profile, line.chats, line.unread) == ("anna", "default", 2, 1)
    done = sweep.sweep()
    planned = {table: getattr(line, table) + getattr(nobodys, table) for table in done.rows}
    assert dict(done.rows) == planned
    assert (done.chats, done.unread) == (2, 1)
    assert sweep_plan.plan()[1] == []


def test_it_goes_on_in_batches_where_it_was_broken_off(anna, database, monkeypatch):
    monkeypatch.setattr(sweep, "BATCH", 7)
    for n in range(20):
        tell(anna, f"I like number {n}.", conversation_id=f"thread {n % 3}")
    age(database)
    first = sweep.sweep(seconds=0)
    assert (first.chats, first.unfinished) == (0, True)
    done = sweep.sweep()
    assert (done.chats, done.rows["conversations"], done.unfinished) == (20, 3, False)
    assert left(anna)["chats"] == 0
    assert sum(told["chats"] for told in sweeps(anna)) == 20
    assert sweep.sweep().chats == 0


def test_one_for_whom_it_fails_keeps_nobody_from_being_swept(database, monkeypatch):
    people = [person(f"p{n}") for n in range(3)]
    for who in people:
        tell(who, "I like tea.")
    age(database)
    lock = facts.lock

    def fails(profile_id: uuid.UUID) -> None:
        if profile_id == people[1].profile_id:
            raise DatabaseError("the page is broken")
        lock(profile_id)

    monkeypatch.setattr(facts, "lock", fails)
    done = sweep.sweep()
    assert (done.profiles, done.failed) == (2, 1)
    assert [left(who)["chats"] for who in people] == [0, 1, 0]
    assert sweeps(None)[-1]["failed"] == 1
    monkeypatch.setattr(facts, "lock", lock)
    assert sweep.sweep().profiles == 1


def test_a_reading_in_flight_comes_to_nothing(anna, model, database):
    asked, answer = threading.Event(), threading.Event()

    def slowly(request):
        asked.set()
        assert answer.wait(20)
        return reply({"key": "dog.name", "value": "Beans"})

    model.on(lambda request: request.is_extraction, slowly)
    tell(anna, "My dog is Beans.", conversation_id="one")
    worker = threading.Thread(target=_drained)
    worker.start()
    assert asked.wait(20)
    age(database)
    done = sweep.sweep()
    answer.set()
    worker.join(30)
    assert done.unread == 2
    with operator_scope():
        assert (Fact.objects.count(), WorkItem.objects.count(), Conversation.objects.count()) == (0, 0, 0)


def _drained() -> None:
    try:
        tasks.drain()
    finally:
        connection.close()


def test_it_keeps_nobody_waiting(anna, database):
    """While a sweep is in the middle of its batch for one person, another chats and reads."""
    bert = person("bert")
    for n in range(50):
        tell(anna, f"I like number {n}.")
    age(database)
    inside, leave = threading.Event(), threading.Event()
    held = audit.record

    def slow(entry: audit.Entry) -> None:
        if entry.event is Event.RETENTION_SWEEP and entry.profile_id == anna.profile_id:
            inside.set()
            assert leave.wait(20)
        held(entry)

    def swept() -> None:
        try:
            sweep.sweep()
        finally:
            connection.close()

    sweep.audit.record = slow
    try:
        running = threading.Thread(target=swept)
        running.start()
        assert inside.wait(20)
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '500ms'")
        tell(bert, "I like tea.")
        tell(anna, "I like rice.")
        facts.author(profile_id=bert.profile_id, fields={"value": "Likes fog"})
    finally:
        leave.set()
        sweep.audit.record = held
        running.join(20)
        connection.close()
    assert left(anna)["chats"] == left(bert)["chats"] == 1


def test_a_turn_that_is_being_answered_is_written_all_the_same(anna, database):
    tell(anna, "I like tea.", conversation_id="one")
    history = [{"role": "user", "content": "I like rice."}]
    turn = chats.begin(profile_id=anna.profile_id, messages=history, conversation_id="one")
    age(database)
    sweep.sweep()
    chats.finish(turn, chats.Answer(text="Noted."))
    assert (left(anna)["chats"], left(anna)["Conversation"]) == (1, 1)


def test_nothing_but_the_operators_upkeep_may_take_rows_for_their_age(anna, database):
    row_id = tell(anna, "I like tea.")
    with pytest.raises(DatabaseError, match="permission denied"), profile_scope(anna.profile_id):
        _call(row_id)
    with operator_scope():
        assert _call(row_id) == 0  # of somebody whom the session does not name
    assert left(anna)["chats"] == 1


def _call(row_id: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT audit_sweep(%s, now() + interval '1 day')", [[row_id]])
        return int(cursor.fetchone()[0])


def test_the_task_clears_sessions_that_have_ended(database):
    for seconds in (3600, -1):
        session = SessionStore()
        session.set_expiry(seconds)
        session["x"] = 1
        session.save()
    sweeping.sweep_due()
    assert Session.objects.count() == 1


def test_what_was_deleted_does_not_come_back_after_a_sweep(anna, model, database):
    learned(anna, model, "My dog is Beans.", "Beans", conversation="one", summary="Of a dog.")
    with profile_scope(anna.profile_id):
        fact = Fact.objects.get()
    facts.delete(profile_id=anna.profile_id, fact_id=fact.id)
    age(database)
    sweep.sweep()
    # The client sends its whole history again, which nothing here remembers any more.
    model.reset()
    model.extraction(reply({"key": "dog.name", "value": "Beans", "confidence": 0.9}))
    history = [
        {"role": "user", "content": "My dog is Beans."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "How are you?"},
    ]
    turn = chats.begin(profile_id=anna.profile_id, messages=history, conversation_id="one")
    chats.finish(turn, chats.Answer(text="Well."))
    tasks.drain()
    with profile_scope(anna.profile_id):
        assert not Fact.objects.filter(state="current").exists()
