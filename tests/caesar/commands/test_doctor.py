"""manage.py doctor."""

from __future__ import annotations

import shutil
from collections import namedtuple
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from memory import cursor, workers
from memory.config import LLM, Semantic
from memory.db import operator_scope
from memory.models import MemoryCursor, WorkKind
from tests.caesar.commands.conftest import run, shell
from tests.processes import eventually, worker

Usage = namedtuple("Usage", "total used free")


def said(*arguments: str) -> dict[str, tuple[str, str]]:
    return {one["name"]: (one["health"], one["fix"]) for one in run("doctor", "--json", *arguments).json}


def test_all_is_well_where_somebody_schedules_and_works(operator, broker):
    cursor.tick(*WorkKind)
    with worker({}, queues="extract,summarise,embed,maintenance"):
        eventually(workers.listed)
        ran = run("doctor", "--json")
    found = {one["name"]: one for one in ran.json}
    assert ran.code == 0, found
    assert set(found) == {
        *("database", "extension", "clock", "migrations", "cursor", "beat", "embedder", "broker", "workers", "model"),
        "disk",
    }
    assert found["extension"]["detail"].startswith("pgvector ")
    assert {name for name, one in found.items() if one["health"] != "good"} == {"model"}
    assert "CAESAR_LLM__PROVIDER" in found["model"]["fix"]


def test_it_says_who_is_missing_and_what_to_do(operator, broker):
    ran = run("doctor")
    assert ran.code == 1
    assert "bad   workers     No worker answers" in ran.out
    assert "celery -A caesar worker" in ran.out
    assert "bad   beat        Nothing has looked for chats yet" in ran.out
    assert "celery -A caesar beat" in ran.out


@pytest.mark.parametrize(("seconds", "health"), [(50, "good"), (400, "bad")])
def test_a_scheduler_is_missed_when_it_is_late(operator, broker, settings, seconds, health):
    memory = settings.CAESAR.memory
    often = memory.facts_extract.model_copy(update={"interval_seconds": 1.0})
    memory = memory.model_copy(update={"facts_extract": often})
    settings.CAESAR = settings.CAESAR.model_copy(update={"memory": memory})
    cursor.tick(*WorkKind)
    with operator_scope():
        MemoryCursor.objects.update(ticked_at=Now() - timedelta(seconds=seconds))
    assert said()["beat"][0] == health


def test_it_asks_each_model_once_and_says_which_settings_to_mend(operator, broker, settings, model):
    scripted = {"provider": "openai", "model": "scripted-1", "openai": {"base_url": model.url, "api_key": "sk-hunter2"}}
    away = {"memory_extract": {"provider": "ollama", "model": "away"}}
    llm = LLM.model_validate({**scripted, "task_routing": away, "ollama": {"base_url": "http://127.0.0.1:1"}})
    settings.CAESAR = settings.CAESAR.model_copy(update={"llm": llm, "semantic": Semantic(provider="voyage")})
    ran = run("doctor", "--json")
    found = {one["name"]: one for one in ran.json}
    assert (found["model"]["health"], found["model"]["fix"]) == ("good", "")
    assert found["model"]["detail"].startswith("openai/scripted-1 answers in ")
    assert len(model.requests) == 1
    assert "summarising" not in found  # the same model
    assert found["extracting"]["health"] == "bad"
    assert "http://127.0.0.1:1" in found["extracting"]["detail"]
    assert "memory_extract in CAESAR_LLM__TASK_ROUTING" in found["extracting"]["fix"]
    assert found["embedder"]["health"] == "poor"
    assert "CAESAR_SEMANTIC__VOYAGE_API_KEY" in found["embedder"]["detail"]
    assert "hunter2" not in ran.out


def test_a_pgvector_with_a_known_hole(operator, broker, monkeypatch):
    monkeypatch.setattr("caesar.doctor.SAFE_PGVECTOR", (0, 99, 0))
    assert said()["extension"] == (
        "poor",
        "As a superuser there: CREATE EXTENSION vector, or ALTER EXTENSION vector UPDATE; 0.8.2 or newer.",
    )


def test_a_full_disk_and_a_clock_that_is_wrong(operator, broker, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda place: Usage(10, 10, 5 * 2**20))
    monkeypatch.setattr("caesar.doctor.time.time", lambda: 1_000_000_000.0)
    found = said()
    assert found["disk"] == ("bad", "Make room, or let less be kept (CAESAR_MEMORY__RETENTION_DAYS).")
    assert found["clock"][0] == "poor"


def test_a_shell_gets_what_to_do_without_a_database(tmp_path):
    ran = shell("doctor", CAESAR_DATABASE_URL="postgresql://u:hunter2@127.0.0.1:1/x", CAESAR_HOME=str(tmp_path))
    assert ran.code == 1
    assert "bad   database    The database does not answer." in ran.out
    assert "CAESAR_DATABASE_URL" in ran.out
    assert "hunter2" not in ran.out + ran.err
    assert "Traceback" not in ran.err
