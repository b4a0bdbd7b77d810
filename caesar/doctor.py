"""Everything that this installation needs, looked at one by one, each with what to do where it is not well."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import psycopg
from django.conf import settings

from caesar import health
from caesar.database import service_url
from dashboard import models_tried
from memory.db import now
from memory.llm import embedding
from memory.llm.providers import IN_PROCESS
from memory.models import WorkKind

LEAST_FREE = 2 * 2**30  # bytes: below, a database soon stops
CLOCKS_APART_SECONDS = 5.0
# What a model is for, by the name of its finding.
TASKS = {"chat": "model", "memory_extract": "extracting", "memory_summarise": "summarising"}
SAFE_PGVECTOR = (0, 8, 2)
_LOOK = """
SELECT extract(epoch FROM clock_timestamp())::float8,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector')"""

FIXES = {
    "database": "Start it (`make up` brings one along), or set CAESAR_DATABASE_URL to one that answers.",
    "extension": "As a superuser there: CREATE EXTENSION vector, or ALTER EXTENSION vector UPDATE; 0.8.2 or newer.",
    "migrations": "Run `python3 manage.py migrate`.",
    "broker": "Start it (`make up` brings one along), or set CAESAR_BROKER_URL to one that answers.",
    "beat": "Start the scheduler: `make up` runs one, else `celery -A caesar beat`. There may be two, one must be.",
    "cursor": "Look at the workers and at the scheduler; `python3 manage.py work --once` reads all that waits now.",
    "workers": "`make up` runs one; alone: `celery -A caesar worker -Q extract,summarise,embed,maintenance`.",
    "model": "Mend CAESAR_LLM__* (provider, model, key, address; .env.example has all names), then start it anew.",
    "extracting": "Mend memory_extract in CAESAR_LLM__TASK_ROUTING, or CAESAR_LLM__*, then start it anew.",
    "summarising": "Mend memory_summarise in CAESAR_LLM__TASK_ROUTING, or CAESAR_LLM__*, then start it anew.",
    "embedder": "See CAESAR_SEMANTIC__* in .env.example. Until it works, recall goes on by words alone.",
    "clock": "Have the clocks of this host and of the database's set by NTP.",
    "disk": "Make room, or let less be kept (CAESAR_MEMORY__RETENTION_DAYS).",
}


class Health(StrEnum):
    """How it stands with one thing."""

    GOOD = "good"
    POOR = "poor"  # it works in part
    BAD = "bad"


@dataclass(frozen=True)
class Finding:
    """One thing. `fix` says what to do, and is empty where all is good."""

    name: str
    health: Health
    detail: str
    fix: str = ""


def examine() -> list[Finding]:
    """Look at everything, in the order in which one thing needs another. Models are asked a small question each."""
    return [_with_fix(name, state, detail) for name, state, detail in _looked_at()]


def _with_fix(name: str, state: Health, detail: str) -> Finding:
    if detail == health.NO_MODEL:
        return Finding(name, state, detail, health.HOW_TO_MODEL)
    return Finding(name, state, detail, "" if state is Health.GOOD else FIXES[name])


def _looked_at() -> Iterator[tuple[str, Health, str]]:
    for check in health.look().checks:
        state = Health.BAD if not check.ok else Health.POOR if check.degraded else Health.GOOD
        if check.name == "model":
            yield from _models()
        elif check.name == "embedder" and state is Health.GOOD:
            yield _embedder(check.detail)
        else:
            yield check.name, state, check.detail
        if check.name == "database" and check.ok:
            yield from _of_the_database()
        if check.name == "cursor":
            yield _beat(check)
    yield _disk()


def _models() -> Iterator[tuple[str, Health, str]]:
    """What is used for each task, once: whether it answers."""
    told: set[tuple[str, str, str]] = set()
    for route in models_tried.routes():
        same = (route.model, route.address, route.problem)
        if route.task not in TASKS or same in told:
            continue
        told.add(same)
        if route.problem:
            yield TASKS[route.task], Health.BAD, route.problem
        elif not route.has_model:
            yield TASKS[route.task], Health.POOR, health.NO_MODEL
        else:
            tried = models_tried.ask(route.task)
            found = tried.problem or f"{route.model} answers in {tried.seconds:.1f} s"
            yield TASKS[route.task], Health.BAD if tried.problem else Health.GOOD, found


def _embedder(detail: str) -> tuple[str, Health, str]:
    """One that runs here is looked at by its settings alone: to load it takes longer than everything else."""
    if embedding.wanted().partition("/")[0] not in IN_PROCESS:
        tried = models_tried.ask(models_tried.EMBED)
        if tried.problem:
            return "embedder", Health.POOR, tried.problem
    return "embedder", Health.GOOD, detail


def _of_the_database() -> Iterator[tuple[str, Health, str]]:
    with psycopg.connect(service_url(settings.CAESAR), connect_timeout=5) as direct:
        sent = time.time()
        row = direct.execute(_LOOK).fetchone()
        here = (sent + time.time()) / 2
    assert row
    there, version = row
    yield _extension(version)
    apart = abs(there - here)
    said = f"{apart:.1f} s between this host and the database"
    yield "clock", Health.GOOD if apart <= CLOCKS_APART_SECONDS else Health.POOR, said


def _extension(version: str | None) -> tuple[str, Health, str]:
    if version is None:
        return "extension", Health.BAD, "The database has no pgvector."
    if tuple(map(int, version.split(".")[: len(SAFE_PGVECTOR)])) < SAFE_PGVECTOR:
        hole = "builds its index with a hole that lets rows of others out (CVE-2026-3172)"
        return "extension", Health.POOR, f"pgvector {version} {hole}"
    return "extension", Health.GOOD, f"pgvector {version}"


def _beat(check: health.Check) -> tuple[str, Health, str]:
    """Whether anybody schedules: of each kind of reading that is on, when chats were last looked for."""
    memory = settings.CAESAR.memory
    every = {
        WorkKind.EXTRACT: (memory.facts_extract.enabled, memory.facts_extract.interval_seconds),
        WorkKind.SUMMARISE: (memory.episodes_summarise.enabled, memory.episodes_summarise.interval_seconds),
    }
    ticked = {place["kind"]: place["ticked_at"] for place in check.data.get("cursors", ())}
    for kind, (enabled, seconds) in every.items():
        last = ticked.get(kind)
        if not enabled:
            continue
        if last is None:
            return "beat", Health.BAD, f"Nothing has looked for chats yet ({kind})."
        ago = (now() - datetime.fromisoformat(last)).total_seconds()
        if ago > health.late_after(seconds):
            return (
                "beat",
                Health.BAD,
                f"Chats were last looked for {ago:.0f} s ago ({kind}), which is due every {seconds} s.",
            )
    return "beat", Health.GOOD, "chats are looked for when they should be"


def _disk() -> tuple[str, Health, str]:
    home = settings.CAESAR.home
    place = next(path for path in (home, *home.parents) if path.exists())
    free = shutil.disk_usage(place).free
    return "disk", Health.GOOD if free >= LEAST_FREE else Health.BAD, f"{free / 2**30:.1f} GB free at {home}"
