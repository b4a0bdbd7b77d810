"""The same request, sent twice at once: a second click, a client that lost patience. It was said once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from memory import chats
from memory.db import operator_scope
from memory.models import AuditLog, Fact, FactSource
from tests.people import Person, person
from workers import tasks

pytestmark = pytest.mark.usefixtures("database")
BEANS = {"role": "user", "content": "My dog's name is Beans."}
TEA = [{"role": "user", "content": "I like tea."}, {"role": "assistant", "content": "Noted."}]


def begin(who: Person, *messages: dict[str, str], **options: Any) -> chats.Turn:
    return chats.begin(profile_id=who.profile_id, messages=list(messages), **options)


def finish(turn: chats.Turn, text: str = "Noted.") -> int:
    return chats.finish(turn, chats.Answer(text=text))


def evidence() -> list[tuple[str, int, int]]:
    """What was learned, how often it was heard, and in how many chats."""
    tasks.drain()
    with operator_scope():
        return [
            (fact.value, fact.evidence_count, FactSource.objects.filter(fact_id=fact.id).count())
            for fact in Fact.objects.order_by("value")
        ]


def rows() -> list[AuditLog]:
    with operator_scope():
        return list(AuditLog.objects.filter(event_type="chat.completed").order_by("said_at"))


@pytest.mark.parametrize("conversation_id", [None, "thread"])
@pytest.mark.parametrize("read_between", [False, True])
def test_it_was_said_once(conversation_id: str | None, read_between: bool):
    anna = person("anna")
    turns = [begin(anna, BEANS, conversation_id=conversation_id) for _ in range(3)]
    for number, turn in enumerate(turns):
        finish(turn, f"Answer {number}.")
        if read_between:
            tasks.drain()
    assert evidence() == [("Beans", 1, 1)]
    # Each was answered, and each answer is kept.
    assert [row.payload["answer"]["text"] for row in rows()] == ["Answer 0.", "Answer 1.", "Answer 2."]
    assert [m["text"] for row in rows() for m in row.payload["messages"]] == [BEANS["content"]] * 3


def test_it_was_said_once_in_the_middle_of_a_conversation():
    anna = person("anna")
    finish(begin(anna, TEA[0]))
    turns = [begin(anna, *TEA, BEANS) for _ in range(2)]
    for turn in turns:
        finish(turn)
        assert evidence() == [("Beans", 1, 1), ("tea", 1, 1)]
    # The conversation goes on from either.
    after = finish(begin(anna, *TEA, BEANS, {"role": "assistant", "content": "Noted."}, TEA[0]))
    assert [m["text"] for r in rows() if r.id == after for m in r.payload["messages"]] == ["I like tea."]
    assert len({row.conversation_id for row in rows()}) == 1


def test_it_was_said_once_with_a_history_that_nobody_has_seen():
    anna = person("anna")
    for turn in [begin(anna, *TEA, BEANS) for _ in range(2)]:
        finish(turn)
    assert evidence() == [("Beans", 1, 1), ("tea", 1, 1)]


def test_it_was_said_once_however_the_two_ends_meet():
    anna = person("anna")
    turns = [begin(anna, BEANS) for _ in range(6)]
    together = threading.Barrier(len(turns))

    def end(turn: chats.Turn) -> None:
        together.wait()
        try:
            finish(turn)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(turns)) as pool:
        list(pool.map(end, turns))
    assert evidence() == [("Beans", 1, 1)]


def test_it_was_said_twice_where_it_was_said_in_two_conversations():
    anna = person("anna")
    for turn in [begin(anna, BEANS, conversation_id=name) for name in ("one", "two")]:
        finish(turn)
    assert evidence() == [("Beans", 2, 2)]


def test_it_was_said_twice_where_one_was_answered_before_the_other_began():
    anna = person("anna")
    finish(begin(anna, BEANS))
    finish(begin(anna, BEANS))
    assert evidence() == [("Beans", 2, 2)]


def test_it_was_said_by_each_of_two_people():
    turns = [begin(person(name), BEANS) for name in ("anna", "bert")]
    for turn in turns:
        finish(turn)
    assert evidence() == [("Beans", 1, 1)] * 2


def test_it_is_read_once_though_the_first_of_two_was_off_the_record():
    anna = person("anna")
    off, on = begin(anna, BEANS, memory_on=False), begin(anna, BEANS)
    finish(off)
    finish(on)
    assert evidence() == [("Beans", 1, 1)]
