"""Real worker and beat processes on a real broker: each fact is there once, whatever dies or comes twice."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import psycopg
import pytest

from caesar.embedded import valkey
from memory.db import operator_scope
from memory.models import AuditLog, EpisodeSummary, Fact, WorkItem
from tests.memory.test_cursor import tell
from tests.people import person
from tests.processes import Process, beat, eventually
from tests.processes import worker as any_worker
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


def often(model: ScriptedModel) -> dict[str, str]:
    """The settings of an installation that asks this model, and looks for chats each second."""
    return {
        "CAESAR_LLM__PROVIDER": "openai",
        "CAESAR_LLM__MODEL": "scripted",
        "CAESAR_LLM__OPENAI__API_KEY": "sk-not-a-real-key",
        "CAESAR_LLM__OPENAI__BASE_URL": model.url,
        "CAESAR_MEMORY__FACTS_EXTRACT__INTERVAL_SECONDS": "1",
        "CAESAR_MEMORY__EPISODES_SUMMARISE__INTERVAL_SECONDS": "1",
    }


@pytest.fixture
def env(model: ScriptedModel) -> dict[str, str]:
    return often(model)


def worker(env: dict[str, str]) -> AbstractContextManager[Process]:
    """One that reads. It makes no vectors: loading an embedder takes longer than all the rest."""
    return any_worker(env, queues="extract,summarise,maintenance")


def facts() -> list[str]:
    with operator_scope():
        return sorted(Fact.objects.filter(state="current").values_list("value", flat=True))


def added() -> int:
    with operator_scope():
        return AuditLog.objects.filter(event_type="memory.fact.added").count()


def summaries() -> list[str]:
    with operator_scope():
        return list(EpisodeSummary.objects.values_list("summary", flat=True))


def states() -> set[str]:
    with operator_scope():
        return set(WorkItem.objects.values_list("state", flat=True))


def all_learned() -> bool:
    return facts() == ["Nata", "Porto", "viola"] and states() == {"done"} and set(summaries()) == {"s"}


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


@pytest.mark.parametrize(
    "moment", ["before the model is asked", "while the model answers", "while it is written", "done"]
)
def test_it_finishes_what_a_killed_worker_was_reading(env, model, database, moment):
    model.extraction([Text(REPLY, delay=60 if moment == "while the model answers" else 0), Text(REPLY)])
    anna = person("anna")
    tell(anna, TOLD)
    with psycopg.connect(database.url("superuser"), autocommit=True) as holder, beat(env):
        with worker(env) as doomed:
            if moment == "before the model is asked":
                stop_at(holder, "personal_facts", "ACCESS EXCLUSIVE")
            elif moment == "while it is written":
                stop_at(holder, "audit_log", "SHARE ROW EXCLUSIVE")
            eventually(lambda: reached(moment, model, holder), what=doomed.said)
            doomed.kill()
        holder.execute("ROLLBACK")
        with worker(env) as second:
            eventually(all_learned, seconds=60, what=second.said)
    assert added() == 3
    assert len(model.extractions) <= 2
    with operator_scope():
        assert Fact.objects.count() == 3
        assert AuditLog.objects.filter(event_type="memory.episode.summarised").count() == 1


def stop_at(holder: psycopg.Connection, table: str, mode: str) -> None:
    """Whoever comes to this table waits."""
    holder.execute("BEGIN")
    holder.execute(f"LOCK TABLE {table} IN {mode} MODE")


def reached(moment: str, model: ScriptedModel, holder: psycopg.Connection) -> bool:
    if moment == "while the model answers":
        return len(model.extractions) == 1
    if moment == "done":
        return states() == {"done"}
    row = holder.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()
    return bool(row and row[0])


def test_it_goes_on_after_the_broker_lost_everything(env, model, broker):
    anna = person("anna")
    with worker(env) as running, beat(env):
        broker.client().flushall()
        tell(anna, TOLD)
        eventually(all_learned, seconds=60, what=running.said)
    assert added() == 3


def test_it_goes_on_after_the_broker_was_restarted_while_the_model_answered(env, model):
    model.extraction(Text(REPLY, delay=3))
    home = Path(tempfile.mkdtemp(prefix="caesar-broker-"))
    anna = person("anna")
    try:
        with ExitStack() as running:
            with valkey.running(home) as first:
                env = env | {"CAESAR_BROKER_URL": first.url()}
                one = running.enter_context(worker(env))
                running.enter_context(beat(env))
                tell(anna, TOLD)
                eventually(lambda: len(model.extractions) == 1, what=one.said)
            with valkey.running(home):
                tell(anna, "My bike is a Brompton.", conversation_id="later")
                eventually(lambda: all_learned() and len(model.extractions) == 2, seconds=90, what=one.said)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    assert added() == 3


def test_it_gives_back_unread_what_it_cannot_finish(env, model):
    model.extraction([Status(500, "boom"), Text(REPLY)])
    anna = person("anna")
    with worker(env) as running, beat(env):
        tell(anna, TOLD)
        eventually(all_learned, seconds=60, what=running.said)
    assert added() == 3
