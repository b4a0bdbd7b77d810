"""Imports beside whatever else happens to the same person."""

from __future__ import annotations

import threading

import pytest
from django.db import connections

from memory import erase, files
from memory.db import operator_scope, profile_scope
from memory.errors import BeingErased, CaesarError
from memory.models import AuditLog, Conversation, Event, Fact, MessageHash, Profile
from memory.portable import importing
from tests.everywhere import rows_of
from tests.memory.portable import archives
from tests.memory.portable.acts import chat, export, full, load, state
from tests.people import person

LONG = archives.thread("long", *(f"Number {n}." for n in range(1_500)))


@pytest.fixture
def anna(database):
    return person("anna")


def together(*acts) -> list[Exception]:
    failed: list[Exception] = []

    def run(act) -> None:
        try:
            act()
        except Exception as error:
            failed.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failed


def test_the_same_archive_three_times_at_once_comes_once(anna, tmp_path):
    content = archives.chatgpt(LONG, *(archives.thread(f"t{n}", "I like fog.", "Yes.") for n in range(50)))
    assert together(*[lambda: load(anna, content, tmp_path)] * 3) == []
    with profile_scope(anna.profile_id):
        assert Conversation.objects.count() == 51
        assert MessageHash.objects.count() == 1_600
        assert AuditLog.objects.filter(event_type=Event.CHAT_COMPLETED).count() == 800


def test_the_same_export_twice_at_once_comes_once(anna, tmp_path):
    bert = person("bert")
    full(anna)
    exported = export(anna)
    assert together(*[lambda: load(bert, exported, tmp_path)] * 2) == []
    assert state(bert) == state(anna)


def test_live_chats_go_on_meanwhile(anna, tmp_path):
    content = archives.chatgpt(LONG)
    done: list[int] = []

    def live() -> None:
        for n in range(10):
            done.append(chat(anna, f"Said live, number {n}.", thread="live"))

    assert together(lambda: load(anna, content, tmp_path), live) == []
    assert len(done) == 10
    with profile_scope(anna.profile_id):
        assert AuditLog.objects.filter(conversation__client_id="live").count() == 10


@pytest.mark.parametrize("make", [lambda who: archives.chatgpt(LONG), export])
def test_who_is_erased_meanwhile_gets_nothing_back(anna, database, tmp_path, make):
    full(anna)
    content = make(anna)
    bert = person("bert")
    erased = threading.Event()

    def erase_in_the_middle(done: int, total: int) -> None:
        if not erased.is_set():
            erased.set()
            thread = threading.Thread(
                target=lambda: (erase.erase_profile(profile_id=bert.profile_id), connections.close_all())
            )
            thread.start()
            thread.join()

    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(CaesarError):
        importing.run(profile_id=bert.profile_id, path=path, progress=erase_in_the_middle)
    assert rows_of(database, bert.profile_id) == {}
    assert not files.folder_of(bert.profile_id).exists()


def test_who_is_being_erased_gets_nothing(anna, tmp_path):
    with operator_scope():
        Profile.objects.filter(id=anna.profile_id).update(erasing_at="2026-01-01T00:00:00Z")
    with pytest.raises(BeingErased):
        load(anna, archives.claude(LONG), tmp_path)
    with profile_scope(anna.profile_id):
        assert not Fact.objects.exists()
        assert not Conversation.objects.exists()
