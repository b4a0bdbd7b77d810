"""What a reading is shown of a conversation."""

from __future__ import annotations

import pytest

from memory import transcript
from memory.db import profile_scope
from memory.models import AuditLog, WorkKind
from tests.memory.test_consent import tell
from tests.people import Person, person

pytestmark = pytest.mark.usefixtures("database")


def shown(who: Person, audit_ids: list[int], **options: int) -> list[tuple[bool, str, str]]:
    with profile_scope(who.profile_id):
        conversation_id = AuditLog.objects.get(id=audit_ids[0]).conversation_id
        found = transcript.read(
            kinds=[WorkKind.EXTRACT], conversation_id=conversation_id, audit_ids=audit_ids, **options
        )
    return [(m.new, m.role, m.text) for m in found]


def talk(who: Person, count: int) -> list[int]:
    return [tell(who, f"I like number {n}.", conversation_id="thread") for n in range(count)]


def test_it_shows_the_chats_in_the_order_of_saying_after_a_little_of_what_stood_before():
    anna = person("anna")
    ids = talk(anna, 4)
    assert shown(anna, [ids[3], ids[2]]) == [
        (False, "user", "I like number 1."),
        (False, "assistant", "Noted."),
        (True, "user", "I like number 2."),
        (True, "assistant", "Noted."),
        (True, "user", "I like number 3."),
        (True, "assistant", "Noted."),
    ]
    assert shown(anna, ids[:1])[0] == (True, "user", "I like number 0.")


def test_it_shows_nothing_from_before_a_row_of_the_log():
    anna = person("anna")
    ids = talk(anna, 3)
    assert shown(anna, ids, after=ids[1]) == [(True, "user", "I like number 2."), (True, "assistant", "Noted.")]
    assert shown(anna, ids, after=ids[2]) == []


def test_it_leaves_out_what_was_said_before_and_sent_again():
    anna = person("anna")
    first = tell(anna, "I like tea.", conversation_id="thread")
    second = tell(anna, "I like tea.", "Noted.", "I like rice.", conversation_id="thread")
    assert [text for new, role, text in shown(anna, [second]) if new and role == "user"] == ["I like rice."]
    assert shown(anna, [first])


def test_what_stood_before_is_cut_short():
    anna = person("anna")
    tell(anna, "x" * 5_000, conversation_id="thread")
    audit_id = tell(anna, "I like tea.", conversation_id="thread")
    (context, *_) = shown(anna, [audit_id])
    assert context == (False, "user", "x" * transcript.CONTEXT_CHARS)
