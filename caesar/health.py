"""Whether this installation can do its job right now: one look at each thing it needs, in well under a second."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from kombu.exceptions import OperationalError as BrokerError

from caesar.celery import QUEUES
from caesar.celery import app as celery
from caesar.database import service_url
from memory import cursor, embedding_selectors
from memory import workers as reports
from memory.errors import ModelMisconfigured
from memory.llm import embedding
from memory.llm.routing import default_route
from memory.search import asking

BROKER_SECONDS = 0.4
WORKER_SECONDS = 0.6
KEPT_SECONDS = 1.0  # the look is open to everyone: a flood of them must cost no more than one each second
LATE_AFTER_TICKS = 5
NO_MODEL = "No model is configured: facts come from fixed English patterns, answers from memory alone."
HOW_TO_MODEL = (
    "Local: CAESAR_LLM__PROVIDER=ollama and CAESAR_LLM__MODEL=llama3.1:8b. "
    "Hosted (anthropic, openai): its API key as well; .env.example has all names."
)


@dataclass(frozen=True)
class Check:
    """One thing that is needed. `detail` is a sentence for the operator; `data` are its numbers.

    `degraded`: it does not do all that it should, and memory goes on with what there is.
    """

    name: str
    ok: bool
    detail: str
    data: dict[str, Any] = field(default_factory=dict)
    degraded: bool = False

    def shown(self) -> dict[str, Any]:
        return {"ok": self.ok, "degraded": self.degraded, "detail": self.detail, **self.data}


@dataclass(frozen=True)
class Readiness:
    """All checks. Ready means that a chat is answered and what it tells is learned."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)

    @property
    def status(self) -> str:
        """ready, degraded (ready, though not all is as it should be), or not ready."""
        if not self.ok:
            return "not ready"
        return "degraded" if any(check.degraded for check in self.checks) else "ready"

    def shown(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "checks": {check.name: check.shown() for check in self.checks},
        }


def look() -> Readiness:
    """Look at everything now."""
    checks = [database()]
    if checks[0].ok:
        checks.append(migrations())
    if checks[-1].ok:  # else there may be no such table
        checks.append(cursors())
        checks.append(embedder())
    checks.append(broker())
    if checks[-1].ok and checks[0].ok and checks[1].ok:
        checks.append(workers())
    checks.append(model())
    return Readiness(tuple(checks))


def database() -> Check:
    """Asked beside the pool, which would wait for a lost server."""
    try:
        with psycopg.connect(service_url(settings.CAESAR), connect_timeout=2) as direct:
            direct.execute("SELECT 1")
    except psycopg.Error:
        return Check("database", False, "The database does not answer.")
    return Check("database", True, "answers")


def migrations() -> Check:
    waiting = _unapplied()
    if waiting:
        return Check("migrations", False, f"{waiting} not applied yet: run `python3 manage.py migrate`.")
    return Check("migrations", True, "all applied")


_applied = threading.Event()


def _unapplied() -> int:
    """How many migrations wait. What is applied stays so while this process, with its code, lives."""
    if _applied.is_set():
        return 0
    loader = MigrationLoader(connection)
    waiting = len(set(loader.disk_migrations) - set(loader.applied_migrations))
    if not waiting:
        _applied.set()
    return waiting


def late_after(interval_seconds: float) -> float:
    """Seconds after which what is due in each interval is late: a busy worker may be behind by a minute."""
    return LATE_AFTER_TICKS * interval_seconds + 60


def cursors() -> Check:
    lags = cursor.lag()
    most = late_after(settings.CAESAR.memory.facts_extract.interval_seconds)
    late = [lag for lag in lags if lag.oldest_seconds > most]
    data = {
        "cursors": [
            {
                "kind": lag.kind,
                "rows": lag.rows,
                "oldest_seconds": round(lag.oldest_seconds, 1),
                "ticked_at": lag.ticked_at.isoformat() if lag.ticked_at else None,
                "blocked_by": lag.blocked_by,
            }
            for lag in lags
        ]
    }
    if not late:
        return Check("cursor", True, "keeps up with the chats" if lags else "looked for no chat yet", data)
    worst = max(late, key=lambda lag: lag.oldest_seconds)
    why = f"held back by the database session {worst.blocked_by}" if worst.blocked_by else "is a beat running?"
    return Check("cursor", False, f"{worst.kind}: behind by {worst.oldest_seconds:.0f} s; {why}.", data)


def embedder() -> Check:
    """What recall searches by. Only settings that cannot be meant count: where it fails, recall goes on by words."""
    now = embedding_selectors.standing()
    data = {
        "active": now.active,
        "building": now.building,
        "built": [now.done, now.total],
        "waiting": now.waiting,
        "failing": now.failing,
        "dead": now.dead,
    }
    try:
        wanted = embedding.wanted()
    except ModelMisconfigured as error:
        return Check("embedder", False, str(error), data)
    parts = [now.active or f"{wanted}, no vectors yet"]
    if now.building:
        parts.append(f"{now.building} is being built: {now.done:,} of {now.total:,} texts")
    if now.failing or now.dead:
        parts.append(f"{now.failing:,} texts fail, {now.dead:,} were given up: {now.last_error}")
    elif now.waiting:
        parts.append(f"{now.waiting:,} texts wait")
    paused = asking.paused()
    if paused:
        parts.append("it does not answer questions in time, so that they are searched for by words alone")
    return Check("embedder", True, "; ".join(parts), data, degraded=bool(now.failing or now.dead or paused))


def broker() -> Check:
    try:
        with _broker() as link:
            link.default_channel.client.ping()
    except _away():
        return Check("broker", False, "The broker does not answer.")
    return Check("broker", True, "answers")


def workers() -> Check:
    """Whether a worker answers: one is asked, no longer than it takes to. What the others told of themselves counts
    as well: silent, of another version than the tables, or none for some kind of work."""
    answers = ask_workers(limit=1)
    if not answers:
        return Check("workers", False, "No worker answers: `celery -A caesar worker` starts one.")
    seen = reports.listed()
    there = [one for one in seen if not one.silent]
    refusing = [one for one in there if one.problem]
    if refusing and len(refusing) == len(there):
        return Check("workers", False, f"No worker takes work. {refusing[0].problem}")
    found = [f"{len(refusing)} of {len(there)} take no work: {refusing[0].problem}"] if refusing else []
    if len(there) < len(seen):
        found.append(f"{len(seen) - len(there)} of {len(seen)} have not been heard of lately; `status` names them")
    taken = {queue for one in there if not one.problem for queue in one.queues}
    if there and (missing := [queue for queue in QUEUES if queue not in taken]):
        found.append(f"nobody takes {', '.join(missing)}")
    return Check("workers", True, "; ".join(["answer", *found]), degraded=bool(found))


def ask_workers(*, limit: int | None = None) -> dict[str, list[str]]:
    """The workers that answer, with the queues that each takes part in."""
    try:
        with _broker() as link:
            replies = celery.control.broadcast(
                "active_queues", reply=True, timeout=WORKER_SECONDS, limit=limit, connection=link
            )
    except _away():
        return {}
    return {
        name: sorted(queue["name"] for queue in queues)
        for reply in replies or []
        for name, queues in reply.items()
        if isinstance(queues, list)
    }


def _broker() -> Any:
    """A connection that gives up soon."""
    soon = {
        "socket_connect_timeout": BROKER_SECONDS,
        "socket_timeout": BROKER_SECONDS + WORKER_SECONDS,
        "max_retries": 0,
        "interval_start": 0,
    }
    return celery.connection_for_write(transport_options={**celery.conf.broker_transport_options, **soon})


def _away() -> tuple[type[Exception], ...]:
    """What a connection raises where there is no broker; each transport has its own."""
    return (BrokerError, *celery.connection_for_write().connection_errors)


def model() -> Check:
    try:
        route = default_route(settings.CAESAR.llm)
    except ModelMisconfigured as error:
        return Check("model", False, str(error), {"configured": False})
    if route.is_rule_based:
        return Check("model", True, f"{NO_MODEL} {HOW_TO_MODEL}", {"configured": False})
    return Check("model", True, route.identity, {"configured": True})


class Kept:
    """The last look, for as long as it counts."""

    def __init__(self, look: Callable[[], Readiness]) -> None:
        self._look = look
        self._lock = threading.Lock()
        self._at = float("-inf")
        self._last: Readiness | None = None

    def get(self) -> Readiness:
        with self._lock:
            if self._last is None or time.monotonic() - self._at > KEPT_SECONDS:
                self._last = self._look()
                self._at = time.monotonic()
            return self._last

    def forget(self) -> None:
        with self._lock:
            self._last = None


readiness = Kept(look)
