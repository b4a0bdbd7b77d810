"""An erasing beside everything else that goes on: chats, workers, kills, another erasing."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

import psycopg
import pytest
from django.db import IntegrityError, connection

from memory import chats, erase, facts, profiles
from memory.db import operator_scope, profile_scope
from memory.errors import BeingErased, NotFound
from memory.models import (
    AuditLog,
    Event,
    Fact,
    Profile,
    WorkItem,
)
from tests import everywhere
from tests.memory.lives import learned, tell
from tests.people import person
from tests.processes import ROOT, eventually
from tests.scripted_model import ScriptedModel, Text
from workers import tasks

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

pytestmark = pytest.mark.usefixtures("database")


def test_it_refuses_a_chat_that_ends_after_it_began(model: ScriptedModel):
    anna = person("anna")
    asked = [{"role": "user", "content": "My boat is called Dugongina."}]
    turn = chats.begin(profile_id=anna.profile_id, messages=asked)
    erase.erase_profile(profile_id=anna.profile_id)
    with pytest.raises(BeingErased):
        chats.finish(turn, chats.Answer(text="Dugongina!"))
    with pytest.raises(BeingErased):
        chats.begin(profile_id=anna.profile_id, messages=asked)


def test_it_lets_a_worker_that_is_reading_write_nothing_back(database: Postgres, model: ScriptedModel):
    anna = person("anna")
    for reply in (learned({"key": "boat.name", "value": "Dugongina"}), "Dugongina is no JSON"):
        model.reset()
        model.extraction(Text(reply, delay=0.7))
        who = profiles.resolve(user_id=anna.user_id, name="sailor", consent=True)
        tell(who.id, "My boat is called Dugongina.")
        worker = threading.Thread(target=_closing(tasks.drain))
        worker.start()
        model.wait_for(lambda m: len(m.extractions) == 1)
        erase.erase_profile(profile_id=who.id)
        worker.join()
        assert everywhere.in_tables(database, "dugongina") == []
        assert everywhere.in_files("dugongina") == []
        assert everywhere.rows_of(database, who.id) == {}


def _closing(job: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        try:
            job()
        finally:
            connection.close()

    return run


def test_it_leaves_nothing_of_what_is_written_while_it_works(
    database: Postgres, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(erase, "BATCH", 5)
    anna, bert = person("anna"), person("bert")
    over = threading.Event()
    written: list[str] = []
    broken: list[BaseException] = []
    model.on("Dugongina", Text(learned({"key": "boat.name", "value": "Dugongina"}), delay=0.02))

    def until_over(job: Callable[[int], object]) -> Callable[[], None]:
        def run() -> None:
            n = 0
            while not over.is_set():
                n += 1
                try:
                    job(n)
                    written.append(job.__name__)
                except (BeingErased, NotFound):
                    time.sleep(0.005)
                except IntegrityError as error:  # refused by the database: the profile is gone
                    if "foreign key" not in str(error):
                        broken.append(error)
                except BaseException as error:
                    broken.append(error)

        return _closing(run)

    def chatting(n: int) -> None:
        tell(anna.profile_id, f"My boat number {n} is called Dugongina.", conversation_id=f"thread {n % 3}")

    def authoring(n: int) -> None:
        facts.author(profile_id=anna.profile_id, fields={"key": "boat.name", "value": f"Dugongina {n}"})

    def reading(n: int) -> None:
        tasks.drain()

    def others(n: int) -> None:
        tell(bert.profile_id, f"My number is {n}.")

    threads = [threading.Thread(target=until_over(job)) for job in (chatting, chatting, authoring, reading, others)]
    [t.start() for t in threads]
    eventually(lambda: {"chatting", "authoring", "reading"} <= set(written) and len(written) > 60)
    rows = erase.erase_profile(profile_id=anna.profile_id)
    eventually(lambda: written[-30:].count("others") >= 10)  # life goes on
    over.set()
    [t.join() for t in threads]
    assert broken == []
    assert rows["personal_facts"] > 0
    assert everywhere.rows_of(database, anna.profile_id) == {}
    assert everywhere.in_tables(database, "dugongina") == []
    assert everywhere.in_files("dugongina") == []
    with profile_scope(bert.profile_id):
        assert AuditLog.objects.filter(event_type="chat.completed").count() == written.count("others")


MANY = 40_000


def crowd(database: Postgres, profile_id: uuid.UUID) -> None:
    """Enough rows that erasing them takes a while."""
    with psycopg.connect(database.url("superuser")) as c:
        c.execute(
            "INSERT INTO message_hashes (profile_id, conversation_id, role, digest)"
            " SELECT profile_id, id, 'user', '\\x00' FROM conversations, generate_series(1, %s) WHERE profile_id = %s",
            [MANY, profile_id],
        )


def test_it_goes_on_where_it_was_killed(database: Postgres):
    anna = person("anna")
    tell(anna.profile_id, "My boat is called Dugongina.")
    crowd(database, anna.profile_id)
    command = [sys.executable, "manage.py", "forget", "--user", "anna", "--profile", "default", "--yes"]
    killed = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def under_way() -> bool:
        with profile_scope(anna.profile_id):
            return Profile.objects.get().erasing.get("rows", {}).get("message_hashes", 0) > 0

    eventually(under_way, seconds=30)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    left = everywhere.rows_of(database, anna.profile_id)
    assert 0 < left["message_hashes"] < MANY
    with pytest.raises(BeingErased):
        tell(anna.profile_id, "Hello?")
    tasks.drain()  # it may still be at work, for all that anybody knows
    with operator_scope():
        assert not Fact.objects.exists()
    assert everywhere.rows_of(database, anna.profile_id)["profiles"] == 1
    with operator_scope():
        Profile.objects.filter(id=anna.profile_id).update(erasing_at="2026-01-01T00:00:00Z")
    tasks.drain()
    assert everywhere.rows_of(database, anna.profile_id) == {}
    assert everywhere.in_tables(database, "dugongina") == []
    with operator_scope():
        told = AuditLog.objects.get(event_type=Event.ERASED)
    assert told.actor == "operator"
    assert told.payload["rows"]["message_hashes"] == MANY + 2  # what both runs did


def test_two_who_erase_the_same_person_do_not_trip_over_each_other(database: Postgres):
    anna = person("anna")
    tell(anna.profile_id, "My boat is called Dugongina.")
    crowd(database, anna.profile_id)
    ended: list[object] = []

    def erasing() -> None:
        try:
            ended.append(erase.erase_profile(profile_id=anna.profile_id))
        except NotFound as error:
            ended.append(error)

    threads = [threading.Thread(target=_closing(erasing)) for _ in range(2)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(ended) == 2
    assert everywhere.rows_of(database, anna.profile_id) == {}
    with operator_scope():
        assert AuditLog.objects.get(event_type=Event.ERASED).payload["rows"]["message_hashes"] == MANY + 2
        assert not WorkItem.objects.exists()
        assert not Fact.objects.exists()


def test_it_keeps_nobody_else_waiting(database: Postgres):
    anna, bert = person("anna"), person("bert")
    tell(anna.profile_id, "My boat is called Dugongina.")
    crowd(database, anna.profile_id)
    erasing = threading.Thread(target=_closing(lambda: erase.erase_profile(profile_id=anna.profile_id)))
    erasing.start()
    slowest = 0.0
    while erasing.is_alive():
        started = time.monotonic()
        tell(bert.profile_id, "Hello.")
        slowest = max(slowest, time.monotonic() - started)
    assert slowest < 2.0
