"""Everything that this installation needs, looked at one by one, each with what to do where it is not well."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

import psycopg
from django.conf import settings

from caesar import health
from caesar.database import service_url
from memory.models import WorkKind

LEAST_FREE = 2 * 2**30  # bytes: below, a database soon stops
CLOCKS_APART_SECONDS = 5.0
LATE_TICKS = 3  # intervals without a tick, after which nobody seems to schedule
_LOOK = """
SELECT extract(epoch FROM clock_timestamp())::float8,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector')"""

FIXES = {
    "database": "Start it (`make up` brings one along), or set CAESAR_DATABASE_URL to one that answers.",
    "extension": "As a superuser of the database: CREATE EXTENSION vector; (pgvector 0.8 or newer).",
    "migrations": "Run `python manage.py migrate`.",
    "broker": "Start it (`make up` brings one along), or set CAESAR_BROKER_URL to one that answers.",
    "beat": "Start the scheduler: `make up` runs one, else `celery -A caesar beat`. There may be two, one must be.",
    "cursor": "Look at the workers and at the scheduler; `python manage.py work --once` reads all that waits now.",
    "workers": "Start one: `make up` runs one, else `celery -A caesar worker -Q extract,summarise,embed,maintenance`.",
    "model": "Set CAESAR_LLM__PROVIDER, CAESAR_LLM__MODEL and its key; .env.example has all names.",
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
    """Look at everything, in the order in which one thing needs another."""
    return [_with_fix(name, state, detail) for name, state, detail in _looked_at()]


def _with_fix(name: str, state: Health, detail: str) -> Finding:
    return Finding(name, state, detail, "" if state is Health.GOOD else FIXES[name])


def _looked_at() -> Iterator[tuple[str, Health, str]]:
    for check in health.look().checks:
        state = Health.BAD if not check.ok else Health.POOR if check.degraded else Health.GOOD
        if check.name == "model" and check.ok and not check.data["configured"]:
            state = Health.POOR
        yield check.name, state, check.detail
        if check.name == "database" and check.ok:
            yield from _of_the_database()
        if check.name == "cursor":
            yield _beat(check)
    yield _disk()


def _of_the_database() -> Iterator[tuple[str, Health, str]]:
    with psycopg.connect(service_url(settings.CAESAR), connect_timeout=5) as direct:
        sent = time.time()
        row = direct.execute(_LOOK).fetchone()
        here = (sent + time.time()) / 2
    assert row
    there, version = row
    if version:
        yield "extension", Health.GOOD, f"pgvector {version}"
    else:
        yield "extension", Health.BAD, "The database has no pgvector."
    apart = abs(there - here)
    said = f"{apart:.1f} s between this host and the database"
    yield "clock", Health.GOOD if apart <= CLOCKS_APART_SECONDS else Health.POOR, said


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
        ago = (datetime.now(UTC) - datetime.fromisoformat(last)).total_seconds()
        if ago > LATE_TICKS * seconds:
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
