"""A chat's turn: what the model is given from memory, and the row that says what was said.

`begin` before the model is called, `finish` before the last byte is sent. Both are short transactions; none is
open while the model answers.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog
from django.db import connection

from memory import audit, consent, conversations, episodes, facts, profiles, recall, sensitive
from memory.db import profile_scope
from memory.domain.history import Incoming
from memory.domain.text import text_of
from memory.errors import BeingErased, InvalidInput
from memory.hashing import message_digest
from memory.models import Event, Space
from memory.models.fields import new_id
from memory.search import asking
from memory.search.candidates import Scope
from memory.search.question import Question

LOG = structlog.get_logger(__name__)
KEPT_ROLES = ("user", "assistant", "tool", "function")
MAX_MESSAGES = 5_000
RECALL_MILLISECONDS = 2_000  # a chat waits no longer for its memory


@dataclass(frozen=True)
class Said:
    """One message of a request that belongs to the conversation (system messages do not)."""

    role: str
    text: str
    incoming: Incoming
    stored: dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """A turn that is being answered. `audit_id` is drawn already: it names the row that `finish` will write."""

    profile_id: uuid.UUID
    space_id: uuid.UUID
    space: str
    audit_id: int
    begun_at: datetime
    decision_id: uuid.UUID
    recalled: recall.Recalled
    place: conversations.Place | None
    said: tuple[Said, ...] = ()
    mine_facts: bool = False
    mine_summary: bool = False
    timezone: str = "UTC"

    @property
    def question(self) -> str:
        """What the person said last."""
        return _question(self.said)

    @property
    def off_record(self) -> bool:
        return self.place is None

    @property
    def conversation_id(self) -> str | None:
        return self.place.public_id if self.place else None


@dataclass(frozen=True)
class Lookups:
    """How often the model looked something up before it answered, and the ids of the passages that it was given."""

    rounds: int = 0
    passages: tuple[str, ...] = ()
    failed: bool = False


@dataclass(frozen=True)
class Answer:
    """What the model answered. `complete` is False where the client left or the stream broke."""

    text: str = ""
    tool_calls: Any = None
    model: str = ""
    provider: str = ""
    finish_reason: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    streamed: bool = False
    complete: bool = True
    lookups: Lookups | None = None


def begin(
    *,
    profile_id: uuid.UUID,
    messages: Sequence[Any],
    space: str | None = None,
    conversation_id: str | None = None,
    memory_on: bool = True,
) -> Turn:
    """Find the conversation and what memory has to give.

    Raises InvalidInput for messages that are none, NotFound for a space that is not there, BeingErased.
    """
    said = parsed(messages)
    with profile_scope(profile_id):
        audit_id, begun_at = audit.draw()
        where = profiles.space(profile_id=profile_id, slug=space)
        if where.profile.erasing_at is not None:
            raise BeingErased
    wanted = consent.wanted(where, memory_on=memory_on)
    # No transaction is open while the question is embedded, and nobody embeds it who may not see it.
    question = asking.ask(profile_id=profile_id, text=_question(said)) if wanted.anything else None
    with profile_scope(profile_id):
        place = None
        if not memory_on:
            # Already now: where the model fails, the client sends it along with the next message.
            conversations.keep_off_record(profile_id=profile_id, messages=[s.incoming for s in said])
        else:
            place = conversations.find(
                profile_id=profile_id, history=[s.incoming for s in said], wanted=conversation_id
            )
        recalled = _recalled(where, question, wanted) if question else recall.NOTHING
        return Turn(
            profile_id=profile_id,
            space_id=where.id,
            space=where.slug,
            audit_id=audit_id,
            begun_at=begun_at,
            decision_id=new_id(),
            recalled=recalled,
            place=place,
            said=tuple(said),
            mine_facts=wanted.facts,
            mine_summary=wanted.episodes,
            timezone=where.profile.timezone,
        )


def _recalled(where: Space, question: Question, wanted: consent.Wanted) -> recall.Recalled:
    """What memory gives; a chat goes on without it where that fails."""
    with connection.cursor() as cursor:
        # In two statements what a savepoint and a setting would take four for: each is a way to the server.
        cursor.execute(f"SAVEPOINT recall; SET LOCAL statement_timeout TO {RECALL_MILLISECONDS}")
        try:
            recalled = recall.for_chat(
                profile=where.profile, scope=Scope(where.profile_id, where.id), question=question, wanted=wanted
            )
            cursor.execute("SET LOCAL statement_timeout TO DEFAULT; RELEASE SAVEPOINT recall")
        except Exception:
            LOG.exception("recall_failed", profile=str(where.profile_id))
            cursor.execute("ROLLBACK TO SAVEPOINT recall")
            return recall.FAILED
    return recalled


def _question(said: Sequence[Said]) -> str:
    return next((s.text for s in reversed(said) if s.role == "user" and s.text), "")


def finish(turn: Turn, answer: Answer) -> int:
    """Write the row of an answered turn. Returns its id; what it taught is found out later.

    Raises BeingErased where the person asked meanwhile to be forgotten.
    """
    with profile_scope(turn.profile_id):
        facts.mark_used(profile_id=turn.profile_id, fact_ids=[uuid.UUID(i) for i, _ in turn.recalled.facts])
        alike = turn.recalled.scores(recall.Rule.ALIKE)
        episodes.mark_recalled(profile_id=turn.profile_id, scores=alike, audit_id=turn.audit_id)
        added: conversations.Added | None = None
        fresh: list[Incoming] = []
        answered = Incoming("assistant", message_digest("assistant", answer.text, answer.tool_calls))
        if turn.place is None:
            conversations.keep_off_record(profile_id=turn.profile_id, messages=[answered])
        else:
            fresh = [turn.said[i].incoming for i in _unseen(turn.place)]
            added = conversations.extend(
                profile_id=turn.profile_id, place=turn.place, space_id=turn.space_id, messages=[*fresh, answered]
            )
        # Late, because from here on the person's other chats wait for this one.
        said_at = take_time(turn.profile_id)
        twice = 0
        if turn.place is not None and added is not None:
            conversations.touch(added.conversation_id, said_at=said_at)
            twice = conversations.said_at_once(
                profile_id=turn.profile_id,
                place=turn.place,
                space_id=turn.space_id,
                added=added,
                messages=fresh,
                since=turn.begun_at,
            )
        audit.record(
            audit.Entry(
                Event.CHAT_COMPLETED,
                turn.profile_id,
                _payload(turn, answer, twice),
                actor="person",
                conversation_id=added.conversation_id if added else None,
                space_id=turn.space_id,
                said_at=said_at,
                mine_facts=turn.mine_facts,
                mine_summary=turn.mine_summary,
                id=turn.audit_id,
            )
        )
    return turn.audit_id


def _unseen(place: conversations.Place) -> list[int]:
    """New messages, without those that stand at this very place already."""
    repeated = place.match.repeated
    return [i for i in place.match.fresh if i not in repeated]


def take_time(profile_id: uuid.UUID, *, most: int = 1) -> datetime:
    """Now, and later than anything this profile said before, even where the clock was set back.

    `most`: of so many times in a row, a microsecond apart, the last. Raises BeingErased.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE profiles SET last_said_at = greatest(clock_timestamp(), last_said_at + interval '1 microsecond')"
            " + %s * interval '1 microsecond'"
            " WHERE id = %s AND erasing_at IS NULL RETURNING last_said_at",
            [most - 1, profile_id],
        )
        row = cursor.fetchone()
    if row is None:
        raise BeingErased
    said_at: datetime = row[0]
    return said_at


def _payload(turn: Turn, answer: Answer, twice: int) -> dict[str, Any]:
    """`twice`: how many of the new messages another turn says as well, and teaches."""
    payload: dict[str, Any] = {
        "decision_id": str(turn.decision_id),
        "model": answer.model,
        "provider": answer.provider,
        "usage": answer.usage,
        "finish_reason": answer.finish_reason,
        "streamed": answer.streamed,
        "complete": answer.complete,
        "space": turn.space,
    }
    if turn.place is None:
        return payload | {"off_record": True}
    known = turn.place.match.known | set(_unseen(turn.place)[:twice])
    secrets: set[str] = set()
    payload["messages"] = [
        sensitive.redacted(turn.said[i].stored, secrets) | ({"known": True} if i in known else {})
        for i in turn.place.match.fresh
    ]
    said = {"text": answer.text} | ({"tool_calls": answer.tool_calls} if answer.tool_calls else {})
    payload["answer"] = sensitive.redacted(said, secrets)
    if secrets:
        payload["redacted"] = sorted(secrets)
    payload["facts"] = [fact_id for fact_id, _ in turn.recalled.facts]
    payload["episodes"] = [episode_id for episode_id, _ in turn.recalled.episodes]
    if asked_for := turn.recalled.scores(recall.Rule.ASKED):
        payload["asked_for"] = asked_for  # the others were given as every chat gets them
    payload["recall_failed"] = turn.recalled.failed
    if looked_up := answer.lookups:
        payload |= {"tool_rounds": looked_up.rounds, "passages": list(looked_up.passages)}
        payload["recall_failed"] |= looked_up.failed
    return payload


def parsed(messages: Sequence[Any]) -> list[Said]:
    """The messages that belong to the conversation. Raises InvalidInput with the place of what is wrong."""
    if not isinstance(messages, list) or not messages:
        raise InvalidInput("messages is a list with at least one message.")
    if len(messages) > MAX_MESSAGES:
        raise InvalidInput(f"messages has more than {MAX_MESSAGES} entries.")
    said = []
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise InvalidInput(f"messages[{index}] is an object with a role.")
        content = message.get("content")
        if not isinstance(content, str | list | None):
            raise InvalidInput(f"messages[{index}].content is a text, a list of parts, or null.")
        if message["role"] in KEPT_ROLES:
            said.append(_said(message))
    return said


def _said(message: dict[str, Any]) -> Said:
    role, text = message["role"], audit.storable_text(text_of(message.get("content")))
    calls, call_id = message.get("tool_calls"), message.get("tool_call_id")
    content = message.get("content")
    kinds = [str(p.get("type")) for p in content if isinstance(p, dict)] if isinstance(content, list) else []
    stored: dict[str, Any] = {"role": role, "text": text}
    extra = {
        "id": message.get("id") if isinstance(message.get("id"), str | int) else None,
        "name": message.get("name") if isinstance(message.get("name"), str) else None,
        "tool_calls": calls,
        "tool_call_id": call_id,
        "other_parts": [k for k in kinds if k != "text"],
    }
    stored |= {name: value for name, value in extra.items() if value}
    call_id = call_id if isinstance(call_id, str) else None
    return Said(role, text, Incoming(role, message_digest(role, text, calls, call_id)), stored)
