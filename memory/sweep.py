"""Retention: what is older than the operator keeps it leaves the log, and with it what was made of it.

A chat goes with its pieces, its work and its evidence; a summary with the last of its chats; a conversation, with the
hashes of its messages, when no chat of it is left. Facts stay with their quotes and lose only the link to their source.

Works person by person in batches, each one transaction with its own row in the log, so that nobody waits for long.
Whom it fails for keeps no other from being swept. Broken off anywhere, the next sweep goes on.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import structlog
from django.db import connection
from django.db.models import Q

from memory import audit, conversations, episodes, facts, passages
from memory.config import conf
from memory.db import now, operator_scope, upkeep_scope
from memory.models import AuditLog, Event, OffRecord, WorkItem, WorkState

LOG = structlog.get_logger(__name__)
BATCH = 200
UNREAD = (WorkState.WAITING, WorkState.RUNNING, WorkState.DEAD)
Whose = uuid.UUID | None  # None: rows that belong to nobody, such as wrong keys

# The oldest row of each profile is found by an index, so that many people with nothing old cost little.
DUE = """
SELECT p.id FROM profiles p
 WHERE p.erasing_at IS NULL
   AND ((SELECT a.at FROM audit_log a WHERE a.profile_id = p.id ORDER BY a.at LIMIT 1) < %(before)s
        OR (SELECT o.at FROM off_record o WHERE o.profile_id = p.id ORDER BY o.at LIMIT 1) < %(before)s)
 ORDER BY p.id"""
NOBODYS = "SELECT EXISTS (SELECT FROM audit_log WHERE profile_id IS NULL AND at < %(before)s)"


@dataclass(frozen=True)
class Swept:
    """What went (or would go) of what is older than `before`: `rows` by table.

    Of the `chats` among them, `unread` readings had not been done. `failed` people could not be swept this time;
    `unfinished`: time was up, and the next sweep goes on.
    """

    before: datetime
    profiles: int = 0
    failed: int = 0
    unfinished: bool = False
    chats: int = 0
    unread: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)


def sweep(*, seconds: float | None = None, actor: str = "system") -> Swept:
    """Sweep everybody, for at most so long. The log gets a row with what came of it. Safe to run twice at once."""
    end = None if seconds is None else time.monotonic() + seconds
    at = before()
    waiting = due(at)
    gone: Counter[str] = Counter()
    swept: set[Whose] = set()
    failed: set[Whose] = set()
    while waiting and (end is None or time.monotonic() < end):
        left = []
        for whose in waiting:  # a batch for each in turn: one with very much keeps nobody waiting
            try:
                counts, more = _batch(whose, at, actor)
            except Exception:
                LOG.exception("not_swept", profile=str(whose))
                failed.add(whose)
                continue
            gone += counts
            swept.add(whose)
            if more:
                left.append(whose)
        waiting = left
    done = replace(_swept(at, gone), profiles=len(swept - {None}), failed=len(failed), unfinished=bool(waiting))
    with operator_scope():
        more_told = {"profiles": done.profiles, "failed": done.failed, "unfinished": done.unfinished}
        audit.record(audit.Entry(Event.RETENTION_SWEEP, None, {**_told(done), **more_told}, actor))
    LOG.info("swept", profiles=done.profiles, failed=done.failed, rows=sum(done.rows.values()))
    return done


def due(at: datetime) -> list[Whose]:
    """Who has something that is older."""
    with operator_scope(), connection.cursor() as cursor:
        cursor.execute(DUE, {"before": at})
        found: list[Whose] = [row[0] for row in cursor.fetchall()]
        cursor.execute(NOBODYS, {"before": at})
        return [*found, None] if cursor.fetchone()[0] else found


def before() -> datetime:
    """What was written before this time is not kept."""
    with operator_scope():
        return now() - timedelta(days=conf().memory.retention_days)


def _batch(whose: Whose, at: datetime, actor: str) -> tuple[Counter[str], bool]:
    """Sweep some of what one person has. Returns what went, and whether there may be more."""
    with upkeep_scope(whose):
        if whose is not None:
            facts.lock(whose)  # as whoever applies what was read: one after the other
        mine = Q(profile_id=whose) if whose else Q(profile__isnull=True)
        old = AuditLog.objects.filter(mine, at__lt=at)
        found = list(old.order_by("at", "id").values_list("id", "event_type", "conversation_id")[:BATCH])
        chats = [row_id for row_id, event, _ in found if event == Event.CHAT_COMPLETED]
        touched = sorted({where for _, event, where in found if where and event == Event.CHAT_COMPLETED})
        gone: Counter[str] = Counter()
        gone["unread"] = WorkItem.objects.filter(audit_id__in=chats, state__in=UNREAD).count()
        gone["passages"] = passages.sweep(audit_ids=chats)
        with connection.cursor() as cursor:
            cursor.execute("SELECT audit_sweep(%s, %s)", [[row[0] for row in found], at])
            gone["audit_log"] = int(cursor.fetchone()[0])
        gone["chats"] = len(chats)
        if whose is not None:
            gone["episode_summaries"] = episodes.sweep(profile_id=whose, conversation_ids=touched, audit_ids=chats)
            gone["conversations"] = conversations.sweep(conversation_ids=touched)
            off = OffRecord.objects.filter(profile_id=whose, at__lt=at).values_list("id", flat=True)[:BATCH]
            gone["off_record"] = OffRecord.objects.filter(id__in=list(off)).delete()[0]
            if chats:
                audit.record(audit.Entry(Event.RETENTION_SWEEP, whose, _told(_swept(at, gone)), actor))
    return gone, len(found) == BATCH or gone["off_record"] == BATCH


TABLES = ("audit_log", "passages", "episode_summaries", "conversations", "off_record")


def _swept(at: datetime, gone: Counter[str]) -> Swept:
    rows = {table: gone[table] for table in TABLES}
    return Swept(at, chats=gone["chats"], unread=gone["unread"], rows=rows)


def _told(done: Swept) -> dict[str, object]:
    """How the log tells of it: numbers alone."""
    rows = {table: count for table, count in done.rows.items() if count}
    return {"before": done.before, "chats": done.chats, "unread": done.unread, "rows": rows}
