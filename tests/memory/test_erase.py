"""A person who asks for it is gone from everywhere, whatever else goes on, and nobody else is touched."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from django.db import IntegrityError, connection

from memory import apikeys, chats, cursor, erase, facts, files, profiles, spaces
from memory.db import operator_scope, profile_scope, upkeep_scope
from memory.documents import adding
from memory.errors import BeingErased, NotFound
from memory.models import (
    AuditLog,
    Embedding,
    EpisodeSummary,
    Event,
    Fact,
    KeyAlias,
    Passage,
    Profile,
    WorkItem,
    WorkKind,
)
from memory.portable import importing
from tests import everywhere
from tests.people import Person, person
from tests.processes import ROOT, eventually
from tests.scripted_model import ScriptedModel, Text
from workers import tasks

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

pytestmark = pytest.mark.usefixtures("database")
# Each stands in another place of what is kept about Marta; each is found in the database before and nowhere after.
WORDS = (
    "quokkaville",
    "zanzibarine",
    "wombatella",
    "narwhalito",
    "axolotlia",
    "pangolinde",
    "kakapoline",
    "okapiana",
    "tarsierette",
    "dugongina",
    "numbatine",
    "gharialis",
    "saolanova",
    "fossaria",
    "ayeayelin",
    "lemurita",
    "caracalia",
    "bilbyanne",
)


def learned(*entries: dict[str, Any]) -> str:
    return json.dumps({"facts": [{"confidence": 0.9, **entry} for entry in entries], "summary": None})


def tell(profile_id: uuid.UUID, text: str, answer: str = "Noted.", **options: Any) -> int:
    turn = chats.begin(profile_id=profile_id, messages=[{"role": "user", "content": text, "id": "m1"}], **options)
    return chats.finish(turn, chats.Answer(text=answer))


def live(model: ScriptedModel, owner: Person) -> Profile:
    """A profile with something in every table that keeps what belongs to a person."""
    marta = profiles.resolve(user_id=owner.user_id, name="Quokkaville", consent=True)
    spaces.create_space(profile_id=marta.id, fields={"slug": "zanzibarine", "name": "Zanzibarine"})
    apikeys.create(user_id=owner.user_id, name="key for Wombatella", profile_id=marta.id)
    model.on("Narwhalito", learned({"key": "address.city", "value": "Narwhalito"}))
    model.on("Axolotlia", learned({"key": "address.city", "value": "Axolotlia"}, {"key": "pet", "value": "Kakapoline"}))
    model.on("Pangolinde", "I am afraid that Pangolinde cannot be written as JSON")
    for text in ("I live in Narwhalito.", "I live in Axolotlia now."):
        tell(marta.id, text, conversation_id="thread of Okapiana")
        tasks.drain()
    tell(marta.id, "My cat is called Pangolinde.", answer="Hello Tarsierette.", space="zanzibarine")
    tasks.drain()
    tell(marta.id, "Off the record: Dugongina.", memory_on=False)
    tell(marta.id, "This waits to be read: my boat is called Dugongina.")
    cursor.tick(WorkKind.EXTRACT)
    cursor.tick(WorkKind.SUMMARISE)
    kept = facts.author(profile_id=marta.id, fields={"key": "friend.name", "value": "Numbatine"})
    facts.edit(profile_id=marta.id, fact_id=kept.id, changes={"value": "Gharialis"})
    gone = facts.author(profile_id=marta.id, fields={"value": "Knows Saolanova well"})
    facts.delete(profile_id=marta.id, fact_id=gone.id)
    with profile_scope(marta.id):
        chat = AuditLog.objects.filter(conversation__isnull=False).first()
        assert chat is not None
        episode = EpisodeSummary.objects.create(
            profile=marta,
            space_id=chat.space_id,
            conversation_id=chat.conversation_id,
            summary="Fossaria was talked about",
            said_at=chat.said_at,
        )
        Passage.objects.create(
            profile=marta,
            conversation_id=chat.conversation_id,
            role="user",
            text="Ayeayelin said",
            said_at=chat.said_at,
        )
        KeyAlias.objects.create(profile=marta, alias="lemurita.name", key="friend.name")
        Embedding.objects.create(
            profile=marta, owner_kind="episode", owner_id=episode.id, identity="test/8", vector=[0.5] * 8
        )
    folder = files.folder_of(marta.id)
    folder.mkdir(parents=True, exist_ok=True)
    brought = folder / "archive.json"
    brought.write_text(
        json.dumps([{"uuid": "c1", "chat_messages": [{"sender": "human", "text": "I like Caracalia."}]}])
    )
    importing.run(profile_id=marta.id, path=brought, name="caracalia.json")
    adding.add(profile_id=marta.id, name="bilbyanne.txt", data=b"I sail to Bilbyanne.")
    (folder / "export.jsonl").write_text("\n".join(WORDS))
    return marta


def owned_tables(database: Postgres) -> set[str]:
    return {table for table, column, _ in everywhere.columns(database) if column == "profile_id"} | {"profiles"}


def snapshot(*ids: uuid.UUID) -> list[Any]:
    with operator_scope():
        return [
            sorted(map(str, model._default_manager.filter(profile_id__in=ids).values()))
            for model in (*erase.tables(), apikeys.ApiKey)
        ]


def test_it_leaves_no_word_of_a_person_in_any_column_or_file(database: Postgres, model: ScriptedModel):
    owner, bert = person("owner"), person("bert")
    marta = live(model, owner)
    for who in (owner, bert):
        tell(who.profile_id, "I live in Tallinn.")
        facts.author(profile_id=who.profile_id, fields={"key": "address.city", "value": "Tallinn"})
    assert set(everywhere.rows_of(database, marta.id)) == owned_tables(database)  # something to erase in each
    for word in WORDS:
        assert everywhere.in_tables(database, word), word
        assert everywhere.in_files(word), word
    others = snapshot(owner.profile_id, bert.profile_id)

    rows = erase.erase_profile(profile_id=marta.id)

    for word in WORDS:
        assert everywhere.in_tables(database, word) == [], word
        assert everywhere.in_files(word) == [], word
    assert everywhere.in_tables(database, str(marta.id)) == []
    assert everywhere.rows_of(database, marta.id) == {}
    assert snapshot(owner.profile_id, bert.profile_id) == others
    with operator_scope():
        told = AuditLog.objects.get(event_type=Event.ERASED)
    assert (told.profile_id, told.actor, told.payload) == (None, "person", {"rows": rows})
    assert all(isinstance(count, int) and count > 0 for count in rows.values())
    assert set(rows) == owned_tables(database) - {"profiles"}


def test_it_knows_every_table_that_keeps_rows_of_a_profile(database: Postgres):
    swept = {model._meta.db_table for model in erase.tables()} | {"api_keys", "profiles"}
    assert owned_tables(database) == swept


def test_it_takes_any_number_of_rows_in_batches(database: Postgres, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(erase, "BATCH", 7)
    anna = person("anna")
    for n in range(30):
        tell(anna.profile_id, f"Number {n}.", conversation_id="one thread")
        facts.author(profile_id=anna.profile_id, fields={"key": "car.name", "value": f"car {n}"})
    rows = erase.erase_profile(profile_id=anna.profile_id)
    assert (rows["message_hashes"], rows["personal_facts"]) == (60, 30)
    assert everywhere.rows_of(database, anna.profile_id) == {}


def test_it_makes_a_fresh_profile_that_agrees_to_nothing_for_who_comes_back():
    operator = profiles.ensure_operator()
    erase.erase_profile(profile_id=operator.profile_id)
    again = profiles.ensure_operator()
    assert again.profile_id != operator.profile_id
    fresh = profiles.resolve(user_id=operator.user_id, name=None)
    assert (fresh.id, fresh.is_default) == (again.profile_id, True)
    assert not fresh.memory_enabled
    assert not fresh.summaries_enabled


def test_it_has_nobody_to_erase_twice():
    anna = person("anna")
    erase.erase_profile(profile_id=anna.profile_id)
    with pytest.raises(NotFound):
        erase.erase_profile(profile_id=anna.profile_id)


def test_nothing_else_empties_the_log():
    anna, bert = person("anna"), person("bert")
    tell(anna.profile_id, "I like tea.")
    with pytest.raises(IntegrityError, match="not being erased"), profile_scope(anna.profile_id):
        _call("SELECT audit_erase(10)")
    with upkeep_scope(bert.profile_id):
        Profile.objects.filter(id=bert.profile_id).update(erasing_at="2026-01-01T00:00:00Z")
        assert _call("SELECT audit_erase(10)") == 0  # the session's own profile alone
    with operator_scope():
        assert AuditLog.objects.filter(profile_id=anna.profile_id).count() == 1


def _call(query: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchone()[0]


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


def test_a_folder_that_cannot_be_removed_is_no_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    anna = person("anna")
    path = files.folder_of(anna.profile_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("a file where a folder should be")
    try:
        with pytest.raises(OSError, match=str(anna.profile_id)):
            erase.erase_profile(profile_id=anna.profile_id)
    finally:
        path.unlink()
    with operator_scope():
        assert not AuditLog.objects.filter(event_type=Event.ERASED).exists()
    erase.erase_profile(profile_id=anna.profile_id)
