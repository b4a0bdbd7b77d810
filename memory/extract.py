"""Reads finished chats for durable facts: claim, ask, salvage, check, apply.

No transaction is open while the model answers. What is learned and that the work is done are written in one
transaction, under the fence of the lease.
"""

from __future__ import annotations

import threading
import zoneinfo
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog

from memory import audit, facts, key_aliases, leases, pauses, selectors, sensitive, transcript, work
from memory.builtin import extract as builtin
from memory.config import conf
from memory.db import profile_scope
from memory.domain.merge import Did, Outcome
from memory.domain.portions import portions
from memory.domain.prompt import PROMPT_VERSION, REPLY_SCHEMA, extraction_messages, repair_messages
from memory.domain.reply import parse_reply
from memory.domain.trivial import holds_nothing
from memory.domain.types import Dropped, Message, Reply
from memory.errors import ModelError, ModelNonsense, StaleClaim
from memory.judging import Judged, judged
from memory.llm import gateway
from memory.llm.routing import Route, route_for
from memory.models import Profile, Space
from memory.models.conversation import Conversation

LOG = structlog.get_logger(__name__)
# Only waiting for a model scales with threads. What is done with the database before and after it holds the
# interpreter's lock, and 48 threads at that made each other a quarter slower than a few.
FEW = threading.BoundedSemaphore(5)
BUILTIN_VERSION = "builtin.v1"


@dataclass(frozen=True)
class Reading:
    """What is read, and for whom."""

    profile: Profile
    space: Space
    messages: list[Message]
    known: list[tuple[str, str]]
    aliases: dict[str, str]

    @property
    def new(self) -> list[Message]:
        return [m for m in self.messages if m.new]

    @property
    def said_at(self) -> datetime:
        return max(m.at for m in self.messages if m.at is not None)


def route() -> Route:
    """The model that reads."""
    return route_for("memory_extract")


def route_name() -> str:
    """The name of the model that reads; empty where the settings name none, which each reading then says."""
    try:
        return route().identity
    except ModelError:
        return ""


def work_off(claim: work.Claim) -> str:
    """Read one claim to its end. Returns its outcome in a word; never raises for what a model or chat does."""
    costs = work.Costs()
    log = LOG.bind(kind=claim.kind.value, items=claim.ids)
    try:
        with leases.KEEPER.holding(claim):
            outcome = _work_off(claim, costs)
    except StaleClaim:
        outcome = "stale"
    except Exception as error:
        if work.kind_of(error) is work.retry.Failure.CRASH:
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
        if holds_nothing(reading.messages):
            _close(claim, work.Report("skipped", {"why": "holds nothing durable"}), costs)
            return "skipped"
    reply = _ask(claim, reading, costs)
    with FEW:
        found = judged(reply, reading.messages, profile=reading.profile, space=reading.space)
    return _apply(claim, found, costs)


def _prepare(claim: work.Claim) -> Reading | None:
    """What is to be read, or None where consent is gone or the chats are."""
    with profile_scope(claim.profile_id):
        conversation = Conversation.objects.select_related("profile", "space").filter(id=claim.conversation_id).first()
        if conversation is None:
            return None
        messages = transcript.read(
            kind=claim.kind,
            conversation_id=claim.conversation_id,
            audit_ids=[item.audit_id for item in claim.items],
        )
        if not messages:
            return None
        text = " ".join(m.text for m in messages if m.new and m.role == "user")
        space_id = messages[-1].space_id  # a turn may be in another space than the conversation began in
        known = selectors.known_keys(profile_id=claim.profile_id, space_id=space_id, text=text)
        aliases = key_aliases.active(claim.profile_id)
    return Reading(conversation.profile, conversation.space, messages, known, aliases)


def _ask(claim: work.Claim, reading: Reading, costs: work.Costs) -> Reply:
    """What the model (or the builtin rules) makes of the chat; one call more where it spoke nonsense."""
    where = route()
    if where.is_rule_based:
        costs.model, costs.prompt_version = "builtin", BUILTIN_VERSION
        return builtin.extract(reading.messages)
    costs.model, costs.prompt_version = where.identity, PROMPT_VERSION
    replies: list[Reply] = []
    for portion in portions(reading.messages):
        if replies:
            work.check(claim)
        replies.append(_ask_about(portion, claim, reading, costs))
    return _together(replies)


def _ask_about(portion: Sequence[Message], claim: work.Claim, reading: Reading, costs: work.Costs) -> Reply:
    asked = extraction_messages(
        messages=portion,
        known_keys=reading.known,
        chat_time=reading.said_at,
        timezone=zoneinfo.ZoneInfo(reading.profile.timezone),
        language=reading.profile.language or None,
        want_facts=True,
        want_summary=False,
    )
    raw = _call(asked, costs)
    most = conf().memory.facts_extract.max_facts
    try:
        return parse_reply(raw, max_facts=most, aliases=reading.aliases)
    except ModelNonsense as nonsense:
        work.check(claim)
        raw = _call(repair_messages(asked, raw, str(nonsense)), costs)
        try:
            return parse_reply(raw, max_facts=most, aliases=reading.aliases)
        except ModelNonsense as again:
            again.raw = again.raw or raw
            raise


def _together(replies: Sequence[Reply]) -> Reply:
    """What all portions gave, under the cap of one reading."""
    if len(replies) == 1:
        return replies[0]
    most = conf().memory.facts_extract.max_facts
    proposals = [proposal for reply in replies for proposal in reply.proposals]
    dropped = [dropped for reply in replies for dropped in reply.dropped]
    if len(proposals) > most:
        dropped.append(Dropped("over_cap", f"{len(proposals) - most} entries"))
    return Reply(tuple(proposals[:most]), None, tuple(dropped))


def _call(messages: list[dict[str, str]], costs: work.Costs) -> str:
    costs.calls += 1
    answer = gateway.complete(task="memory_extract", messages=messages, response_schema=REPLY_SCHEMA)
    costs.input_tokens += answer.usage.input_tokens or 0
    costs.output_tokens += answer.usage.output_tokens or 0
    return answer.text


def _apply(claim: work.Claim, found: Judged, costs: work.Costs) -> str:
    with profile_scope(claim.profile_id):
        facts.lock(claim.profile_id)
        with FEW:  # after the lock: who waits for a profile's facts keeps nobody else from working
            work.hold(claim)
            told = found.told(prompt_version=costs.prompt_version, model=costs.model)
            outcomes = facts.apply(profile_id=claim.profile_id, told=told, conversation_id=claim.conversation_id)
            report = _report(outcomes, found.dropped)
            if found.refused:
                audit_ids = [item.audit_id for item in claim.items]
                audit.record(
                    sensitive.refusal(claim.profile_id, found.refused, actor="worker", source_audit_ids=audit_ids)
                )
            if costs.calls and claim.rested:
                pauses.clear(costs.model)
            work.close(claim, report, costs)
    return report.outcome


def _close(claim: work.Claim, report: work.Report, costs: work.Costs) -> None:
    with profile_scope(claim.profile_id):
        work.close(claim, report, costs)


def _report(outcomes: Sequence[Outcome], dropped: Sequence[Dropped]) -> work.Report:
    """How many entries became what; a person can read here why something is missing."""
    did = Counter(outcome.did.value for outcome in outcomes)
    detail: dict[str, object] = dict(did)
    if dropped:
        detail["dropped"] = [{"reason": d.reason, "detail": d.detail[:200]} for d in dropped[:50]]
    learned = any(outcome.did not in (Did.REPEATED, Did.ANSWERED, Did.OUTDATED) for outcome in outcomes)
    return work.Report("learned" if learned else "nothing", detail)
