"""Conversations that were had elsewhere."""

from __future__ import annotations

import pytest

from memory import chats, consent, profiles
from memory.db import profile_scope
from memory.models import AuditLog, Conversation, Event, ImportedChat, MessageHash, WorkItem
from tests.everywhere import in_tables, rows_of
from tests.memory.portable import archives
from tests.memory.portable.acts import at, chat, load, turns_of
from tests.people import person
from workers import tasks

MAKERS = {"chatgpt": archives.chatgpt, "claude": archives.claude, "openwebui": archives.openwebui}
DOG = archives.thread("a", "My dog is called Beans.", "What a name!", "He is four.", "A good age.")
CAT = archives.thread("b", "I have a cat.", "Nice.")


@pytest.fixture
def anna(database):
    return person("anna")


@pytest.mark.parametrize("made_by", MAKERS)
def test_conversations_keep_their_times_and_the_ids_of_their_messages(anna, tmp_path, made_by):
    report = load(anna, MAKERS[made_by](DOG, CAT), tmp_path)
    assert report.format == made_by
    assert report.counts == {"conversations": {"new": 2}, "messages": {"new": 6}}
    assert sorted(turns_of(anna)) == [
        (f"{made_by}:a", ["He is four."], "A good age."),
        (f"{made_by}:a", ["My dog is called Beans."], "What a name!"),
        (f"{made_by}:b", ["I have a cat."], "Nice."),
    ]
    with profile_scope(anna.profile_id):
        row = AuditLog.objects.filter(conversation__client_id=f"{made_by}:a").order_by("id").first()
        assert row.said_at == at("2024-05-20T10:00:00+00:00")
        assert row.payload["messages"][0]["id"] == "a-0"
        assert row.payload["answer"]["id"] == "a-1"
        assert row.payload["imported"]["title"] == "About a"
        thread = row.conversation
        assert (thread.started_at, thread.last_said_at) == (row.said_at, at("2024-05-20T10:02:00+00:00"))


@pytest.mark.parametrize("made_by", MAKERS)
def test_the_same_archive_again_brings_nothing(anna, database, tmp_path, made_by):
    archive = MAKERS[made_by](DOG, CAT)
    load(anna, archive, tmp_path)
    before = rows_of(database, anna.profile_id)
    report = load(anna, archive, tmp_path)
    assert report.counts == {"conversations": {"known": 2}, "messages": {"known": 6}}
    assert rows_of(database, anna.profile_id) == before | {"audit_log": before["audit_log"] + 1}


@pytest.mark.parametrize("odd", ["x" * 300, "4111111111111111", "a\0b", "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"])
def test_ids_that_cannot_be_kept_as_they_are_are_known_again(anna, database, tmp_path, odd):
    said = [(f"{odd[:-1]}{n + 1}", role, text, when) for n, (_, role, text, when) in enumerate(DOG[2])]
    archive = archives.claude((odd, "Beans", said), (odd[:-1] + "zz", "Other", CAT[2]))
    assert load(anna, archive, tmp_path).counts == {"conversations": {"new": 2}, "messages": {"new": 6}}
    before = rows_of(database, anna.profile_id)
    assert load(anna, archive, tmp_path).counts == {"conversations": {"known": 2}, "messages": {"known": 6}}
    assert rows_of(database, anna.profile_id) == before | {"audit_log": before["audit_log"] + 1}
    assert in_tables(database, "4111111111111111") == []
    assert in_tables(database, "sk-proj-abc") == []


def test_a_newer_archive_brings_what_is_new_in_it(anna, tmp_path):
    load(anna, archives.chatgpt(DOG), tmp_path)
    longer = archives.thread("a", *(text for _, _, text, _ in DOG[2]), "He likes fog.", "Who does not.")
    report = load(anna, archives.chatgpt(longer, CAT), tmp_path)
    assert report.counts["conversations"] == {"continued": 1, "new": 1}
    assert report.counts["messages"] == {"new": 4, "known": 4}
    assert turns_of(anna)[-1] == ("chatgpt:a", ["He likes fog."], "Who does not.")


def test_a_conversation_of_any_length_comes_whole(anna, tmp_path):
    texts = [f"Number {n}." for n in range(1_301)]
    report = load(anna, archives.chatgpt(archives.thread("long", *texts)), tmp_path)
    assert report.counts == {"conversations": {"new": 1}, "messages": {"new": 1_301}}
    assert [text for _, said, answer in turns_of(anna) for text in (*said, answer) if text] == texts
    again = load(anna, archives.chatgpt(archives.thread("long", *texts)), tmp_path)
    assert again.counts == {"conversations": {"known": 1}, "messages": {"known": 1_301}}
    with profile_scope(anna.profile_id):
        roots = MessageHash.objects.filter(parent__isnull=True).count()
        assert (MessageHash.objects.count(), roots) == (1_301, 1)


def test_it_takes_the_branch_that_was_seen_last(anna, tmp_path):
    import json

    record = json.loads(archives.chatgpt(DOG))[0]
    record["mapping"]["other"] = record["mapping"]["a-3"] | {"id": "other"}
    record["mapping"]["other"]["message"] = record["mapping"]["a-3"]["message"] | {"id": "other"}
    record["mapping"]["other"]["message"]["content"] = {"content_type": "text", "parts": ["Another answer."]}
    record["current_node"] = "other"
    load(anna, json.dumps([record]).encode(), tmp_path)
    assert turns_of(anna)[-1][2] == "Another answer."


def test_zipped_archives_are_read_as_they_come(anna, tmp_path):
    archive = archives.zipped(conversations_json=archives.claude(DOG), users_json=b"[]")
    assert load(anna, archive, tmp_path).counts["messages"] == {"new": 4}


def test_a_live_chat_that_goes_on_finds_the_imported_conversation(anna, tmp_path):
    load(anna, archives.openwebui(DOG), tmp_path)
    history = [{"role": role, "content": text} for _, role, text, _ in DOG[2]]
    turn = chats.begin(profile_id=anna.profile_id, messages=[*history, {"role": "user", "content": "And now?"}])
    chats.finish(turn, chats.Answer(text="Now he is five."))
    with profile_scope(anna.profile_id):
        assert Conversation.objects.count() == 1
        last = AuditLog.objects.filter(event_type=Event.CHAT_COMPLETED).latest("id")
        assert [m["text"] for m in last.payload["messages"]] == ["And now?"]


def test_what_a_live_chat_said_already_is_not_told_twice(anna, tmp_path):
    chat(anna, "My dog is called Beans.", answer="What a name!", thread="x")
    chat(anna, "My dog is called Beans.", "He is four.", answer="A good age.", thread="x")
    report = load(anna, archives.openwebui(DOG), tmp_path)
    assert report.counts["conversations"] == {"known": 1}
    more = archives.thread("c", "My dog is called Beans.", "Hm.", "He bit the postman.", "Oh.")
    load(anna, archives.openwebui(more), tmp_path)
    with profile_scope(anna.profile_id):
        row = AuditLog.objects.filter(conversation__client_id="openwebui:c").order_by("id").first()
        assert row.payload["messages"][0]["known"] is True


def test_what_was_off_the_record_stays_out(anna, database, tmp_path):
    turn = chats.begin(
        profile_id=anna.profile_id, messages=[{"role": "user", "content": "Dugongina is a secret"}], memory_on=False
    )
    chats.finish(turn, chats.Answer(text="I know nothing."))
    thread = archives.thread("s", "Dugongina is a secret", "I know nothing.", "And what is on today?", "Rain.")
    report = load(anna, archives.openwebui(thread), tmp_path)
    assert report.counts["messages"] == {"new": 2, "off the record": 2}
    assert in_tables(database, "dugongina") == []


def test_secrets_are_taken_out_of_what_is_imported(anna, database, tmp_path):
    thread = archives.thread("s", "Remember: card 4111 1111 1111 1111, db password: tulip-Harbor-88.", "Saved.")
    load(anna, archives.chatgpt(thread), tmp_path)
    assert in_tables(database, "4111 1111") == []
    assert in_tables(database, "tulip-Harbor") == []


@pytest.mark.parametrize("memory", [True, False])
def test_it_is_read_for_facts_only_with_consent(database, model, tmp_path, memory):
    who = person("anna", memory=memory)
    load(who, archives.chatgpt(DOG, CAT), tmp_path)
    tasks.drain()
    with profile_scope(who.profile_id):
        assert WorkItem.objects.exists() is memory
    assert bool(model.requests) is memory


def test_what_was_imported_without_consent_is_not_read_when_it_is_given(database, model, tmp_path):
    who = person("anna", memory=False)
    load(who, archives.chatgpt(DOG), tmp_path)
    profiles.update(profile_id=who.profile_id, changes={"memory_enabled": True, "summaries_enabled": True})
    tasks.drain()
    assert not model.requests


def test_few_imported_conversations_are_let_through_at_once(anna, tmp_path):
    from memory import cursor, imports
    from memory.models import WorkKind

    load(anna, archives.chatgpt(*(archives.thread(f"t{n}", "I like fog.", "Yes.") for n in range(9))), tmp_path)
    cursor.tick(*WorkKind)
    with profile_scope(anna.profile_id):
        assert not WorkItem.objects.exists()
    assert imports.release() == 2
    assert imports.release() == 0  # until those are read
    chat(anna, "I like rain.")
    cursor.tick(*WorkKind)
    with profile_scope(anna.profile_id):
        open_ = WorkItem.objects.filter(kind="extract", state="waiting")
        assert open_.count() == 3
        assert ImportedChat.objects.filter(waiting=True).count() == 7
    tasks.drain()
    with profile_scope(anna.profile_id):
        assert WorkItem.objects.filter(kind="extract", state="done").count() == 10
        assert not ImportedChat.objects.filter(waiting=True).exists()


def test_an_older_chat_that_comes_later_does_not_win(anna, model, tmp_path):
    import json

    def facts_of(value):
        return json.dumps({"facts": [{"key": "work.employer", "value": value, "confidence": 0.9}], "summary": "s"})

    model.on("Lumen", facts_of("Lumen Works"))
    model.on("Fjord", facts_of("Fjord Paper"))
    chat(anna, "I started at Lumen Works.")
    tasks.drain()
    load(anna, archives.chatgpt(archives.thread("old", "I work at Fjord Paper.", "Good.")), tmp_path)
    tasks.drain()
    from memory.models import Fact

    with profile_scope(anna.profile_id):
        assert Fact.objects.get(state="current").value == "Lumen Works"
        old = Fact.objects.get(value="Fjord Paper")
        assert old.state == "superseded"
        assert old.said_at == at("2024-05-20T10:00:00+00:00")
        assert old.created_at.year > 2024


def test_a_dry_run_of_an_archive_writes_nothing(anna, database, tmp_path):
    before = rows_of(database, anna.profile_id)
    archive = archives.chatgpt(DOG, CAT)
    tried = load(anna, archive, tmp_path, dry_run=True)
    assert rows_of(database, anna.profile_id) == before
    assert tried.counts == load(anna, archive, tmp_path).counts


def test_the_consent_of_the_moment_stands_on_the_rows(anna, tmp_path):
    profiles.update(profile_id=anna.profile_id, changes={"summaries_enabled": False})
    load(anna, archives.claude(CAT), tmp_path)
    with profile_scope(anna.profile_id):
        row = AuditLog.objects.get(event_type=Event.CHAT_COMPLETED)
        assert (row.mine_facts, row.mine_summary) == (True, False)
        assert AuditLog.objects.filter(consent.readable(consent.WorkKind.EXTRACT), id=row.id).exists()
