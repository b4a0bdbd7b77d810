"""Without consent no model but the chat's own sees a word, and what was said without it is never read later."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

from memory import chats, consent, context, cursor, facts, profiles, recall, spaces, transcript, work
from memory.db import operator_scope, profile_scope
from memory.models import AuditLog, EpisodeSummary, Fact, WorkItem, WorkKind
from tests.people import Person, person
from tests.scripted_model import ScriptedModel, Text
from workers import tasks

pytestmark = pytest.mark.usefixtures("database")
SWITCHES = list(itertools.product([True, False], repeat=4))


def learned(key: str, value: str, **more: Any) -> str:
    return json.dumps({"facts": [{"key": key, "value": value, "confidence": 0.9, **more}], "summary": "s"})


def tell(who: Person, *texts: str, **options: Any) -> int:
    """Texts are turns of the person and the assistant by turns, the last one the person's."""
    messages = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]
    turn = chats.begin(profile_id=who.profile_id, messages=messages, **options)
    return chats.finish(turn, chats.Answer(text="Noted."))


def switch(who: Person, **changes: bool) -> None:
    profiles.update(profile_id=who.profile_id, changes=changes)


def held(who: Person) -> list[str]:
    with profile_scope(who.profile_id):
        return sorted(Fact.objects.values_list("value", flat=True))


def states() -> list[str]:
    with operator_scope():
        return sorted(WorkItem.objects.values_list("state", flat=True))


def seen(model: ScriptedModel) -> str:
    """All that the reading model was shown."""
    return "\n".join(request.text for request in model.extractions)


@pytest.mark.parametrize(("facts_in", "facts_here", "summaries_in", "summaries_here"), SWITCHES)
def test_it_reads_for_what_both_the_person_and_the_space_agreed_to(
    model, facts_in, facts_here, summaries_in, summaries_here
):
    anna = person("anna", memory=False)
    spaces.create_space(
        profile_id=anna.profile_id,
        fields={"slug": "work", "memory_enabled": facts_here, "summaries_enabled": summaries_here},
    )
    switch(anna, memory_enabled=facts_in, summaries_enabled=summaries_in)
    tell(anna, "My dog's name is Beans.", space="work")
    tasks.drain()
    wanted = {"facts": facts_in and facts_here, "summary": summaries_in and summaries_here}
    assert len(model.requests) == int(any(wanted.values()))
    if model.requests:
        only = {(True, True): "facts and summary.", (True, False): "facts only;", (False, True): "summary only;"}
        assert only[wanted["facts"], wanted["summary"]] in seen(model)
    with operator_scope():
        made = set(WorkItem.objects.values_list("kind", flat=True))
    assert made == {kind for kind, name in (("extract", "facts"), ("summarise", "summary")) if wanted[name]}
    with profile_scope(anna.profile_id):
        row = AuditLog.objects.get(event_type="chat.completed")
    assert (row.mine_facts, row.mine_summary) == (facts_in and facts_here, summaries_in and summaries_here)


@pytest.mark.parametrize("where", ["profile", "space", "request"])
def test_it_gives_the_chat_nothing_where_memory_is_off(where):
    anna = person("anna")
    facts.author(profile_id=anna.profile_id, fields={"key": "dog.name", "value": "Beans"})
    if where == "profile":
        switch(anna, memory_enabled=False, summaries_enabled=False)
    elif where == "space":
        changes = {"memory_enabled": False, "summaries_enabled": False}
        spaces.update_space(profile_id=anna.profile_id, slug="general", changes=changes)
    asked = [{"role": "user", "content": "What is my dog's name?"}]
    turn = chats.begin(profile_id=anna.profile_id, messages=asked, memory_on=where != "request")
    assert turn.recalled is recall.NOTHING
    if where != "request":
        asked_for = {"query": "What is my dog's name?"}
        assert context.for_question(profile_id=anna.profile_id, fields=asked_for) is recall.NOTHING


def test_it_never_reads_what_was_said_before_consent_was_given(model: ScriptedModel):
    anna = person("anna", memory=False)
    before = tell(anna, "My PIN word is Quokka.", conversation_id="thread")
    switch(anna, memory_enabled=True, summaries_enabled=True)
    tasks.drain()
    assert model.requests == []
    # The client sends it all again, and it also stands before what is read now.
    tell(anna, "My PIN word is Quokka.", "Noted.", "I like tea in the morning.", conversation_id="thread")
    tell(anna, "My PIN word is Quokka.", "What else?", "I like rice in the evening.")
    tasks.drain()
    assert len(model.requests) == 2
    assert "tea in the morning" in seen(model)
    assert "rice in the evening" in seen(model)
    assert "Quokka" not in seen(model)
    with operator_scope():
        assert not WorkItem.objects.filter(audit_id=before).exists()


@pytest.mark.parametrize("name", ["memory_enabled", "summaries_enabled"])
def test_it_stops_what_waits_when_consent_is_withdrawn_and_does_not_come_back_to_it(model: ScriptedModel, name):
    anna = person("anna", memory=False)
    switch(anna, **{name: True})
    tell(anna, "My dog's name is Beans.")
    cursor.tick(*WorkKind)
    tell(anna, "My cat's name is Moss.")  # not even an item yet
    switch(anna, **{name: False})
    assert states() == ["cancelled"]
    switch(anna, **{name: True})
    tasks.drain()
    assert model.requests == []
    assert states() == ["cancelled", "cancelled"]
    with operator_scope():
        ids = list(WorkItem.objects.values_list("id", flat=True))
    for item_id in ids:  # not by hand either
        work.retry_item(profile_id=anna.profile_id, item_id=item_id)
    tasks.drain()
    assert model.requests == []
    tell(anna, "My hamster's name is Pip.")
    tasks.drain()
    assert len(model.requests) == 1


def test_it_stops_only_what_was_said_in_a_space_that_is_switched_off(model: ScriptedModel):
    anna = person("anna")
    spaces.create_space(profile_id=anna.profile_id, fields={"slug": "work"})
    tell(anna, "My desk is blue.", space="work")
    tell(anna, "My dog's name is Beans.")
    cursor.tick(*WorkKind)
    changes = {"memory_enabled": False, "summaries_enabled": False}
    spaces.update_space(profile_id=anna.profile_id, slug="work", changes=changes)
    assert states() == ["cancelled", "cancelled", "waiting", "waiting"]
    tasks.drain()
    assert len(model.requests) == 1
    assert "desk" not in seen(model)


def test_it_heeds_the_space_of_each_turn_of_a_conversation(model: ScriptedModel):
    anna = person("anna")
    spaces.create_space(profile_id=anna.profile_id, fields={"slug": "work"})
    tell(anna, "My dog's name is Beans.", conversation_id="thread")
    tell(anna, "My desk is blue.", conversation_id="thread", space="work")
    changes = {"memory_enabled": False, "summaries_enabled": False}
    spaces.update_space(profile_id=anna.profile_id, slug="work", changes=changes)
    tasks.drain()
    assert "Beans" in seen(model)
    assert "desk" not in seen(model)


def test_it_keeps_summaries_and_facts_apart_when_one_is_withdrawn():
    anna = person("anna")
    tell(anna, "My dog's name is Beans.")
    cursor.tick(WorkKind.EXTRACT)
    cursor.tick(WorkKind.SUMMARISE)
    switch(anna, summaries_enabled=False)
    with operator_scope():
        assert dict(WorkItem.objects.values_list("kind", "state")) == {"extract": "waiting", "summarise": "cancelled"}


@contextmanager
def reading(model: ScriptedModel) -> Iterator[None]:
    """Inside, a worker waits for the model's answer."""

    def read() -> None:
        try:
            tasks.drain()
        finally:
            connection.close()

    worker = threading.Thread(target=read)
    worker.start()
    model.wait_for(lambda m: len(m.extractions) == 1)
    yield
    worker.join()


def test_it_keeps_nothing_of_a_reading_during_which_consent_is_withdrawn(model: ScriptedModel):
    anna = person("anna")
    model.extraction(Text(learned("dog.name", "Beans"), delay=0.5))
    tell(anna, "My dog's name is Beans.")
    with reading(model):
        switch(anna, memory_enabled=False)
    assert held(anna) == []
    with operator_scope():
        assert dict(WorkItem.objects.values_list("kind", "state")) == {"extract": "cancelled", "summarise": "done"}


def test_it_writes_no_summary_that_is_not_agreed_to_any_more_and_learns_all_the_same(model: ScriptedModel):
    anna = person("anna")
    model.extraction(Text(learned("dog.name", "Beans"), delay=0.5))
    tell(anna, "My dog's name is Beans.")
    with reading(model):
        switch(anna, summaries_enabled=False)
    assert held(anna) == ["Beans"]
    with operator_scope():
        assert not EpisodeSummary.objects.exists()
        assert dict(WorkItem.objects.values_list("kind", "state")) == {"extract": "done", "summarise": "cancelled"}


def test_it_does_not_ask_a_second_time_after_consent_is_withdrawn(model: ScriptedModel):
    anna = person("anna")
    model.extraction(Text("What a nice dog!", delay=0.5))
    tell(anna, "My dog's name is Beans.")
    with reading(model):
        switch(anna, memory_enabled=False, summaries_enabled=False)
    assert len(model.requests) == 1
    with profile_scope(anna.profile_id):
        told = set(AuditLog.objects.values_list("event_type", flat=True))
    assert told == {"chat.completed", "settings.changed"}


@pytest.mark.parametrize(
    ("kind", "section", "other"),
    [
        (WorkKind.EXTRACT, "facts_extract", "summary only;"),
        (WorkKind.SUMMARISE, "episodes_summarise", "facts only;"),
    ],
)
def test_it_works_off_the_backlog_of_a_feature_that_is_switched_on_later(
    model: ScriptedModel, settings: Any, kind, section, other
):
    def switch_feature(enabled: bool) -> None:
        memory = settings.CAESAR.memory
        rules = getattr(memory, section).model_copy(update={"enabled": enabled})
        settings.CAESAR = settings.CAESAR.model_copy(update={"memory": memory.model_copy(update={section: rules})})

    anna, bert = person("anna"), person("bert", memory=False)
    tell(anna, "My dog's name is Beans.")
    cursor.tick(kind)
    switch_feature(False)
    tell(anna, "My cat's name is Moss.")
    tell(bert, "My name is Bert.")
    tasks.drain()
    tasks.recover()
    assert not tasks.work_next(kind)
    assert len(model.requests) == 2
    assert all(other in request.text for request in model.requests)
    switch_feature(True)
    tasks.drain()
    assert len(model.requests) == 4
    assert "Bert" not in seen(model)


def test_it_writes_down_who_changed_what_was_agreed_to():
    anna = person("anna")
    switch(anna, memory_enabled=False)
    spaces.update_space(profile_id=anna.profile_id, slug="general", changes={"summaries_enabled": False})
    with profile_scope(anna.profile_id):
        rows = AuditLog.objects.filter(event_type="settings.changed").order_by("id")
        told = [(row.actor, row.payload["old"], row.payload["new"]) for row in rows]
    assert told == [
        ("person", {"memory_enabled": True}, {"memory_enabled": False}),
        ("person", {"summaries_enabled": True}, {"summaries_enabled": False}),
    ]


def test_it_never_reads_what_was_said_off_the_record_when_it_is_sent_again(model: ScriptedModel):
    anna = person("anna")
    secret = "My PIN word is Quokka."
    tell(anna, "I like tea in the morning.")
    tell(anna, "I like tea in the morning.", "Noted.", secret, memory_on=False)
    said = ["I like tea in the morning.", "Noted.", secret, "Noted."]
    for text in ("I like rice in the evening.", "I like fog at night."):  # the client sends all of it, with memory on
        said.append(text)
        tell(anna, *said)
        said.append("Noted.")
    tell(anna, secret, "Noted.", "And in another thread: I like ice.", conversation_id="other")
    tasks.drain()
    assert "fog at night" in seen(model)
    assert "I like ice" in seen(model)
    assert "Quokka" not in seen(model)
    with profile_scope(anna.profile_id):
        assert all("Quokka" not in json.dumps(row.payload) for row in AuditLog.objects.all())


def test_what_was_said_off_the_record_can_be_said_on_it(model: ScriptedModel):
    anna = person("anna")
    tell(anna, "My dog's name is Beans.", memory_on=False)
    tell(anna, "My dog's name is Beans.")
    tasks.drain()
    assert "Beans" in seen(model)


@pytest.mark.parametrize(("facts_in", "facts_here", "summaries_in", "summaries_here"), SWITCHES)
def test_a_worker_is_shown_just_the_chats_that_may_be_read(facts_in, facts_here, summaries_in, summaries_here):
    """What hand-written SQL gives of a conversation is what the rule says, for each kind and for both together."""
    anna = person("anna", memory=False)
    options = ({}, {"memory_enabled": True}, {"summaries_enabled": True}, {"memory_enabled": False})
    for n, changes in enumerate(options):
        switch(anna, **changes)
        tell(anna, f"My thing number {n} is blue.", conversation_id="thread")
    switch(anna, memory_enabled=facts_in, summaries_enabled=summaries_in)
    here = {"memory_enabled": facts_here, "summaries_enabled": summaries_here}
    spaces.update_space(profile_id=anna.profile_id, slug="general", changes=here)
    tell(anna, "My last thing is red.", conversation_id="thread")
    with profile_scope(anna.profile_id):
        chats_told = AuditLog.objects.filter(event_type="chat.completed")
        conversation_id = chats_told[0].conversation_id
        for kinds in ([WorkKind.EXTRACT], [WorkKind.SUMMARISE], list(WorkKind)):
            allowed = chats_told
            for kind in kinds:
                allowed = allowed.filter(consent.readable(kind))
            shown = transcript.read(
                kinds=kinds,
                conversation_id=conversation_id,
                audit_ids=list(chats_told.values_list("id", flat=True)),
            )
            assert {m.audit_id for m in shown} == set(allowed.values_list("id", flat=True)), kinds
