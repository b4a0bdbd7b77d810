"""What every turn of the wheel costs with few people and with very many: ticks, claims, and the operator's looks."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import psycopg

from bench.stack import Stack, person
from bench.tables import table

COUNTS = (1_000, 100_000)
CLAIMS = 200
# For each new person: one finished chat that waits to be looked at.
SEED = """
WITH made AS (
  INSERT INTO profiles (id, user_id, name, is_default, memory_enabled, summaries_enabled, memory_from_id,
                        summaries_from_id, approval, timezone, language, sensitive_policy, erasing)
  SELECT uuidv7(), %(user)s, 'p' || n, false, true, true, 0, 0, 'auto', 'UTC', '', '{}', '{}'
    FROM generate_series(%(first)s::int, %(last)s::int) n RETURNING id
), placed AS (
  INSERT INTO spaces (id, profile_id, slug, name, memory_enabled, summaries_enabled, memory_from_id, summaries_from_id)
  SELECT uuidv7(), id, 'general', '', true, true, 0, 0 FROM made RETURNING id, profile_id
), begun AS (
  INSERT INTO conversations (id, profile_id, space_id) SELECT uuidv7(), profile_id, id FROM placed
  RETURNING id, profile_id, space_id
)
INSERT INTO audit_log (profile_id, conversation_id, space_id, event_type, actor, mine_facts, mine_summary, said_at, payload)
SELECT profile_id, id, space_id, 'chat.completed', 'person', true, true, now(),
       jsonb_build_object('messages', jsonb_build_array(jsonb_build_object('role', 'user', 'text',
         'I play the viola, I live in Porto and my cat is called Nata.')), 'answer',
         jsonb_build_object('text', 'Noted.'), 'complete', true) FROM begun"""  # noqa: E501


def run(stack: Stack) -> None:
    """The same looks with a thousand people and with a hundred thousand, all of whom have something waiting."""
    user = person("bench-people")[0]
    url, made = stack.postgres.url("superuser"), 0
    columns: dict[int, dict[str, float]] = {}
    for count in COUNTS:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SET transaction_timeout = 0")
            connection.execute(SEED, {"user": user, "first": made, "last": count - 1})
            connection.execute("VACUUM (ANALYZE) audit_log, work_items, profiles, conversations")
        columns[count] = _measured(count - made)
        made = count
        with psycopg.connect(url) as connection:
            row = connection.execute(
                "SELECT sum(pg_total_relation_size(c)) FROM unnest(ARRAY['profiles', 'spaces', 'conversations',"
                " 'audit_log', 'work_items']::regclass[]) c"
            ).fetchone()
        columns[count]["bytes a chat that waits, with its person"] = float(row[0]) / count if row else 0.0
    rows = {name: [columns[count][name] for count in COUNTS] for name in columns[COUNTS[0]]}
    table("With so many people, all of whom have a chat waiting", [f"{count:,}" for count in COUNTS], rows)


def _measured(fresh: int) -> dict[str, float]:
    from memory import cursor, embeddings, operations, sweep, work
    from memory.models import WorkKind

    started = time.perf_counter()
    cursor.tick(*WorkKind)
    ticked = time.perf_counter() - started
    claims, times, after = [], [], work.FIRST
    for n in range(CLAIMS):
        started = time.perf_counter()
        claim = work.claim(WorkKind.EXTRACT, worker="bench", after=after, together=True)
        times.append((time.perf_counter() - started) * 1000)
        if claim is None:
            raise RuntimeError(f"nothing was found to do the {n}th time")
        claims.append(claim.token)
        after = claim.profile_id
    work.give_back(claims)
    looks: dict[str, Callable[[], Any]] = {
        "what is due, ms": lambda: work.due(WorkKind.EXTRACT, most=64),
        "what dead workers held, ms": work.release_expired,
        "texts to embed, ms": lambda: embeddings.take(64),
        "counts for status and metrics, ms": operations.work_counts,
        "how far the cursors are, ms": cursor.lag,
        "who has something to sweep, ms": lambda: sweep.due(sweep.before()),
    }
    found = {"rows of the log turned into work, per s": fresh / ticked, "a claim, ms": statistics.median(times)}
    for name, look in looks.items():
        started = time.perf_counter()
        look()
        found[name] = (time.perf_counter() - started) * 1000
    return found
