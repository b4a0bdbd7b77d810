"""The only writer of imports and of what they brought: how far each is, and whose chats' turn it is to be read.

Chats that were imported are read by the ordinary pipeline, but few at a time: the cursor passes them over, and
`release` lets a bounded number of conversations through, so that what is said now waits for no archive.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import connection
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now

from memory import cursor
from memory.db import claim_scope, profile_scope
from memory.models import Import, ImportedChat, ImportState, WorkKind

MOST_OPEN = 2  # imported conversations of one person that wait for a worker or are read at once
MOST_PEOPLE = 100  # whose turn it may be in one round
MOST_CHATS = 40  # turns of one conversation that are let through together
Counts = Mapping[str, Mapping[str, int]]

OPEN = """
SELECT count(DISTINCT w.conversation_id) FROM work_items w
 WHERE w.profile_id = %s AND w.state IN ('waiting', 'running') AND w.kind = ANY (%s)
   AND EXISTS (SELECT FROM imported_chats i WHERE i.audit_id = w.audit_id)"""


def begin(*, profile_id: uuid.UUID, kind: str, name: str, digest: str, total: int) -> Import:
    """The row of an import that starts, or starts again with the same file. `total` records are in it."""
    fields: dict[str, Any] = {"format": kind, "name": name, "total": total, "done": 0, "counts": {}, "error": ""}
    fields |= {"state": ImportState.RUNNING, "updated_at": Now()}
    with profile_scope(profile_id):
        row, _ = Import.objects.update_or_create(profile_id=profile_id, digest=digest, defaults=fields)
        row.refresh_from_db()
    return row


def lock(profile_id: uuid.UUID) -> None:
    """One batch of one person's imports at a time, on all hosts, until the transaction ends."""
    with connection.cursor() as query:
        query.execute("SELECT pg_advisory_xact_lock(hashtextextended('imports:' || %s, 0))", [str(profile_id)])


def note(row: Import, *, done: int, counts: Counts) -> None:
    """How far it is. Call inside the profile's scope, in the transaction that wrote the batch."""
    Import.objects.filter(id=row.id).update(done=done, counts=dict(counts), updated_at=Now())


def end(row: Import, *, error: str = "") -> None:
    """It is through, or broke off with this error."""
    state = ImportState.FAILED if error else ImportState.DONE
    with profile_scope(row.profile_id):
        Import.objects.filter(id=row.id).update(state=state, error=error, updated_at=Now())
        row.refresh_from_db()


def listed(*, profile_id: uuid.UUID) -> QuerySet[Any]:
    """The profile's imports, each with how many of its chats wait for their turn to be read. Call inside its scope."""
    waiting = ImportedChat.objects.filter(source=OuterRef("pk"), waiting=True).order_by().values("source")
    unread = Subquery(waiting.annotate(many=Count("id")).values("many"))
    return Import.objects.filter(profile_id=profile_id).annotate(unread=Coalesce(unread, 0))


def brought(row: Import, chats: Mapping[int, uuid.UUID], waiting: Collection[int]) -> None:
    """Chats (with their conversations) that an import wrote; those `waiting` are to be read. Call inside the scope."""
    ImportedChat.objects.bulk_create(
        ImportedChat(
            profile_id=row.profile_id,
            source_id=row.id,
            conversation_id=conversation_id,
            audit_id=audit_id,
            waiting=audit_id in waiting,
        )
        for audit_id, conversation_id in chats.items()
    )


def release() -> int:
    """Let the next imported conversations be read, of each person so many that few are open. Returns how many chats."""
    return sum(_release(profile_id) for profile_id in _whose())


def _whose() -> Sequence[uuid.UUID]:
    with claim_scope():
        waiting = ImportedChat.objects.filter(waiting=True)
        return list(waiting.order_by("profile_id").values_list("profile_id", flat=True).distinct()[:MOST_PEOPLE])


def _release(profile_id: uuid.UUID) -> int:
    kinds = [kind.value for kind in WorkKind if cursor.enabled(kind)]
    if not kinds:
        return 0
    released = 0
    with profile_scope(profile_id):
        lock(profile_id)
        with connection.cursor() as query:
            query.execute(OPEN, [profile_id, kinds])
            (held,) = query.fetchone()
        for _ in range(MOST_OPEN - held):
            released += _next(profile_id)
    return released


def _next(profile_id: uuid.UUID) -> int:
    """The next conversation's chats become work. An archive of many years begins with what it begins with."""
    waiting = ImportedChat.objects.filter(profile_id=profile_id, waiting=True)
    first = waiting.order_by("id").first()
    if first is None:
        return 0
    same = waiting.filter(conversation_id=first.conversation_id).order_by("id")
    chats = dict(same.values_list("id", "audit_id")[:MOST_CHATS])
    ImportedChat.objects.filter(id__in=chats).update(waiting=False)
    cursor.plan(profile_id=profile_id, audit_ids=list(chats.values()))
    return len(chats)


UNREAD = """
UPDATE imported_chats i SET waiting = true
  FROM audit_log a
 WHERE i.source_id = %s AND NOT i.waiting AND a.id = i.audit_id
   AND (   (a.mine_facts AND NOT EXISTS (SELECT FROM work_items w WHERE w.audit_id = a.id AND w.kind = 'extract'))
        OR (a.mine_summary
            AND NOT EXISTS (SELECT FROM work_items w WHERE w.audit_id = a.id AND w.kind = 'summarise')))"""


def let_be_read(row: Import) -> None:
    """Of the chats that an import brought, those that nobody has read yet wait for it. Call inside the scope."""
    with connection.cursor() as query:
        query.execute(UNREAD, [row.id])


def brought_here(audit_ids: Collection[int]) -> set[int]:
    """Those of these chats that an import brought. Call inside the profile's scope."""
    return set(ImportedChat.objects.filter(audit_id__in=audit_ids).values_list("audit_id", flat=True))
