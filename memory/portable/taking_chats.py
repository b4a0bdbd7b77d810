"""Imported conversations become conversations here: turns with their historic times and ids, under today's consent.

A conversation is known by the file's id, a message by its id in it, so that the same archive, or a newer one with
more in it, brings nothing twice. What a live chat said already is recognised by its hash and is not read again; what
was said off the record stays out.
"""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from memory import audit, chat_row, consent, conversations, imports, sensitive
from memory.db import now
from memory.domain.history import Incoming
from memory.hashing import message_digest
from memory.models import Event, Import, Space
from memory.models.fields import new_id
from memory.portable.found import Conversation, Message

MOST_MESSAGES = 400  # in one transaction
MOST_TURN = 200
MOST_ID = 200
STEP = timedelta(microseconds=1)
_PLAIN_ID = re.compile(r"#\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass
class Thread:
    """A conversation as it stands here: the ids of its messages, its last message and when it was said."""

    id: uuid.UUID
    client_id: str
    exists: bool = False
    seen: set[str] = field(default_factory=set)
    last: int | None = None
    last_at: datetime | None = None
    counted: bool = False

    def unseen(self, messages: Sequence[Message]) -> list[Message]:
        """Those that are not here yet, each once; from now on they count as seen."""
        found = []
        for message in messages:
            if message.id not in self.seen:
                self.seen.add(message.id)
                found.append(message)
        return found

    def counts_now(self) -> int:
        """1 for the first of the pieces in which a conversation comes, then 0."""
        first, self.counted = not self.counted, True
        return int(first)


@dataclass(frozen=True)
class Turn:
    """What the person said up to an answer, and the answer."""

    said: tuple[Message, ...]
    answer: Message | None


def parts(conversation: Conversation, most: int = MOST_MESSAGES) -> Iterator[Conversation]:
    """The conversation in pieces of bounded size, cut between turns; messages without an id get their number."""
    numbered = (replace(m, id=kept_id(m.id) or f"#{n}") for n, m in enumerate(conversation.messages))
    piece: list[Message] = []
    for turn in turns(numbered):
        if piece and len(piece) + len(turn.said) + 1 > most:
            yield replace(conversation, messages=piece)
            piece = []
        piece += [*turn.said, *([turn.answer] if turn.answer else [])]
    if piece:
        yield replace(conversation, messages=piece)


def kept_id(named: str) -> str:
    """A message's id as it is kept and known again. One that cannot be kept as it is (too long, or it reads like a
    secret) is a keyed hash of it: cut or struck out, it would be another one the next time."""
    if _PLAIN_ID.fullmatch(named):
        return named
    same = len(named) <= MOST_ID and named == sensitive.redacted(audit.storable_text(named), set())
    return named if same else str(uuid.UUID(bytes=message_digest("id", named)[:16]))


def turns(messages: Iterable[Message]) -> Iterator[Turn]:
    """Each ends with the last thing that the assistant said before the person spoke again."""
    said: list[Message] = []
    for message in messages:
        answered = bool(said) and said[-1].role == "assistant"
        if said and ((answered and message.role == "user") or len(said) >= MOST_TURN):
            yield _turn(said)
            said = []
        said.append(message)
    if said:
        yield _turn(said)


def _turn(said: Sequence[Message]) -> Turn:
    if said[-1].role == "assistant":
        return Turn(tuple(said[:-1]), said[-1])
    return Turn(tuple(said), None)


class Chats:
    """Writes batches of conversations of one import. Keeps the one that the last batch ended with."""

    def __init__(self, row: Import, *, dry_run: bool = False) -> None:
        self._row = row
        self._dry_run = dry_run
        self._open: Thread | None = None

    def take(self, batch: Sequence[Conversation], where: Space) -> Counter[str]:
        """Write what is new. Returns how many conversations and messages became what.

        Call inside the profile's scope, under `imports.lock`; `where` (with its profile) is the space they go to.
        """
        counts: Counter[str] = Counter()
        threads = self._threads(batch)
        fresh = [(threads[self.name(each)], each, threads[self.name(each)].unseen(each.messages)) for each in batch]
        digests = {m: Incoming(m.role, message_digest(m.role, m.text)) for _, _, said in fresh for m in said}
        told = conversations.told(
            profile_id=where.profile_id,
            digests={each.digest for each in digests.values()},
            but=[thread.id for thread in threads.values()],
        )
        writer = _Writer(self._row, where, digests, told.digests)
        for thread, each, said in fresh:
            counts["messages known"] += len(each.messages) - len(said)
            kept = [m for m in said if digests[m].digest not in told.off_record]
            counts["messages off the record"] += len(said) - len(kept)
            if not thread.exists and told.hold(digests[m].digest for m in kept):
                counts["conversations known"] += thread.counts_now()
                counts["messages known"] += len(kept)
            elif kept:
                counts["conversations continued" if thread.exists else "conversations new"] += thread.counts_now()
                counts["messages new"] += len(kept)
                writer.add(thread, each, kept)
            elif thread.exists:
                counts["conversations known"] += thread.counts_now()
        writer.write()
        self._open = threads[self.name(batch[-1])]
        return counts

    def name(self, conversation: Conversation) -> str:
        """How the conversation is called here: by the format and the file's id."""
        return audit.storable_text(f"{self._row.format}:{kept_id(conversation.id)}")[:MOST_ID]

    def _threads(self, batch: Sequence[Conversation]) -> dict[str, Thread]:
        names = {self.name(each) for each in batch}
        there = conversations.standing(profile_id=self._row.profile_id, client_ids=names)
        threads: dict[str, Thread] = {}
        last = self._open
        if (
            last
            and last.client_id in names
            and (self._dry_run or (last.id, last.last) in {(t.id, t.last) for t in there})
        ):
            # Nobody has written to it since: what it holds need not be read again.
            threads[last.client_id] = last
            there = [each for each in there if each.id != last.id]
        for each in there:
            threads[each.client_id] = Thread(each.id, each.client_id, True, set(), each.last, each.last_said_at)
        by_id = {each.id: threads[each.client_id] for each in there}
        for conversation_id, message_id in conversations.message_ids(list(by_id)):
            by_id[conversation_id].seen.add(message_id)
        for name in names - set(threads):
            threads[name] = Thread(new_id(), name)
        return threads


class _Writer:
    """Collects the rows of a batch and writes them together."""

    def __init__(self, row: Import, where: Space, digests: Mapping[Message, Incoming], told: frozenset[bytes]) -> None:
        self._row, self._where, self._digests, self._told = row, where, digests, told
        self._now = now()
        self._wanted = consent.wanted(where)
        self._threads: dict[uuid.UUID, Thread] = {}
        self._started: dict[uuid.UUID, datetime] = {}
        self._entries: list[audit.Entry] = []
        self._said: list[tuple[Thread, list[Incoming]]] = []

    def add(self, thread: Thread, conversation: Conversation, messages: Sequence[Message]) -> None:
        said: list[Incoming] = []
        for turn in turns(messages):
            both = [*turn.said, *([turn.answer] if turn.answer else [])]
            at = self._time(thread, conversation, both)
            self._started.setdefault(thread.id, at)
            self._entries.append(
                audit.Entry(
                    Event.CHAT_COMPLETED,
                    self._row.profile_id,
                    self._payload(conversation, turn),
                    actor="person",
                    conversation_id=thread.id,
                    space_id=self._where.id,
                    said_at=at,
                    mine_facts=self._wanted.facts,
                    mine_summary=self._wanted.episodes,
                )
            )
            said += [self._digests[m] for m in both]
        self._threads[thread.id] = thread
        self._said.append((thread, said))

    def _time(self, thread: Thread, conversation: Conversation, said: Sequence[Message]) -> datetime:
        """When the turn was said: not later than now, and after what stands before it."""
        at = min(next((m.at for m in said if m.at), None) or conversation.at or self._now, self._now)
        thread.last_at = at if thread.last_at is None else max(at, thread.last_at + STEP)
        return thread.last_at

    def _payload(self, conversation: Conversation, turn: Turn) -> dict[str, Any]:
        secrets: set[str] = set()
        messages = [self._stored(m, secrets) for m in turn.said]
        answer = self._stored(turn.answer, secrets) if turn.answer else {"text": ""}
        answer.pop("role", None)
        origin = {"import_id": str(self._row.id), "format": self._row.format}
        if conversation.title:
            origin["title"] = sensitive.redacted(audit.storable_text(conversation.title[:MOST_ID]), secrets)
        return chat_row.payload(
            space=self._where.slug,
            messages=messages,
            answer=answer,
            redacted=secrets,
            model=turn.answer.model[:MOST_ID] if turn.answer else "",
            imported=origin,
        )

    def _stored(self, message: Message, secrets: set[str]) -> dict[str, Any]:
        text = sensitive.redacted(audit.storable_text(message.text), secrets)
        stored: dict[str, Any] = {"role": message.role, "text": text, "id": message.id}
        if message.name:
            stored["name"] = sensitive.redacted(audit.storable_text(message.name[:MOST_ID]), secrets)
        if message.role == "user" and self._digests[message].digest in self._told:
            stored["known"] = True
        return stored

    def write(self) -> None:
        if not self._entries:
            return
        conversations.bring(
            profile_id=self._row.profile_id,
            made=[
                conversations.Brought(t.id, self._where.id, t.client_id, self._started[t.id], t.last_at or self._now)
                for t in self._threads.values()
                if not t.exists
            ],
        )
        for conversation_id, last in conversations.append(
            profile_id=self._row.profile_id, said=[(t.id, t.last, said) for t, said in self._said]
        ).items():
            self._threads[conversation_id].last = last
        ids = audit.draw_ids(len(self._entries))
        entries = [replace(entry, id=n) for entry, n in zip(self._entries, ids, strict=True)]
        audit.record_many(entries)
        for thread in self._threads.values():
            if thread.exists and thread.last_at:
                conversations.touch(thread.id, said_at=thread.last_at)
            thread.exists = True
        chats = {entry.id: entry.conversation_id for entry in entries if entry.id and entry.conversation_id}
        imports.brought(self._row, chats, set(chats) if self._wanted.anything else ())
