"""An upgrade while work waits, and workers whose release is not that of the tables: they refuse, and say so."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from caesar.config import ROOT
from tests.chaos.site import settings
from tests.chaos.state import State
from tests.chaos.telling import Told, reading
from tests.memory.test_cursor import tell
from tests.people import person
from tests.processes import beat, eventually, worker
from tests.scripted_model import ScriptedModel

pytestmark = [pytest.mark.usefixtures("database", "broker"), pytest.mark.timeout(300)]
QUEUES = "extract,summarise,maintenance"
BEFORE = "0014_work_finished"  # as it was when no worker told of itself
SOMEBODY = """
WITH who AS (
  INSERT INTO auth_user (username, password, is_superuser, first_name, last_name, email, is_staff, is_active,
                         date_joined)
  VALUES ('anna', '', false, '', '', '', false, true, now()) RETURNING id
), made AS (
  INSERT INTO profiles (id, user_id, name, is_default, memory_enabled, summaries_enabled, memory_from_id,
                        summaries_from_id, approval, timezone, language, sensitive_policy, erasing)
  SELECT uuidv7(), id, 'anna', true, true, true, 0, 0, 'auto', 'UTC', '', '{}', '{}' FROM who RETURNING id
)
INSERT INTO spaces (id, profile_id, slug, name, memory_enabled, summaries_enabled, memory_from_id, summaries_from_id)
SELECT uuidv7(), id, 'general', '', true, true, 0, 0 FROM made"""
CHAT = """
WITH begun AS (
  INSERT INTO conversations (id, profile_id, space_id) SELECT uuidv7(), profile_id, id FROM spaces
  RETURNING id, profile_id, space_id
), said AS (
  INSERT INTO audit_log (profile_id, conversation_id, space_id, event_type, actor, mine_facts, mine_summary, said_at,
                         payload)
  SELECT profile_id, id, space_id, 'chat.completed', 'person', true, true, now(), jsonb_build_object('complete', true,
         'messages', jsonb_build_array(jsonb_build_object('role', 'user', 'text', %s::text)),
         'answer', jsonb_build_object('text', 'Noted.')) FROM begun RETURNING id, profile_id, conversation_id, said_at
)
INSERT INTO work_items (profile_id, conversation_id, audit_id, kind, state, said_at, attempts, outages, worker, outcome,
                        detail, error_code, error, raw_reply, prompt_version, model, calls, input_tokens, output_tokens)
SELECT profile_id, conversation_id, id, kind, 'waiting', said_at, 0, 0, '', '', '{}', '', '', '', '', '', 0, 0, 0
  FROM said CROSS JOIN (VALUES ('extract'), ('summarise')) k (kind)"""


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted.extraction(reading)


@pytest.fixture
def state(database) -> State:
    return State(database.url("superuser"))


def test_a_worker_refuses_tables_of_a_later_release_and_goes_on_when_they_fit(state, model, facts) -> None:
    anna, told = person("anna"), next(facts)
    env = settings(model)
    with worker(env, queues=QUEUES) as running, beat(env):
        with later(state):
            tell(anna, told.sentence)
            running.wait_for("work_refused", 90)
            eventually(lambda: state.rows("SELECT problem FROM workers WHERE problem <> ''"), what=running.said)
            assert "it has 9999_later. Update this host." in running.said()
            assert state.items() == {}
            assert model.requests == []
        eventually(state.settled, seconds=90, what=running.said)
        eventually(lambda: state.rows("SELECT problem FROM workers") == [("",)], what=running.said)
    assert state.wrongs([told]) == []


@contextmanager
def later(state: State) -> Iterator[None]:
    state.run("INSERT INTO django_migrations (app, name, applied) VALUES ('memory', '9999_later', now())")
    try:
        yield
    finally:
        state.run("DELETE FROM django_migrations WHERE name = '9999_later'")


@pytest.mark.long
def test_what_waits_during_an_upgrade_is_read_after_it(cluster: Any, model, facts: Iterator[Told]) -> None:
    """The new release runs before its migration does: it waits for that, and needs no restart."""
    cluster.create_database("older")
    old = State(cluster.url("superuser", "older"))
    env = settings(model) | {
        "CAESAR_DATABASE_URL": cluster.url(database="older"),
        "CAESAR_DATABASE_OWNER_URL": cluster.url("owner", "older"),
    }
    heard = [next(facts) for _ in range(3)]
    try:
        manage(env, "manage.py", "migrate", "memory", BEFORE, "-v", "0")
        old.run(SOMEBODY)
        for one in heard:
            old.run(CHAT, one.sentence)
        assert old.items() == {"waiting": 6}
        with worker(env, queues=QUEUES) as running, beat(env):
            running.wait_for("work_refused", 90)
            assert "Run `manage.py migrate`." in running.said()
            assert old.items() == {"waiting": 6}
            manage(env, "manage.py", "migrate", "-v", "0")
            eventually(old.settled, seconds=60, what=running.said)
        assert old.wrongs(heard) == []
    finally:
        State(cluster.url("superuser")).run("DROP DATABASE older WITH (FORCE)")


def manage(env: dict[str, str], *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=os.environ | env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-3000:]
