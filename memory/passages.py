"""The only writer of passages: cuts finished chats into pieces that can be found, where the operator wants that."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import structlog
from django.db import InterfaceError, OperationalError, connection
from django.db.models import Max

from memory import buried, consent, sensitive
from memory.config import conf
from memory.db import claim_scope, profile_scope
from memory.domain.chunks import chunks
from memory.domain.sensitive import Policy
from memory.domain.terms import tokens
from memory.llm.routing import BUILTIN
from memory.models import AuditLog, Conversation, Passage, Profile, WorkKind

LOG = structlog.get_logger(__name__)
CURSOR = "passages"
ROWS_PER_STEP = 100
CHECKED_AT_ONCE = 20
KEPT_ROLES = ("user", "assistant")
LONGEST_SPEAKER = 64


@dataclass(frozen=True)
class _Place:
    """(transaction, id) of a row of the log; see `memory/sql/tick.sql` on why ids alone are not enough."""

    xid: str
    audit_id: int


NEXT = """
SELECT a.xid::text, a.id, a.profile_id, a.mine_facts FROM audit_log a
 WHERE a.event_type = 'chat.completed' AND (a.xid, a.id) > (%s::xid8, %s)
   AND a.xid < pg_snapshot_xmin(pg_current_snapshot())
 ORDER BY a.xid, a.id LIMIT %s"""


def index_due() -> int:
    """Make the passages of the chats that were finished since the last time. Returns how many chats were read.

    Two processes at once do the same work twice and write it once.
    """
    if not conf().semantic.enabled:
        return 0
    read = 0
    while True:
        place, rows = _next()
        for _, audit_id, profile_id, mine in rows:
            if mine:
                _index(profile_id, audit_id)
        if not rows or not _move(place, _Place(rows[-1][0], rows[-1][1])):
            return read
        read += len(rows)


def _next() -> tuple[_Place, list[Any]]:
    with claim_scope(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO memory_cursor (kind, xid, audit_id) VALUES (%s, '0', 0) ON CONFLICT DO NOTHING", [CURSOR]
        )
        cursor.execute("SELECT xid::text, audit_id FROM memory_cursor WHERE kind = %s", [CURSOR])
        place = _Place(*cursor.fetchone())
        cursor.execute(NEXT, [place.xid, place.audit_id, ROWS_PER_STEP])
        return place, cursor.fetchall()


def _move(old: _Place, new: _Place) -> bool:
    """False where another process has moved it."""
    with claim_scope(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memory_cursor SET xid = %s::xid8, audit_id = %s, ticked_at = clock_timestamp()"
            " WHERE kind = %s AND xid = %s::xid8 AND audit_id = %s",
            [new.xid, new.audit_id, CURSOR, old.xid, old.audit_id],
        )
        return bool(cursor.rowcount)


def _index(profile_id: uuid.UUID, audit_id: int) -> None:
    """One chat that cannot be cut up keeps no other from being found."""
    try:
        index(profile_id=profile_id, audit_id=audit_id)
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        LOG.exception("not_indexed", audit_id=audit_id)


def index(*, profile_id: uuid.UUID, audit_id: int) -> int:
    """Make the passages of one chat, if it may be read. Returns how many; none where they are there already."""
    with profile_scope(profile_id):
        row = AuditLog.objects.select_related("profile").filter(consent.readable(WorkKind.EXTRACT), id=audit_id).first()
        if row is None or row.profile is None or row.conversation_id is None:
            return 0
        # One chat of a conversation at a time, so that positions do not repeat.
        if not Conversation.objects.select_for_update(no_key=True).filter(id=row.conversation_id).exists():
            return 0
        if Passage.objects.filter(audit_id=audit_id).exists():
            return 0
        last = Passage.objects.filter(conversation_id=row.conversation_id).aggregate(last=Max("position"))["last"]
        policy = sensitive.policy_of(row.profile)
        made = list(_made(row, profile_id, 0 if last is None else last + 1, policy))
        made = [one for one in made if not _says_what_was_deleted(one)]
        Passage.objects.bulk_create(made)
    return len(made)


def of_document(*, profile: Profile, chats: Iterable[AuditLog]) -> list[Passage]:
    """The passages of a document, whose pages these are, in order; without those that say what was deleted.

    They are made whether or not chats are indexed: who gives a document wants it to be found. Takes its time where
    much was deleted, so nothing is locked meanwhile.
    """
    policy = sensitive.policy_of(profile)
    made = [one for n, row in enumerate(chats) for one in _made(row, profile.id, n, policy)]
    kept: list[Passage] = []
    for start in range(0, len(made), CHECKED_AT_ONCE):
        with profile_scope(profile.id):
            some = made[start : start + CHECKED_AT_ONCE]
            kept += [one for one in some if not _says_what_was_deleted(one)]
    return kept


def keep(made: Iterable[Passage]) -> None:
    """Write passages that were made of a document. Call inside the profile's scope."""
    Passage.objects.bulk_create(made)


def _says_what_was_deleted(one: Passage) -> bool:
    found = buried.said(profile_id=one.profile_id, texts=[one.text], chats=[one.audit_id] if one.audit_id else [])
    return any(one.said_at <= each.at for each in found)


def strike(*, profile_id: uuid.UUID, audit_ids: Collection[int], says: Callable[[str], bool]) -> int:
    """Remove the pieces of these chats that say something that was deleted. Call inside the profile's scope."""
    rows = Passage.objects.filter(profile_id=profile_id, audit_id__in=list(audit_ids)).values_list("id", "text")
    gone = [passage_id for passage_id, text in rows if says(text)]
    Passage.objects.filter(id__in=gone).delete()
    return len(gone)


def sweep(*, audit_ids: Collection[int]) -> int:
    """Remove the pieces of these chats. Call inside a scope of the profile's. Returns how many."""
    return int(Passage.objects.filter(audit_id__in=list(audit_ids)).delete()[0])


def _made(row: AuditLog, profile_id: uuid.UUID, position: int, policy: Policy) -> Iterator[Passage]:
    for number, message in enumerate(_said(row.payload)):
        if message.get("role") not in KEPT_ROLES:
            continue
        text = sensitive.quotable(str(message.get("text", "")), policy)
        source = message.get("id")
        for part, piece in enumerate(chunks(text)):
            yield Passage(
                profile_id=profile_id,
                space_id=row.space_id,
                conversation_id=row.conversation_id,
                audit_id=row.id,
                role=str(message["role"]),
                speaker=str(message.get("name", ""))[:LONGEST_SPEAKER],
                text=piece,
                length=len(tokens(piece)),
                source_ids=[] if source is None else [str(source)],
                position=position,
                message=number,
                part=part,
                said_at=row.said_at or row.at,
            )
        position += bool(text.strip())


def _said(payload: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """What is new in the chat, the answer last, unless it was made of what is remembered and no model's words."""
    yield from (message for message in payload.get("messages", []) if not message.get("known", False))
    if payload.get("model") != BUILTIN:
        yield {"role": "assistant", **(payload.get("answer") or {})}
