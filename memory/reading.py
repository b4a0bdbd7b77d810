"""Reads finished chats, for facts and for the summary: claim, ask, check, apply.

No transaction is open while the model answers. What came of a reading and that the work is done are written in one
transaction, under the fence of the lease. Where one call serves both kinds, each ends with its own outcome.
"""

from __future__ import annotations

import json
import threading
import uuid
from dataclasses import dataclass, field, replace
from typing import Any

import structlog
from django.db import connection

from memory import (
    ask_model,
    extract,
    facts,
    judging,
    key_aliases,
    leases,
    pauses,
    selectors,
    sql,
    summarise,
    tracing,
    transcript,
    work,
)
from memory.db import profile_scope
from memory.domain.retry import Failure
from memory.domain.trivial import holds_nothing, small_talk
from memory.domain.types import Message
from memory.errors import StaleClaim
from memory.models import Profile, Space, WorkKind

LOG = structlog.get_logger(__name__)
# Only waiting for a model scales with threads. What is done with the database before and after it holds the
# interpreter's lock, and 48 threads at that made each other a quarter slower than a few.
FEW = threading.BoundedSemaphore(5)
FACTS, SUMMARY = WorkKind.EXTRACT, WorkKind.SUMMARISE


@dataclass(frozen=True)
class Reading:
    """What is read, and for whom. `idle` are the kinds for which no call is worth it, and why."""

    profile: Profile
    space: Space
    messages: list[Message]
    basis: summarise.Basis | None = None
    idle: dict[WorkKind, str] = field(default_factory=dict)
    known: list[tuple[str, str]] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    whole: list[Message] = field(default_factory=list)

    @property
    def question(self) -> ask_model.Question:
        so_far = self.basis.so_far.summary if self.basis and self.basis.so_far else None
        return ask_model.Question(self.profile, self.messages, self.known, self.aliases, so_far, self.whole)


class Apart(Exception):
    """The summary needs other messages than the facts: each is to be read for itself."""


def work_off(claim: work.Claim) -> str:
    """Read one claim to its end. Returns its outcome in a word; never raises for what a model or chat does."""
    with leases.READINGS.holding(claim.token), tracing.span("reading", items=claim.ids):
        return _outcome(claim)


def _outcome(claim: work.Claim) -> str:
    costs = work.Costs(items=len(claim.items))
    log = LOG.bind(kinds=[kind.value for kind in claim.kinds], items=claim.ids)
    try:
        outcome = _work_off(claim, costs)
    except Apart:
        return ", ".join(_outcome(claim.of(kind)) for kind in claim.kinds)
    except StaleClaim:
        outcome = "stale"
    except Exception as error:
        if work.kind_of(error) is Failure.CRASH:
            log.exception("reading_crashed")
        work.fail(claim, error, costs)
        outcome = str(getattr(error, "code", type(error).__name__))
        log.warning("reading_failed", outcome=outcome, model=costs.model)
        return outcome
    log.info("read", outcome=outcome, calls=costs.calls, model=costs.model)
    return outcome


def _work_off(claim: work.Claim, costs: work.Costs) -> str:
    with FEW:
        reading = _prepare(claim)
        if reading is None:
            work.cancel(claim, reason="not to be read any more")
            return "cancelled"
    wanted = [kind for kind in claim.kinds if kind not in reading.idle]
    found = ask_model.ask(reading.question, wanted, claim, costs) if wanted else ask_model.Found()
    judged = None
    if found.reply is not None:
        with FEW:
            judged = judging.judged(found.reply, reading.messages, profile=reading.profile, space=reading.space)
    return _apply(claim, reading, found, judged, costs)


def _prepare(claim: work.Claim) -> Reading | None:
    """What is to be read, or None where consent is gone or the chats are. Raises Apart."""
    with profile_scope(claim.profile_id):
        found = _reader(claim.conversation_id)
        if found is None:
            return None
        basis = summarise.basis(claim) if SUMMARY in claim.kinds else None
        idle: dict[WorkKind, str] = {}
        if FACTS not in claim.kinds and basis is not None:
            messages, why = summarise.read(claim, basis)
            if why:
                idle[SUMMARY] = why
        else:
            messages = transcript.read(
                kinds=claim.kinds, conversation_id=claim.conversation_id, audit_ids=claim.audit_ids
            )
            if holds_nothing(messages):
                idle[FACTS] = extract.HOLDS_NOTHING
            if basis is not None and small_talk(messages):
                idle[SUMMARY] = summarise.SMALL_TALK
            elif basis is not None and not basis.fits(messages):
                raise Apart
        if not messages:
            return None
        reading = Reading(*found, messages, basis, idle)
        return replace(reading, **_beside(claim, reading))


def _reader(conversation_id: uuid.UUID) -> tuple[Profile, Space] | None:
    """For whom a conversation is read: what of its profile and space matters to a reading, no more."""
    with connection.cursor() as cursor:
        cursor.execute(sql.read("reader"), {"conversation_id": conversation_id})
        row = cursor.fetchone()
    if row is None:
        return None
    space_id, *fields, policy = row
    names = ["id", "approval", "timezone", "language", "sensitive_policy"]  # in the order of the model's fields
    profile = Profile.from_db(connection.alias, names, [*fields, json.loads(policy)])
    return profile, Space.from_db(connection.alias, ["id"], [space_id])


def _beside(claim: work.Claim, reading: Reading) -> dict[str, Any]:
    """What is read beside the messages: known keys and their spellings; for a rule the whole conversation."""
    beside: dict[str, Any] = {}
    if FACTS in claim.kinds and FACTS not in reading.idle:
        text = " ".join(m.text for m in reading.messages if m.new and m.role == "user")
        space_id = reading.messages[-1].space_id  # a turn may be in another space than the conversation began in
        beside["known"] = selectors.known_keys(profile_id=claim.profile_id, space_id=space_id, text=text)
        beside["aliases"] = key_aliases.active(claim.profile_id)
    if reading.basis is not None and SUMMARY not in reading.idle and ask_model.by_rule(claim.kinds):
        beside["whole"] = summarise.all_of_it(claim, reading.basis, reading.messages)
    return beside


def _apply(
    claim: work.Claim, reading: Reading, found: ask_model.Found, judged: judging.Judged | None, costs: work.Costs
) -> str:
    with profile_scope(claim.profile_id):
        if judged is not None:
            facts.lock(claim.profile_id)
        with FEW:  # after the lock: who waits for a profile's facts keeps nobody else from working
            held = work.hold(claim)
            outcomes = [_end(held.of(kind), kind, reading, found, judged, costs) for kind in held.kinds]
            if costs.calls and claim.rested:
                pauses.clear(costs.model)
    return ", ".join(outcomes)


def _end(
    part: work.Claim,
    kind: WorkKind,
    reading: Reading,
    found: ask_model.Found,
    judged: judging.Judged | None,
    costs: work.Costs,
) -> str:
    """How one kind ends. Call inside the transaction, after the fence."""
    if kind is FACTS:
        if judged is not None:
            return extract.apply(part, judged, costs)
        if found.no_facts is not None:
            work.fail(part, found.no_facts, costs)
            return found.no_facts.code
        return extract.skip(part, reading.idle[FACTS], costs)
    if found.summary is not None and reading.basis is not None:
        return summarise.apply(part, found.summary, reading.basis, reading.messages, costs)
    return summarise.skip(part, reading.idle[SUMMARY], costs)
