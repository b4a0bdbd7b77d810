"""How long it takes to write what one reading taught, on profiles of two sizes."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.chat import p
from bench.stack import Stack, person
from bench.tables import table

KEYS = 40  # of the seeded facts, so many stand under one head: project.p7.status, project.p7.budget ...
ROUNDS = 40
SMALL = 100


@dataclass(frozen=True)
class Seen:
    """Of some rounds: milliseconds from the lock to the commit, and the statements of the last one."""

    milliseconds: list[float]
    queries: int

    @property
    def p50(self) -> float:
        return p(self.milliseconds, 50)

    @property
    def p95(self) -> float:
        return p(self.milliseconds, 95)


def run(stack: Stack) -> None:
    """Single facts and long readings."""
    rows: dict[str, list[float]] = {}
    for facts in (SMALL, 10_000):
        _, profile_id, _ = person(f"bench-apply-{facts}")
        seed(profile_id, facts)
        for each in (1, 50):
            seen = applied(profile_id, facts_each=each)
            base = rows.get(f"{each} on {SMALL:,} facts", [seen.p50])[0]
            rows[f"{each} on {facts:,} facts"] = [seen.p50, seen.p95, seen.p50 / base, seen.queries]
    table("Results of readings applied", ["p50 ms", "p95 ms", "ratio", "queries"], rows)


def seed(profile_id: uuid.UUID, count: int) -> None:
    """A life of so many facts: projects with their things, people, and sentences without a key."""
    from memory import audit, facts
    from memory.db import profile_scope
    from memory.models import Event

    start = datetime.now(UTC) - timedelta(days=400)
    for begin in range(0, count, 500):
        with profile_scope(profile_id):
            facts.lock(profile_id)
            chat = audit.draw_id()
            audit.record(audit.Entry(Event.CHAT_COMPLETED, profile_id, {}, "person", said_at=start, id=chat))
            told = [_told(*_fact(n), start + timedelta(minutes=n), chat) for n in range(begin, min(begin + 500, count))]
            facts.apply(profile_id=profile_id, told=told, conversation_id=None)
    with profile_scope(profile_id):
        from memory.models import Fact

        there = Fact.objects.filter(state="current").count()
    if there < 0.95 * count:
        raise RuntimeError(f"{there} of {count} facts were seeded")


def _fact(n: int) -> tuple[str | None, str]:
    if n % 10 == 0:
        return None, f"Walked along the river with friend number {n} in the rain"
    if n % 10 == 1:
        return "friend.name", f"Tarvo{n} Kask{n}"
    return f"project.p{n // KEYS}.thing_{n % KEYS}", f"value {n} of the plan"


def _told(key: str | None, value: str, at: datetime, audit_id: int) -> Any:
    from memory.domain.cardinality import cardinality_of
    from memory.domain.merge import Claim
    from memory.domain.text import same_form
    from memory.domain.types import Category, Op, Stance
    from memory.facts import Told
    from memory.models.fields import new_id

    claim = Claim(
        id=new_id(),
        space_id=None,
        key=key,
        value=value,
        value_norm=same_form(value),
        cardinality=cardinality_of(key, None, None),
        op=Op.SET,
        confidence=0.9,
        said_at=at,
        audit_id=audit_id,
        current=True,
    )
    return Told(claim, Category.FACT, 0.5, Stance.ASSERTED, value)


def applied(profile_id: uuid.UUID, *, facts_each: int, rounds: int = ROUNDS) -> Seen:
    """Chats of so many statements each, read and applied one after another: half of it is new, the rest changes
    or confirms what is known. The time runs from the opening of the transaction to its commit."""
    times: list[float] = []
    count = 0
    for turn in range(rounds + 3):
        claim, found = _read(profile_id, _statements(turn, facts_each))
        with _counted() as queries:
            started = time.perf_counter()
            _apply(profile_id, claim, found)
            spent = (time.perf_counter() - started) * 1000
        if turn >= 3:  # the first ones fill caches
            times.append(spent)
            count = len(queries)
    return Seen(times, count)


def _statements(turn: int, count: int) -> list[tuple[str, str]]:
    """Known facts again, known keys with new values, and what was never heard of."""
    out = []
    for n in range(count):
        known = 2 + 10 * ((turn * count + n) % (SMALL // 10))
        key, value = _fact(known)
        kind = n % 4 if count > 1 else turn % 4
        if kind == 0:
            out.append((str(key), value))
        elif kind == 1:
            out.append((str(key), f"changed in {turn} to {n}"))
        elif kind == 2:
            out.append(("dog.name", f"Rex{turn}x{n}"))
        else:
            out.append((f"subject_{turn}.part_{n}", f"number {turn} of {n}"))
    return out


def _read(profile_id: uuid.UUID, statements: Sequence[tuple[str, str]]) -> tuple[Any, Any]:
    """A chat with these statements, claimed by a worker whose model has answered."""
    from memory import chats, cursor, transcript, work
    from memory.db import profile_scope
    from memory.domain.reply import parse_reply
    from memory.judging import judged
    from memory.models import Conversation, WorkKind

    text = " ".join(f"I say that {key} is {value}." for key, value in statements)
    said = [{"role": "user", "content": text}]
    turn = chats.begin(profile_id=profile_id, messages=said, conversation_id=f"bench {uuid.uuid4()}")
    chats.finish(turn, chats.Answer(text="Noted.", model="scripted"))
    cursor.tick(WorkKind.EXTRACT)
    claim = work.claim(WorkKind.EXTRACT, worker="bench")
    if claim is None:
        raise RuntimeError("there is nothing to read")
    with profile_scope(profile_id):
        conversation = Conversation.objects.select_related("profile", "space").get(id=claim.conversation_id)
        messages = transcript.read(kinds=claim.kinds, conversation_id=conversation.id, audit_ids=claim.audit_ids)
    entries = [{"key": key, "value": value, "confidence": 0.9} for key, value in statements]
    reply = parse_reply(json.dumps({"facts": entries}), max_facts=100)
    return claim, judged(reply, messages, profile=conversation.profile, space=conversation.space)


def _apply(profile_id: uuid.UUID, claim: Any, found: Any) -> None:
    from memory import extract, facts, work
    from memory.db import profile_scope

    with profile_scope(profile_id):
        facts.lock(profile_id)
        work.hold(claim)
        extract.apply(claim, found, work.Costs())


@contextmanager
def _counted() -> Iterator[list[str]]:
    from django.db import connection

    queries: list[str] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        queries.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield queries
