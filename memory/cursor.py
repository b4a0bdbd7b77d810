"""Turns finished chats into work items, exactly once each, and reports how far that is."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, connection
from django.db.models import DurationField, ExpressionWrapper, F
from django.db.models.functions import Now

from memory import sql
from memory.config import EpisodesSummarise, FactsExtract, conf
from memory.db import claim_scope, now, operator_scope
from memory.models import MemoryCursor, WorkKind

ROWS_PER_STEP = 500
MOST_MISSES = 10


@dataclass(frozen=True)
class Ticked:
    """What a tick did: `rows` of the log were read, `items` of work came of them."""

    rows: int
    items: int


def enabled(kind: WorkKind) -> bool:
    """Whether the operator wants this kind of work done; its backlog waits where not."""
    return settings_of(kind).enabled


def settings_of(kind: WorkKind) -> FactsExtract | EpisodesSummarise:
    """Whether and how often finished chats are looked for, and how many a worker works off at once."""
    memory = conf().memory
    return memory.facts_extract if kind is WorkKind.EXTRACT else memory.episodes_summarise


def ripe() -> list[WorkKind]:
    """The kinds that are wanted and whose interval is over. Half of the shortest is forgiven: clocks jitter."""
    every = {kind: settings_of(kind).interval_seconds for kind in WorkKind if enabled(kind)}
    slack = min(every.values(), default=0.0) / 2
    with claim_scope():
        since = ExpressionWrapper(Now() - F("ticked_at"), output_field=DurationField())
        rested: dict[str, timedelta | None] = dict(MemoryCursor.objects.annotate(s=since).values_list("kind", "s"))
    return [kind for kind, seconds in every.items() if _is_over(rested.get(kind), seconds - slack)]


def _is_over(rested: timedelta | None, seconds: float) -> bool:
    return rested is None or rested.total_seconds() >= seconds


def tick(*kinds: WorkKind) -> Ticked:
    """Read the log from each kind's cursor on until nothing is left. Another tick at the same time does nothing.

    What one chat is to be read for appears at once: kinds that stand at the same place read up to the same row.
    """
    rows = items = misses = 0
    while True:
        try:
            read, made = _step(kinds)
        except IntegrityError:  # a chat was erased or pruned while it was being read: it is not there next time
            misses += 1
            if misses == MOST_MISSES:
                raise
            continue
        rows += sum(read)
        items += made
        if all(count < ROWS_PER_STEP for count in read):
            return Ticked(rows=rows, items=items)


def _step(kinds: Sequence[WorkKind]) -> tuple[list[int], int]:
    """How many rows were read for each kind, and how many items came of them."""
    read: list[int] = []
    made = 0
    with claim_scope(), connection.cursor() as cursor:
        for kind in kinds:
            cursor.execute(
                "INSERT INTO memory_cursor (kind, xid, audit_id) VALUES (%s, '0', 0) ON CONFLICT DO NOTHING",
                [kind.value],
            )
        cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text")
        (below,) = cursor.fetchone()
        for kind in kinds:
            cursor.execute(sql.read("tick"), {"kind": kind.value, "most": ROWS_PER_STEP, "below": below})
            _, rows, items = cursor.fetchone()
            read.append(rows)
            made += items
    return read, made


PLAN = """
INSERT INTO work_items (profile_id, conversation_id, audit_id, kind, state, said_at, attempts, outages, worker, outcome,
                        detail, error_code, error, raw_reply, prompt_version, model, calls, input_tokens, output_tokens)
SELECT a.profile_id, a.conversation_id, a.id, k.kind, 'waiting', a.said_at, 0, 0, '', '',
       '{}', '', '', '', '', '', 0, 0, 0
  FROM audit_log a CROSS JOIN (VALUES ('extract'), ('summarise')) k (kind)
 WHERE a.profile_id = %s AND a.id = ANY (%s) AND CASE k.kind WHEN 'extract' THEN a.mine_facts ELSE a.mine_summary END
 ORDER BY a.id ON CONFLICT (audit_id, kind) DO NOTHING"""


def plan(*, profile_id: uuid.UUID, audit_ids: Sequence[int]) -> None:
    """Make items of chats that the ticks pass over, since they were imported. Call inside the profile's scope."""
    with connection.cursor() as cursor:
        cursor.execute(PLAN, [profile_id, list(audit_ids)])


@dataclass(frozen=True)
class Lag:
    """How far one cursor is behind. `blocked_by` names the database session that holds it back, if one does."""

    kind: str
    rows: int
    oldest_seconds: float
    ticked_at: datetime | None
    blocked_by: int | None


def lag() -> list[Lag]:
    """What each cursor has not read yet."""
    with operator_scope():
        return [_lag(place) for place in MemoryCursor.objects.order_by("kind")]


def _lag(place: MemoryCursor) -> Lag:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), min(at), bool_or(xid >= pg_snapshot_xmin(pg_current_snapshot())) FROM ("
            " SELECT at, xid FROM audit_log WHERE event_type = 'chat.completed' AND (xid, id) > (%s::xid8, %s)"
            " ORDER BY xid, id LIMIT 10000) waiting",
            [str(place.xid), place.audit_id],
        )
        rows, oldest, held = cursor.fetchone()
        blocker = _oldest_writer(cursor) if held else None
    age = (now() - oldest).total_seconds() if oldest else 0.0
    return Lag(
        kind=place.kind,
        rows=rows,
        oldest_seconds=max(0.0, age),
        ticked_at=place.ticked_at,
        blocked_by=blocker,
    )


def _oldest_writer(cursor: Any) -> int | None:
    cursor.execute(
        "SELECT pid FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid()"
        " ORDER BY age(backend_xid) DESC LIMIT 1"
    )
    row = cursor.fetchone()
    return int(row[0]) if row else None
