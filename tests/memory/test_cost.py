"""What reading costs, counted at the wire: a conversation of twenty turns whose history is sent again with each."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memory import chats
from memory.db import operator_scope
from memory.domain.prompt import extraction_messages
from memory.domain.types import Message
from memory.models import WorkItem
from tests.memory.summaries import episodes, reply
from tests.people import Person, person
from tests.scripted_model import ScriptedModel
from workers import tasks

pytestmark = pytest.mark.usefixtures("database")
TURNS, MOST_CALLS, MOST_CHARACTERS, TIMES_FEWER = 20, 10, 60_000, 10
ASKED = "About room {n}: I painted it blue last week, and I wonder which floor goes with that; the old one is worn out."
ANSWERED = (
    "For room {n} a floor of light oak goes well with blue walls. It brightens the room and bears a lot. Cork would "
    "be warmer and quieter, but it shows dents where furniture stands. Whatever you choose, let it lie in the room for "
    "two days before it is laid, and leave a gap of a centimetre along the walls. I would begin with samples: lay them "
    "out in daylight and in the evening, since blue changes much with the light."
)
SO_FAR = "They renovate a house room by room, paint the walls blue and choose floors of oak or cork to go with it."


def talk(who: Person, model: ScriptedModel, *, turns_a_tick: int) -> list[dict[str, str]]:
    """A conversation whose client sends the whole history each time, with a poll every so many turns."""
    fact = {"key": "room.colour", "value": "blue", "confidence": 0.9}
    details = {"decisions": ["Paint it blue"], "open_questions": ["Which floor?"], "people": []}
    model.extraction(reply(SO_FAR, facts=(fact,), **details))
    history: list[dict[str, str]] = []
    for n in range(TURNS):
        history.append({"role": "user", "content": ASKED.format(n=n)})
        turn = chats.begin(profile_id=who.profile_id, messages=history)
        chats.finish(turn, chats.Answer(text=ANSWERED.format(n=n), model="scripted"))
        history.append({"role": "assistant", "content": ANSWERED.format(n=n)})
        if (n + 1) % turns_a_tick == 0:
            before = len(model.requests)
            tasks.drain()
            assert len(model.requests) - before <= 1  # one call for the conversation and both tasks
    with operator_scope():
        assert set(WorkItem.objects.values_list("state", flat=True)) == {"done"}
        assert WorkItem.objects.count() == 2 * TURNS
    assert [(episode.summary, len(episode.source_audit_ids)) for episode in episodes(who)] == [(SO_FAR, TURNS)]
    return history


def characters(messages: list[dict[str, Any]]) -> int:
    return sum(len(str(message["content"])) for message in messages)


def spent(model: ScriptedModel) -> int:
    return sum(characters(request.messages) for request in model.requests)


def naive(history: list[dict[str, str]]) -> int:
    """One extraction and one summary for each turn, over all that was sent with it."""
    total = 0
    for turn in range(TURNS):
        sent = [Message(m["role"], m["content"]) for m in history[: 2 * turn + 2]]
        for facts in (True, False):
            asked = extraction_messages(
                messages=sent, known_keys=[], chat_time=datetime.now(UTC), timezone=UTC, language=None,
                want_facts=facts, want_summary=not facts,
            )  # fmt: skip
            total += characters(asked)
    return total


def test_a_poll_after_every_second_turn_stays_within_the_bounds(model):
    talk(person("anna"), model, turns_a_tick=2)
    assert len(model.requests) <= MOST_CALLS
    assert spent(model) <= MOST_CHARACTERS


def test_it_takes_a_tenth_of_what_reading_the_resent_history_would(model):
    """Four turns between two polls: a message each quarter of a minute, at the usual interval."""
    history = talk(person("anna"), model, turns_a_tick=4)
    assert len(model.requests) == TURNS / 4
    assert spent(model) * TIMES_FEWER <= naive(history)


def test_it_grows_with_the_turns_and_not_with_their_square(model):
    talk(person("anna"), model, turns_a_tick=2)
    sizes = [characters(request.messages) for request in model.requests]
    assert max(sizes[2:]) <= 1.05 * min(sizes[2:])
