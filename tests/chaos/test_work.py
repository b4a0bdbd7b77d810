"""Work that is delivered twice, scheduled twice, erased or swept while it is being read, and left behind on time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from signal import SIGTERM

import pytest

from memory import erase, identities, sweep
from memory.llm.embedding import Identity
from tests import everywhere
from tests.chaos.site import quietly, ready, settings
from tests.chaos.state import State
from tests.chaos.telling import reading
from tests.memory.test_cursor import tell
from tests.people import person
from tests.processes import beat, eventually, worker
from tests.scripted_model import ScriptedModel, Text, Vectors

pytestmark = [pytest.mark.usefixtures("database", "broker"), pytest.mark.timeout(300)]
QUEUES = "extract,summarise,maintenance"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted.extraction(reading)


@pytest.fixture
def state(database) -> State:
    return State(database.url("superuser"))


def slowly(seconds: float):
    return lambda request: Text(reading(request), delay=seconds)


def being_read(model: ScriptedModel, count: int = 1) -> None:
    eventually(lambda: model.open_answers >= count, seconds=90, what="nothing is being read")


@pytest.mark.long
def test_it_does_each_thing_once_whatever_comes_twice(state, model, facts, broker) -> None:
    """Two schedulers, two workers, every wake-up many times, and one redelivered while it is being worked at."""
    from workers import tasks

    model.extraction(slowly(2))
    anna = person("anna")
    heard = [next(facts) for _ in range(6)]
    env = settings(model)
    with worker(env, queues=QUEUES) as running, worker(env, queues=QUEUES), beat(env), beat(env):
        for one in heard:
            tell(anna, one.sentence, conversation_id=one.key)
        for _ in range(10):
            for task in (tasks.tick, tasks.recover, tasks.extract_due, tasks.summarise_due):
                task.apply_async()
            time.sleep(0.3)
        eventually(state.settled, seconds=60, what=running.said)
    assert len(model.extractions) == len(heard)
    assert state.wrongs(heard) == []
    assert state.rows("SELECT DISTINCT evidence_count FROM personal_facts") == [(1,)]


@pytest.mark.long
def test_whoever_is_erased_while_being_read_leaves_nothing(state, model, facts, database) -> None:
    model.extraction(slowly(4)).embedding(Vectors(dim=8, delay=1))
    anna, bert = person("anna"), person("bert")
    gone, kept = [next(facts) for _ in range(3)], next(facts)
    env = settings(model)
    identities.ensure(Identity("openai", "scripted-embedder", 8))
    with worker(env) as running, beat(env):
        for one in gone:
            tell(anna, one.sentence, conversation_id=one.key)
        tell(bert, kept.sentence)
        being_read(model, 2)
        erase.erase_profile(profile_id=anna.profile_id)
        eventually(quietly(lambda: state.settled(vectors=True)), seconds=90, what=running.said)
    assert everywhere.rows_of(database, anna.profile_id) == {}
    for one in gone:
        assert everywhere.in_tables(database, one.value) == []
    assert state.wrongs([kept], vectors=True) == []


@pytest.mark.long
def test_whoever_is_swept_while_being_read_leaves_the_rest_alone(state, model, facts, settings_in_force) -> None:
    model.extraction(slowly(4))
    anna = person("anna")
    old, new = next(facts), next(facts)
    env = settings(model)
    with worker(env, queues=QUEUES) as running, beat(env):
        tell(anna, old.sentence, conversation_id="old")
        being_read(model)
        state.run("SET session_replication_role = replica; UPDATE audit_log SET at = at - interval '200 days'")
        tell(anna, new.sentence, conversation_id="new")
        sweep.sweep()
        eventually(state.settled, seconds=60, what=running.said)
    assert state.wrongs([new], tried=[old]) == []


@pytest.fixture
def settings_in_force() -> None:
    """Old chats go after 90 days, as they do unless somebody sets it otherwise."""
    from memory.config import conf

    assert conf().memory.retention_days == 90


@pytest.mark.long
@pytest.mark.parametrize("seconds", [2, 60])
def test_a_worker_that_is_asked_to_end_does_so_in_time(state, model, facts, seconds: float) -> None:
    """What it can finish it finishes; the rest another worker takes at once, not when a lease has run out."""
    model.extraction([slowly(seconds), slowly(seconds), reading])
    anna = person("anna")
    heard = [next(facts) for _ in range(2)]
    for one in heard:
        tell(anna, one.sentence, conversation_id=one.key)
    env = settings(model) | {"CAESAR_LLM__TIMEOUT_SECONDS": "100"}
    with beat(env):
        with worker(env, queues=QUEUES) as ending:
            being_read(model, 2)
            asked = time.monotonic()
            ending.popen.send_signal(SIGTERM)
            ending.popen.wait(10)
            assert time.monotonic() - asked < 10
            assert ending.popen.returncode == 0
        left = state.items()
        assert left["running"] == 0, ending.said()
        assert (left["done"] > 0) == (seconds < 7)
        assert state.rows("SELECT name FROM workers") == [], ending.said()
        with worker(env, queues=QUEUES) as second:
            eventually(state.settled, seconds=90, what=second.said)
    assert state.wrongs(heard) == []
    assert state.rows("SELECT DISTINCT attempts FROM work_items") == [(0,)]


@pytest.mark.long
def test_a_batch_of_vectors_is_given_back_by_a_worker_that_ends(state, model, facts) -> None:
    model.embedding([Vectors(dim=8, delay=60), Vectors(dim=8)])
    identities.ensure(Identity("openai", "scripted-embedder", 8))
    anna, told = person("anna"), next(facts)
    tell(anna, told.sentence)
    env = settings(model) | {"CAESAR_LLM__TIMEOUT_SECONDS": "100"}
    with beat(env):
        with worker(env) as ending:
            eventually(lambda: model.embeddings, seconds=90, what=ending.said)
            ending.popen.send_signal(SIGTERM)
            ending.popen.wait(10)
        assert state.rows("SELECT count(*) FROM embed_queue WHERE token IS NOT NULL") == [(0,)]
        with worker(env) as second:
            eventually(lambda: state.settled(vectors=True), seconds=90, what=second.said)
    assert state.wrongs([told], vectors=True) == []


def test_nobody_has_to_wait_for_a_noisy_person(state, model, facts) -> None:
    """One who tells two hundred things at once, and somebody who tells one after them."""
    model.extraction(slowly(0.3))
    noisy, quiet = person("noisy"), person("quiet")
    loud = [next(facts) for _ in range(200)]
    for one in loud:
        tell(noisy, one.sentence, conversation_id=one.key)
    env = settings(ready(model).extraction(slowly(0.3)))
    with worker(env, queues=QUEUES, threads=4) as running, beat(env):
        eventually(lambda: len(model.extractions) > 5, seconds=90, what=running.said)
        told = next(facts)
        tell(quiet, told.sentence)
        eventually(lambda: told.value in state.values(), seconds=90, what=running.said)
        left = 200 - len(state.values())
    assert left > 100, left
