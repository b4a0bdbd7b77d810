"""What becomes of documents in the end: removed by hand, swept, erased, exported and brought back."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connection

from memory import erase, facts, finding, profiles, prune, sweep
from memory.db import profile_scope
from memory.documents import removing
from memory.errors import NotFound
from memory.models import AuditLog, Conversation, Document, Embedding, EmbedQueue, Fact, Passage, WorkItem
from memory.models.fields import new_id
from tests.everywhere import in_tables, rows_of
from tests.memory.documents.acts import facts as rows
from tests.memory.documents.acts import give, taught
from tests.memory.documents.test_reading import CITY, ROLE, read, reply
from tests.memory.portable.acts import export, load, state
from tests.memory.saying import last_event, now
from tests.memory.test_cursor import tell
from tests.people import Person, person
from workers import tasks

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def anna() -> Person:
    return person("anna")


def left(who: Person) -> dict[str, int]:
    with profile_scope(who.profile_id):
        chats = AuditLog.objects.filter(event_type="chat.completed").count()
        models = (Conversation, Document, Embedding, EmbedQueue, Passage, WorkItem)
        return {"chats": chats, **{model.__name__: model.objects.count() for model in models}}


def passages(who: Person, query: str) -> list[finding.Result]:
    with profile_scope(who.profile_id):
        space = profiles.space(profile_id=who.profile_id, slug=None)
    return finding.find(profile_id=who.profile_id, space_id=space.id, query=query, kinds=("passages",))


def test_its_text_is_found_by_question(anna):
    give(anna)
    tasks.drain()
    found = passages(anna, "Who is a harbour pilot?")
    assert "harbour pilot" in found[0].text
    assert found[0].source_ids == ("cv.pdf#page=2",)


def test_chats_are_not_found_in_its_way_while_they_are_not_indexed(anna):
    tell(anna, "The harbour pilot waved at me.")
    give(anna)
    tasks.drain()
    assert {one.source_ids for one in passages(anna, "harbour pilot")} <= {("cv.pdf#page=1",), ("cv.pdf#page=2",)}


def test_removing_it_removes_all_that_came_from_it(anna, model, database):
    document = give(anna, "zanzibar.pdf").document
    read(model, CITY, ROLE)
    city, role = rows(anna)
    facts.approve(profile_id=anna.profile_id, fact_id=city.id)
    tasks.drain()
    gone = removing.remove(profile_id=anna.profile_id, document_id=document.id)
    assert {fact.id for fact in gone.deleted} == {city.id, role.id}
    assert set(left(anna).values()) == {0}
    assert {fact.state for fact in rows(anna)} == {"deleted"}
    name, payload = last_event(anna)
    assert (name, payload["document_id"], payload["facts_kept"]) == ("memory.document.deleted", str(document.id), [])
    with profile_scope(anna.profile_id):
        facts.purge(profile_id=anna.profile_id, before=now() + timedelta(seconds=1), most=100)
    assert in_tables(database, "harbour") == []
    assert passages(anna, "harbour pilot") == []


def test_what_the_person_made_their_own_or_said_stays(anna, model):
    document = give(anna).document
    read(model, CITY, ROLE)
    city, role = rows(anna)
    facts.approve(profile_id=anna.profile_id, fact_id=city.id)
    facts.approve(profile_id=anna.profile_id, fact_id=role.id, changes={"value": "retired harbour pilot"})
    tell(anna, "I live in Porto.")
    read(model, CITY)
    gone = removing.remove(profile_id=anna.profile_id, document_id=document.id)
    assert [fact.value for fact in gone.deleted] == ["harbour pilot"]  # as the document had it
    assert {fact.value for fact in rows(anna, state="current")} == {"Porto", "retired harbour pilot"}


def test_removed_while_it_is_read_nothing_comes_of_it(anna, model):
    document = give(anna).document

    def remove() -> None:
        removing.remove(profile_id=anna.profile_id, document_id=document.id)
        connection.close()

    def answer(_request: object) -> str:
        thread = threading.Thread(target=remove)
        thread.start()
        thread.join()
        return reply(CITY, ROLE)

    model.extraction(answer)
    tasks.drain()
    assert left(anna) == dict.fromkeys(left(anna), 0)
    assert rows(anna) == []


def test_it_can_be_given_again_afterwards(anna, model):
    document = give(anna).document
    read(model, CITY)
    removing.remove(profile_id=anna.profile_id, document_id=document.id)
    again = give(anna)
    assert again.new
    read(model, CITY)
    assert [state for _, _, state, _ in taught(anna, again.document)] == ["pending"]


def test_nobody_removes_what_is_not_theirs(anna):
    bert = person("bert")
    document = give(anna).document
    for wanted in (document.id, new_id()):
        with pytest.raises(NotFound):
            removing.remove(profile_id=bert.profile_id, document_id=wanted)
    assert left(anna)["Document"] == 1


def test_pruning_its_text_as_a_conversation_takes_it_along(anna):
    document = give(anna).document
    prune.prune(profile_id=anna.profile_id, conversation_id=str(document.conversation_id))
    assert set(left(anna).values()) == {0}


def test_it_is_swept_like_what_was_said_and_its_facts_stay(anna, model, settings):
    give(anna)
    read(model, CITY)
    tasks.drain()
    (city,) = rows(anna)
    facts.approve(profile_id=anna.profile_id, fact_id=city.id)
    memory = settings.CAESAR.memory.model_copy(update={"retention_days": 1e-9})
    settings.CAESAR = settings.CAESAR.model_copy(update={"memory": memory})
    sweep.sweep()
    with profile_scope(anna.profile_id):
        assert Passage.objects.count() == Document.objects.count() == Conversation.objects.count() == 0
        kept = Fact.objects.get()
        assert (kept.state, kept.quote, kept.source_audit_id) == ("current", "I live in Porto.", None)


def test_erasing_the_person_erases_it(anna, database):
    give(anna, "zanzibar.txt", b"I sail to Zanzibar.")
    erase.erase_profile(profile_id=anna.profile_id)
    assert rows_of(database, anna.profile_id) == {}
    assert in_tables(database, "zanzibar") == []


def test_what_it_says_of_a_deleted_fact_is_struck_out(anna, model, database):
    give(anna, "me.txt", b"My boat is the Zanzibarine.\n\n" + b"The harbour is wide and calm. " * 60)
    read(model, {"key": "boat.name", "value": "Zanzibarine", "quote": "My boat is the Zanzibarine."})
    (boat,) = rows(anna)
    facts.approve(profile_id=anna.profile_id, fact_id=boat.id)
    facts.delete(profile_id=anna.profile_id, fact_id=boat.id)
    facts.purge(profile_id=anna.profile_id, before=now() + timedelta(seconds=1), most=10)
    assert [one for one in passages(anna, "Zanzibarine boat") if "Zanzibarine" in one.text] == []


def test_who_gives_a_document_after_a_deletion_finds_it_and_is_asked_about_what_it_says(anna, model):
    tell(anna, "My boat is the Zanzibarine.")
    read(model, {"key": "boat.name", "value": "Zanzibarine"})
    (boat,) = rows(anna)
    facts.delete(profile_id=anna.profile_id, fact_id=boat.id)
    document = give(anna, "boat.txt", b"My boat is the Zanzibarine.").document
    read(model, {"key": "boat.name", "value": "Zanzibarine"})
    assert passages(anna, "Zanzibarine")[0].source_ids == ("boat.txt",)
    assert taught(anna, document) == [("boat.name", "Zanzibarine", "pending", None)]


def test_it_comes_back_from_an_export_whole(anna, model, tmp_path):
    bert = person("bert")
    document = give(anna).document
    read(model, CITY)
    exported = export(anna)
    assert load(bert, exported, tmp_path, dry_run=True).counts["documents"] == {"new": 1}
    assert load(bert, exported, tmp_path).counts["documents"] == {"new": 1}
    one, other = state(anna), state(bert)
    for kind in one:
        assert other[kind] == one[kind], kind
    with profile_scope(bert.profile_id):
        (brought,) = Document.objects.all()
    assert brought.id != document.id
    assert taught(bert, brought) == [("address.city", "Porto", "pending", 1)]
    tasks.drain()
    assert passages(bert, "harbour pilot")[0].source_ids == ("cv.pdf#page=2",)
    gone = removing.remove(profile_id=bert.profile_id, document_id=brought.id)
    assert len(gone.deleted) == 1
    assert set(left(bert).values()) == {0}
    assert left(anna)["Document"] == 1


def test_an_export_of_it_imported_again_changes_nothing(anna, model, tmp_path):
    give(anna)
    read(model, CITY)
    before = state(anna)
    report = load(anna, export(anna), tmp_path)
    assert report.counts["documents"] == {"known": 1}
    assert state(anna) == before
    assert not give(anna).new


def test_without_consent_an_export_of_it_is_neither_read_nor_found(anna, tmp_path):
    bert = person("bert", memory=False)
    give(anna)
    load(bert, export(anna), tmp_path)
    tasks.drain()
    with profile_scope(bert.profile_id):
        assert Document.objects.count() == 1
        assert Passage.objects.count() == WorkItem.objects.count() == Fact.objects.count() == 0
