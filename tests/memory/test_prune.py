"""Pruning a conversation: its text goes for good, what it taught stays or goes, and nothing comes back."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from django.db import connection

from memory import chats, facts, prune, work
from memory.db import operator_scope, profile_scope
from memory.errors import NotFound
from memory.models import (
    AuditLog,
    Conversation,
    Embedding,
    EmbedQueue,
    EpisodeSummary,
    Fact,
    MessageHash,
    Passage,
    WorkItem,
)
from memory.models.fields import new_id
from tests.memory.saying import last_event, now
from tests.memory.test_cursor import tell
from tests.memory.test_deleting import everything
from tests.memory.test_extract import reply
from tests.people import Person, person
from tests.scripted_model import ScriptedModel
from workers import tasks

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def anna() -> Person:
    return person("anna")


def learn(who: Person, model: ScriptedModel, text: str, *entries: dict[str, Any], conversation: str) -> int:
    model.reset()
    model.extraction(reply(*entries))
    audit_id = tell(who, text, conversation_id=conversation)
    tasks.drain()
    return audit_id


def gone(who: Person, conversation: str, **more: Any) -> prune.Pruned:
    return prune.prune(profile_id=who.profile_id, conversation_id=conversation, **more)


def counts(who: Person) -> dict[str, int]:
    with profile_scope(who.profile_id):
        chats_left = AuditLog.objects.filter(event_type="chat.completed").count()
        vectors = Embedding.objects.exclude(owner_kind="fact").count()
        models = (Conversation, MessageHash, EpisodeSummary, Passage, WorkItem)
        return {"chats": chats_left, "vectors": vectors, **{m.__name__: m.objects.count() for m in models}}


def test_it_leaves_nothing_of_a_conversation_but_what_it_taught(anna, model, database):
    told = {"summary": "Of zanzibar.", "decisions": ["Zanzibar it is"]}
    facts_told = [{"key": "dog.name", "value": "Beans", "confidence": 0.9}]
    model.extraction([json.dumps({"facts": facts_told, **told}), json.dumps({"facts": [], **told})])
    for text in ("My dog is Beans. Zanzibar is far.", "And I like another zanzibar thing.", "And I say zanzibar."):
        tasks.drain()
        tell(anna, text, conversation_id="one")
    with profile_scope(anna.profile_id):
        where = Conversation.objects.get()
        common = {"profile_id": anna.profile_id, "space_id": where.space_id, "conversation": where, "said_at": now()}
        made = [EpisodeSummary.objects.get(), Passage.objects.create(text="zanzibar", role="user", **common)]
        for kind, owner in zip(("episode", "passage"), made, strict=True):
            Embedding.objects.create(
                profile_id=anna.profile_id, owner_kind=kind, owner_id=owner.id, identity="t", vector=[0.5]
            )
    done = gone(anna, "one")
    assert (done.chats, [f.value for f in done.kept], done.deleted) == (3, ["Beans"], ())
    assert set(counts(anna).values()) == {0}
    assert "zanzibar" not in everything(database).casefold()
    with profile_scope(anna.profile_id):
        fact = Fact.objects.get()
        assert EmbedQueue.objects.exclude(owner_id=fact.id).count() == 0
    assert (fact.state, fact.source_audit_id, fact.quote) == ("current", None, "My dog is Beans.")
    event, payload = last_event(anna)
    assert event == "memory.conversation.deleted"
    assert payload == {"conversation_id": "one", "chats": 3, "facts_kept": [str(fact.id)], "facts_deleted": []}
    with pytest.raises(NotFound):
        gone(anna, "one")
    tasks.drain()
    assert counts(anna)["WorkItem"] == 0


def test_it_takes_the_facts_along_that_nothing_else_speaks_for(anna, model):
    learn(anna, model, "I live in Graz.", {"key": "address.city", "value": "Graz"}, conversation="other")
    dog, tea = {"key": "dog.name", "value": "Beans"}, {"key": "drink", "value": "tea"}
    cat = {"key": "cat.name", "value": "Nata"}
    text = "My dog is Beans, my cat is Nata, I drink tea, I live in Linz."
    learn(anna, model, text, dog, tea, cat, {"key": "address.city", "value": "Linz"}, conversation="one")
    learn(anna, model, "I drink tea.", tea, conversation="other")
    with profile_scope(anna.profile_id):
        pinned = Fact.objects.get(value="Nata")
    facts.edit(profile_id=anna.profile_id, fact_id=pinned.id, changes={"importance": 1.0})
    done = gone(anna, "one", with_facts=True)
    assert sorted(f.value for f in done.deleted) == ["Beans", "Linz"]
    assert sorted(f.value for f in done.kept) == ["Nata", "tea"]
    with profile_scope(anna.profile_id):
        left = dict(Fact.objects.exclude(state="deleted").values_list("value", "state"))
    assert left == {"Nata": "current", "tea": "current", "Graz": "superseded"}
    learn(anna, model, "I live in Linz.", {"key": "address.city", "value": "Linz"}, conversation="new")
    with profile_scope(anna.profile_id):
        assert Fact.objects.get(state="pending").value == "Linz"
    facts.undelete(profile_id=anna.profile_id, fact_id=done.deleted[0].id)


def test_it_prunes_only_ones_own(anna):
    bert = person("bert")
    tell(anna, "My dog is Beans.", conversation_id="one")
    for wanted in ("one", str(new_id()), "x" * 500, "\0"):
        with pytest.raises(NotFound):
            gone(bert, wanted)
    assert counts(anna)["chats"] == 1
    with profile_scope(anna.profile_id):
        theirs = Conversation.objects.get().id
    with profile_scope(bert.profile_id), connection.cursor() as cursor:
        cursor.execute("SELECT audit_prune(%s)", [theirs])
        assert cursor.fetchone() == (0,)
    assert counts(anna)["chats"] == 1


def test_it_lets_a_reading_in_flight_come_to_nothing(anna, model):
    """The model answers after the conversation was deleted."""
    model.extraction(reply({"key": "dog.name", "value": "Beans"}))
    tell(anna, "My dog is Beans.", conversation_id="one")
    asked, answer = threading.Event(), threading.Event()

    def slowly(request):
        asked.set()
        assert answer.wait(20)
        return reply({"key": "dog.name", "value": "Beans"})

    model.on(lambda request: request.is_extraction, slowly)
    outcomes: list[int] = []
    worker = threading.Thread(target=lambda: outcomes.append(_drain()))
    worker.start()
    assert asked.wait(20)
    gone(anna, "one")
    answer.set()
    worker.join(30)
    assert outcomes == [1]
    with operator_scope():
        assert Fact.objects.count() == 0
        assert WorkItem.objects.count() == 0
        assert not AuditLog.objects.filter(event_type__startswith="memory.extract").exists()


def _drain() -> int:
    try:
        return tasks.drain()
    finally:
        connection.close()


def test_it_lets_a_turn_that_is_being_answered_be_written(anna):
    history = [{"role": "user", "content": "Hello there, my friend."}]
    first = chats.begin(profile_id=anna.profile_id, messages=history, conversation_id="one")
    chats.finish(first, chats.Answer(text="Hi."))
    turn = chats.begin(profile_id=anna.profile_id, messages=history, conversation_id="one")
    gone(anna, "one")
    chats.finish(turn, chats.Answer(text="Hi again."))
    assert counts(anna)["chats"] == 1
    work.release_expired()
    assert tasks.drain() <= 1


def test_it_tells_nothing_of_the_text_in_the_log(anna, model):
    learn(anna, model, "My dog is Beans.", {"key": "dog.name", "value": "Beans"}, conversation="one")
    gone(anna, "one", with_facts=True)
    with profile_scope(anna.profile_id):
        rows = AuditLog.objects.filter(event_type__in=["memory.conversation.deleted", "memory.fact.user_deleted"])
        assert "Beans" not in json.dumps([row.payload for row in rows])
        assert not AuditLog.objects.exclude(conversation=None).exists()
