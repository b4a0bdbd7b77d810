"""How long the server takes for each page of a person with 10,000 facts and 1,000,000 rows in the log."""

from __future__ import annotations

import re
import time
import uuid
from pathlib import Path

import psycopg
from psycopg import sql

from bench.chat import p
from bench.stack import Stack, person
from bench.tables import table
from bench.timing import busy

LOADS = 12
WANTED_MS = 150
FACTS, ROWS, CHATS_OF = 10_000, 1_000_000, 8  # one row in so many is a chat
DAYS = 365


def run(stack: Stack) -> None:
    """Writes the rows, then loads every page some times, as the operator."""
    user_id, profile_id, _key = person("bench-dashboard")
    began = time.perf_counter()
    seed(stack.postgres.url("superuser"), profile_id)
    print(f"seeded in {time.perf_counter() - began:.0f} s", flush=True)
    found = measured(user_id, profile_id)
    columns = ["p50 ms", "most ms", "cpu p50", "queries", "KB"]
    table(f"Pages with {FACTS:,} facts and {ROWS:,} rows in the log", columns, found)
    slow = [path for path, row in found.items() if row[2] > WANTED_MS]
    print(f"over {WANTED_MS} ms of a processor: {', '.join(slow) or 'none'}")


def measured(user_id: int, profile_id: uuid.UUID) -> dict[str, list[float]]:
    """[p50 ms, most ms, p50 ms of a processor, queries, KB] of each page, with its template and all middleware."""
    from django.contrib.auth.models import User
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from memory import spaces
    from tests.dashboard import every_page

    User.objects.filter(id=user_id).update(is_superuser=True, is_staff=True)
    spaces.create_space(profile_id=profile_id, fields={"slug": "work"})
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(User.objects.get(id=user_id))
    found = {}
    for path in every_page.of(every_page.things(profile_id)).values():
        with CaptureQueriesContext(connection) as asked:
            response = client.get(path)
        queries = len(asked)
        if response.status_code != 200:
            raise SystemExit(f"{path}: {response.status_code}")
        times, computed = [], []
        for _ in range(LOADS):
            began, before = time.perf_counter(), busy()
            client.get(path)
            times.append(1000 * (time.perf_counter() - began))
            computed.append(1000 * (busy() - before))
        found[path] = [p(times, 50), max(times), p(computed, 50), queries, len(response.content) / 1024]
    return {_named(path): row for path, row in found.items()}


def _named(path: str) -> str:
    """The ids in an address tell nothing."""
    return re.sub(r"[0-9a-f-]{36}", "…", path.removeprefix("/dashboard/"))


def seed(url: str, profile_id: uuid.UUID) -> None:
    """A year of life, written past the product's own ways in: facts of all kinds, the log, readings, summaries."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        space = connection.execute("SELECT id FROM spaces WHERE profile_id = %s", [profile_id]).fetchone()
        assert space is not None
        sent = {"profile": profile_id, "space": space[0], "facts": FACTS, "rows": ROWS, "of": CHATS_OF, "days": DAYS}
        script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
        connection.execute(sql.SQL(script).format(**{name: sql.Literal(value) for name, value in sent.items()}))
        for name in ("audit_log", "personal_facts", "work_items", "conversations", "episode_summaries", "entities"):
            connection.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier(name)))
        connection.execute("VACUUM (ANALYZE) fact_entities")
