"""Real worker and beat processes on a real broker: each fact is there once, whatever dies or comes twice."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from memory.db import operator_scope
from memory.models import AuditLog, Fact, WorkItem
from tests.memory.test_cursor import tell
from tests.people import person
from tests.processes import beat, eventually, worker
from tests.scripted_model import ScriptedModel, Status, Text

pytestmark = [pytest.mark.usefixtures("database", "broker"), pytest.mark.timeout(180)]
TOLD = "I play the viola, I live in Porto and my cat is Nata."
REPLY = json.dumps(
    {
        "facts": [
            {"key": "instrument", "value": "viola", "confidence": 0.95},
            {"key": "home_city", "value": "Porto", "confidence": 0.95},
            {"key": "cat", "value": "Nata", "confidence": 0.95},
        ],
        "summary": "s",
    }
)


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted.extraction(REPLY)


@pytest.fixture
def env(model: ScriptedModel) -> dict[str, str]:
    return {
        "CAESAR_LLM__PROVIDER": "openai",
        "CAESAR_LLM__MODEL": "scripted",
        "CAESAR_LLM__OPENAI__API_KEY": "sk-not-a-real-key",
        "CAESAR_LLM__OPENAI__BASE_URL": model.url,
        "CAESAR_MEMORY__FACTS_EXTRACT__INTERVAL_SECONDS": "1",
    }


def facts() -> list[str]:
    with operator_scope():
        return sorted(Fact.objects.filter(state="current").values_list("value", flat=True))


def added() -> int:
    with operator_scope():
        return AuditLog.objects.filter(event_type="memory.fact.added").count()


def states() -> set[str]:
    with operator_scope():
        return set(WorkItem.objects.values_list("state", flat=True))


def all_learned() -> bool:
    return facts() == ["Nata", "Porto", "viola"] and states() == {"done"}


def test_it_learns_by_itself(env, model):
    anna = person("anna")
    with worker(env) as running, beat(env):
        tell(anna, TOLD)
        eventually(all_learned, what=running.said)
    assert added() == 3
    assert len(model.extractions) == 1


def test_it_does_everything_once_with_two_beats_two_workers_and_doubled_wake_ups(env, model):
    model.extraction(Text(REPLY, delay=1.0))
    anna = person("anna")
    with worker(env) as running, worker(env), beat(env), beat(env):
        tell(anna, TOLD)
        eventually(all_learned, what=running.said)
    assert added() == 3
    assert len(model.extractions) == 1


def test_it_finishes_what_a_killed_worker_was_reading(env, model):
    model.extraction([Text(REPLY, delay=60), Text(REPLY)])
    anna = person("anna")
    tell(anna, TOLD)
    with beat(env):
        with worker(env) as doomed:
            eventually(lambda: len(model.extractions) == 1, what=doomed.said)
            doomed.kill()
        with worker(env) as second:
            eventually(all_learned, seconds=40, what=second.said)
    assert added() == 3
    assert len(model.extractions) == 2


def test_it_goes_on_after_the_broker_was_restarted(env, model, broker):
    anna = person("anna")
    with worker(env) as running, beat(env):
        broker.client().flushall()
        tell(anna, TOLD)
        eventually(all_learned, seconds=60, what=running.said)
    assert added() == 3


def test_it_gives_back_unread_what_it_cannot_finish(env, model):
    model.extraction([Status(500, "boom"), Text(REPLY)])
    anna = person("anna")
    with worker(env) as running, beat(env):
        tell(anna, TOLD)
        eventually(all_learned, seconds=60, what=running.said)
    assert added() == 3
