"""When finished chats are looked for: at intervals, or now where somebody waits."""

from __future__ import annotations

import pytest

from memory import chats
from memory.db import claim_scope
from memory.models import WorkItem
from tests.people import Person, person
from workers import tasks

pytestmark = pytest.mark.usefixtures("database", "broker")


def tell(who: Person, text: str) -> None:
    turn = chats.begin(profile_id=who.profile_id, messages=[{"role": "user", "content": text}])
    chats.finish(turn, chats.Answer(text="Noted."))


def found() -> int:
    """How many chats are to be read."""
    with claim_scope():
        return WorkItem.objects.values("audit_id").distinct().count()


def test_a_tick_keeps_to_the_interval_and_a_look_does_not():
    anna = person("anna")
    tasks.tick()
    tell(anna, "I like tea.")
    tasks.tick()
    assert found() == 0
    tasks.look()
    assert found() == 1
