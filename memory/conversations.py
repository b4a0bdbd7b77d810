"""The only writer of conversations and of the hashes of their messages."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Exists, OuterRef, Q, Subquery

from memory.domain.history import Incoming, Match, Seen, match, said_there, sent_again, without
from memory.errors import InvalidInput
from memory.models import AuditLog, Conversation, Event, MessageHash, OffRecord
from memory.models.fields import new_id

MAX_CLIENT_ID = 200
MAX_CANDIDATES = 5_000  # rows that share a hash with the request ("ok" may have thousands): the newest are looked at

MAX_TWINS = 200
MOST_TOLD = 50_000
SEEN = ("id", "conversation_id", "parent_id", "role", "digest")


@dataclass(frozen=True)
class Place:
    """Where a turn belongs: its conversation (perhaps not made yet) and what of it is new."""

    conversation_id: uuid.UUID
    client_id: str | None
    exists: bool
    match: Match

    @property
    def public_id(self) -> str:
        return self.client_id or str(self.conversation_id)


@dataclass(frozen=True)
class Added:
    """The rows that a turn's messages became: in which conversation, after which message, with which ids."""

    conversation_id: uuid.UUID
    last: int | None
    ids: list[int]


def find(*, profile_id: uuid.UUID, history: Sequence[Incoming], wanted: str | None) -> Place:
    """The conversation of a request, by the id it names, else by the messages it resends.

    An id that was never seen names a new conversation. What was said off the record and is sent again is none of
    what is new. Call inside the profile's scope; at most four queries.
    """
    named = _named(profile_id, wanted) if wanted else None
    seen = [] if wanted and named is None else _seen(profile_id, {m.digest for m in history}, named)
    found = match(history, seen, conversation=str(named.id) if named else None)
    found = without(found, history, _said_off_record(profile_id, sent_again(history)))
    if wanted:
        if named:
            return Place(named.id, named.client_id, True, found)
        return Place(new_id(), wanted, False, found)
    if found.conversation:
        # A conversation that a client named keeps its name only for those who name it again.
        return Place(uuid.UUID(found.conversation), None, True, found)
    return Place(new_id(), None, False, found)


def _named(profile_id: uuid.UUID, wanted: str) -> Conversation | None:
    if len(wanted) > MAX_CLIENT_ID:
        raise InvalidInput(f"conversation_id is at most {MAX_CLIENT_ID} characters.")
    name = Q(client_id=wanted)
    with suppress(ValueError):
        name |= Q(id=uuid.UUID(wanted))
    return Conversation.objects.filter(name, profile_id=profile_id).first()


def _seen(profile_id: uuid.UUID, digests: set[bytes], named: Conversation | None) -> list[Seen]:
    """Stored messages that the request resends, and the answers that stand after them."""
    within = Q(profile_id=profile_id) & (Q(conversation=named) if named else Q())
    same = MessageHash.objects.filter(within, digest__in=digests).order_by("-id").values_list(*SEEN)[:MAX_CANDIDATES]
    rows = {row[0]: row for row in same}
    if rows:
        answers = MessageHash.objects.filter(within, parent_id__in=list(rows), role="assistant")
        rows |= {row[0]: row for row in answers.values_list(*SEEN)}
    return [_seen_row(row) for row in rows.values()]


def _seen_row(row: tuple[Any, ...]) -> Seen:
    return Seen(id=row[0], conversation=str(row[1]), parent=row[2], role=row[3], digest=bytes(row[4]))


def _said_off_record(profile_id: uuid.UUID, messages: Sequence[Incoming]) -> set[bytes]:
    if not messages:
        return set()
    rows = OffRecord.objects.filter(profile_id=profile_id, digest__in={m.digest for m in messages})
    return {bytes(digest) for digest in rows.values_list("digest", flat=True)}


def keep_off_record(*, profile_id: uuid.UUID, messages: Sequence[Incoming]) -> None:
    """Remember, without their words, that messages were said off the record. Call inside the profile's scope."""
    digests = sorted({m.digest for m in messages})
    OffRecord.objects.bulk_create(
        [OffRecord(profile_id=profile_id, digest=digest) for digest in digests], ignore_conflicts=True
    )


def extend(*, profile_id: uuid.UUID, place: Place, space_id: uuid.UUID, messages: Sequence[Incoming]) -> Added:
    """Append a turn's messages to its conversation, which is made where it is new. Call inside the profile's scope."""
    conversation_id, last = place.conversation_id, place.match.last
    if not (place.exists and _kept(conversation_id)):
        # It is new, or was deleted while the model answered.
        conversation_id, last = _made(profile_id, place, space_id), None
    ids = _draw_ids(len(messages))
    MessageHash.objects.bulk_create(_chain(profile_id, conversation_id, last, ids, messages))
    return Added(conversation_id, last, ids)


def said_at_once(
    *,
    profile_id: uuid.UUID,
    place: Place,
    space_id: uuid.UUID,
    added: Added,
    messages: Sequence[Incoming],
    since: datetime,
) -> int:
    """How many of a turn's messages, from the first on, another turn said at the same place meanwhile.

    The same request, sent twice at once, is one saying: at the same place of a conversation, or as the beginning of
    two without a name, of which one was begun after the other was asked for (`since`). Call inside the profile's
    scope, once its other turns wait for this one.
    """
    where = Q(conversation_id=added.conversation_id)
    if added.last is None and place.client_id is None:
        where |= Q(
            conversation__client_id__isnull=True,
            conversation__started_at__gt=since,
            conversation__space_id=space_id,
        )
    same = MessageHash.objects.filter(where, profile_id=profile_id, digest__in={m.digest for m in messages})
    rows = same.exclude(id__in=added.ids).order_by("-id").values_list(*SEEN)[:MAX_TWINS]
    return said_there(messages, added.last, [_seen_row(row) for row in rows])


def _kept(conversation_id: uuid.UUID) -> bool:
    """Whether it is still there; nobody prunes it until this transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM conversations WHERE id = %s FOR KEY SHARE", [conversation_id])
        return cursor.fetchone() is not None


def named(*, profile_id: uuid.UUID, public_id: str) -> Conversation | None:
    """The conversation that clients know by this id, to be deleted: turns that are being written are waited for."""
    found = _named(profile_id, public_id) if len(public_id) <= MAX_CLIENT_ID else None
    return Conversation.objects.select_for_update().filter(id=found.id).first() if found else None


def remove(conversation: Conversation) -> None:
    """Delete the conversation, the hashes of its messages, and what was made of it. Its chats must be gone already."""
    hashes = MessageHash.objects.filter(conversation=conversation)
    hashes._raw_delete(hashes.db)  # row by row, Django would look for each one's children first
    conversation.delete()


def sweep(*, conversation_ids: Sequence[uuid.UUID]) -> int:
    """Delete those of these conversations that have no chat in the log any more; what else it tells of them loses the
    link. Call inside a scope of the profile's. Returns how many.
    """
    chats = AuditLog.objects.filter(event_type=Event.CHAT_COMPLETED)
    left = Exists(chats.filter(conversation=OuterRef("id")))
    empty = Conversation.objects.filter(~left, id__in=conversation_ids).values_list("id", flat=True)
    went = 0
    # Turns that are being written are waited for: afterwards they are seen, or make a conversation of their own.
    for row in Conversation.objects.select_for_update().filter(id__in=list(empty)).order_by("id"):
        if not chats.filter(conversation=row).exists():
            with connection.cursor() as cursor:
                cursor.execute("SELECT audit_prune(%s)", [row.id])
            remove(row)
            went += 1
    return went


def touch(conversation_id: uuid.UUID, *, said_at: datetime) -> None:
    """Something was said in it."""
    Conversation.objects.filter(id=conversation_id).update(last_said_at=said_at)


def _made(profile_id: uuid.UUID, place: Place, space_id: uuid.UUID) -> uuid.UUID:
    made = Conversation(id=place.conversation_id, profile_id=profile_id, space_id=space_id, client_id=place.client_id)
    Conversation.objects.bulk_create([made], ignore_conflicts=True)
    if place.client_id is None:
        return made.id
    # Another turn may have made it meanwhile, under the name that the client gave both.
    return Conversation.objects.get(profile_id=profile_id, client_id=place.client_id).id


def _draw_ids(count: int) -> list[int]:
    """Ids for rows that name each other, so that they go in as one statement."""
    if not count:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence('message_hashes', 'id')) FROM generate_series(1, %s)",
            [count],
        )
        return sorted(int(row[0]) for row in cursor.fetchall())


@dataclass(frozen=True)
class Told:
    """Which of some messages are stored already, by conversation, and which of them were said off the record."""

    by_conversation: tuple[frozenset[bytes], ...]
    off_record: frozenset[bytes]

    @property
    def digests(self) -> frozenset[bytes]:
        return frozenset().union(*self.by_conversation)

    def hold(self, digests: Iterable[bytes]) -> bool:
        """Whether one conversation says all of this, which is more than a greeting."""
        wanted = frozenset(digests)
        return len(wanted) > 1 and any(wanted <= each for each in self.by_conversation)


def told(*, profile_id: uuid.UUID, digests: Collection[bytes], but: Collection[uuid.UUID]) -> Told:
    """What is stored of these messages in other conversations than `but`. Call inside the profile's scope."""
    same = MessageHash.objects.filter(profile_id=profile_id, digest__in=list(digests)).exclude(conversation__in=but)
    found: dict[uuid.UUID, set[bytes]] = {}
    for conversation_id, digest in same.values_list("conversation_id", "digest").distinct()[:MOST_TOLD]:
        found.setdefault(conversation_id, set()).add(bytes(digest))
    off = OffRecord.objects.filter(profile_id=profile_id, digest__in=list(digests)).values_list("digest", flat=True)
    return Told(tuple(frozenset(each) for each in found.values()), frozenset(bytes(digest) for digest in off))


@dataclass(frozen=True)
class Known:
    """A conversation that is there: the last of its messages, and when something was said in it last."""

    id: uuid.UUID
    client_id: str
    last: int | None
    last_said_at: datetime | None


def standing(*, profile_id: uuid.UUID, client_ids: Collection[str]) -> list[Known]:
    """The conversations that clients call so. Call inside the profile's scope."""
    newest = MessageHash.objects.filter(conversation=OuterRef("pk")).order_by("-id").values("id")[:1]
    rows = Conversation.objects.filter(profile_id=profile_id, client_id__in=client_ids)
    found = rows.annotate(last=Subquery(newest)).values_list("id", "client_id", "last", "last_said_at")
    return [Known(row[0], row[1] or "", row[2], row[3]) for row in found]


def last_messages(ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, int]:
    """The last message of each of these conversations that has some. Call inside the profile's scope."""
    newest = MessageHash.objects.filter(conversation=OuterRef("pk")).order_by("-id").values("id")[:1]
    rows = Conversation.objects.filter(id__in=ids).annotate(last=Subquery(newest)).values_list("id", "last")
    return {conversation_id: last for conversation_id, last in rows if last is not None}


SEEN_IDS = """
SELECT a.conversation_id, m ->> 'id' FROM audit_log a
 CROSS JOIN LATERAL jsonb_array_elements(
   coalesce(a.payload -> 'messages', '[]') || jsonb_build_array(a.payload -> 'answer')) m
 WHERE a.conversation_id = ANY (%s) AND a.event_type = 'chat.completed' AND jsonb_typeof(m) = 'object'
   AND m ->> 'id' IS NOT NULL"""


def message_ids(ids: Sequence[uuid.UUID]) -> list[tuple[uuid.UUID, str]]:
    """(conversation, the id that its message has outside of here) of all that is stored of these conversations."""
    if not ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(SEEN_IDS, [list(ids)])
        return list(cursor.fetchall())


@dataclass(frozen=True)
class Brought:
    """A conversation that comes from elsewhere, with its times."""

    id: uuid.UUID
    space_id: uuid.UUID
    client_id: str | None
    started_at: datetime
    last_said_at: datetime | None


def bring(*, profile_id: uuid.UUID, made: Iterable[Brought]) -> None:
    """Make conversations that come from elsewhere; one whose id or name is taken is passed over. Call in the scope."""
    Conversation.objects.bulk_create(
        (
            Conversation(
                id=each.id,
                profile_id=profile_id,
                space_id=each.space_id,
                client_id=each.client_id,
                started_at=each.started_at,
                last_said_at=each.last_said_at,
            )
            for each in made
        ),
        ignore_conflicts=True,
    )


def append(
    *, profile_id: uuid.UUID, said: Sequence[tuple[uuid.UUID, int | None, Sequence[Incoming]]]
) -> dict[uuid.UUID, int]:
    """Append messages to conversations: each with the last that it has. Returns the new last ones.

    Call inside the profile's scope.
    """
    ids = _draw_ids(sum(len(messages) for _, _, messages in said))
    last: dict[uuid.UUID, int] = {}
    rows: list[MessageHash] = []
    for conversation_id, before, messages in said:
        taken = ids[len(rows) : len(rows) + len(messages)]
        rows += _chain(profile_id, conversation_id, last.get(conversation_id, before), taken, messages)
        if taken:
            last[conversation_id] = taken[-1]
    MessageHash.objects.bulk_create(rows)
    return last


def _chain(
    profile_id: uuid.UUID,
    conversation_id: uuid.UUID,
    last: int | None,
    ids: Sequence[int],
    messages: Sequence[Incoming],
) -> list[MessageHash]:
    """The rows of messages, each with the one before it as its parent, the first with `last`."""
    parents = [last, *ids[:-1]][: len(ids)]
    return [
        MessageHash(
            id=row_id,
            profile_id=profile_id,
            conversation_id=conversation_id,
            parent_id=parent,
            role=message.role,
            digest=message.digest,
        )
        for row_id, parent, message in zip(ids, parents, messages, strict=True)
    ]
