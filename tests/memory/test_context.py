"""What memory would give a chat, why, and what fell out."""

import pytest

from memory import chats, context, facts, profiles, recall
from memory.db import profile_scope
from memory.domain.block import Fall
from memory.models import AuditLog
from memory.recall import Rule
from tests.people import person


@pytest.fixture
def anna(database):
    return person("anna")


def knows(who, key, value):
    return str(facts.author(profile_id=who.profile_id, fields={"key": key, "value": value}).id)


def asked(who, query, **more):
    return context.for_question(profile_id=who.profile_id, fields={"query": query, **more}, beyond=5)


def inject(settings, **changes):
    memory = settings.CAESAR.memory
    changed = memory.model_copy(update={"facts_inject": memory.facts_inject.model_copy(update=changes)})
    settings.CAESAR = settings.CAESAR.model_copy(update={"memory": changed})


def test_it_says_what_the_question_asked_for_and_what_every_chat_gets(anna):
    dog, city = knows(anna, "dog.name", "Beans"), knows(anna, "address.city", "Tartu")
    known = {item.id: item for item in asked(anna, "What does Beans eat?").items}
    assert (known[dog].rule, known[dog].left_out) == (Rule.ASKED, None)
    assert "Beans" in known[dog].why
    assert known[dog].scores["lexical"] > 0.34
    assert (known[city].rule, known[city].scores) == (Rule.CORE, {})
    assert known[city].score == pytest.approx(1, abs=0.01)


def test_it_says_what_fell_out_and_why(anna, settings):
    for number in range(6):
        knows(anna, f"thing.n{number}", "a word or two " * 3)
    inject(settings, max_facts=4)
    fell = [item.left_out for item in asked(anna, "").items]
    assert fell == [None] * 4 + [Fall.COUNT] * 2
    inject(settings, max_facts=4, max_chars=400)
    fell = [item.left_out for item in asked(anna, "").items]
    assert fell.count(Fall.ROOM) == 4 - fell.count(None)
    assert 0 < fell.count(None) < 4
    assert fell.count(Fall.COUNT) == 2


@pytest.mark.parametrize("max_facts", [0, 1, 3, 30])
@pytest.mark.parametrize("max_chars", [0, 350, 450, 2048])
def test_to_tell_more_changes_nothing_of_what_a_chat_gets(anna, settings, max_facts, max_chars):
    for number in range(8):
        knows(anna, f"animal.n{number}", f"Beans number {number} " * (number % 3 + 1))
    inject(settings, max_facts=max_facts, max_chars=max_chars)
    question = "Beans number 5 and animal number 7?"
    turn = chats.begin(profile_id=anna.profile_id, messages=[{"role": "user", "content": question}])
    told = asked(anna, question)
    assert told.block == turn.recalled.block
    assert told.facts == turn.recalled.facts
    assert [item.rule for item in told.given] == [item.rule for item in turn.recalled.given]
    ids = [item.id for item in told.items]
    assert len(ids) == len(set(ids))


def test_the_log_keeps_why_a_fact_was_given(anna):
    dog = knows(anna, "dog.name", "Beans")
    knows(anna, "address.city", "Tartu")
    message = [{"role": "user", "content": "What does Beans eat?"}]
    turn = chats.begin(profile_id=anna.profile_id, messages=message)
    audit_id = chats.finish(turn, chats.Answer(text="Meat."))
    with profile_scope(anna.profile_id):
        payload = AuditLog.objects.get(id=audit_id).payload
    assert len(payload["facts"]) == 2
    assert payload["asked_for"] == {dog: turn.recalled.scores(Rule.ASKED)[dog]}
    assert set(payload["asked_for"][dog]) >= {"semantic", "lexical", "score"}


def test_where_memory_is_off_there_is_nothing(anna):
    profiles.update(profile_id=anna.profile_id, changes={"memory_enabled": False, "summaries_enabled": False})
    assert asked(anna, "Beans?") is recall.NOTHING
