"""Asks the model that reads (or the rules that stand in for it) for facts, a summary, or both in one call."""

from __future__ import annotations

import zoneinfo
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memory import cursor, sensitive, tracing, work
from memory.builtin import extract as builtin
from memory.builtin.summary import summarise
from memory.config import Task, conf
from memory.domain.portions import portions
from memory.domain.prompt import REPLY_SCHEMA, extraction_messages, repair_messages, version_for
from memory.domain.reply import parse_reply
from memory.domain.summary import PEOPLE, Checked, Summary, check
from memory.domain.types import Dropped, Message, Reply
from memory.errors import ModelError, ModelNonsense
from memory.llm import gateway
from memory.llm.routing import Route, route_for
from memory.models import Profile, WorkKind

BUILTIN_VERSION = "builtin.v1"
TASKS: dict[WorkKind, Task] = {WorkKind.EXTRACT: "memory_extract", WorkKind.SUMMARISE: "memory_summarise"}
ANOTHER_SCRIPT = "The summary is in a script that nobody wrote in; it is to be in the conversation's language."


@dataclass(frozen=True)
class Question:
    """What is asked about a conversation.

    `so_far` is the summary that stands. `whole` is what a rule would summarise, where no model is asked.
    """

    profile: Profile
    messages: Sequence[Message]
    known: Sequence[tuple[str, str]] = ()
    aliases: dict[str, str] = field(default_factory=dict)
    so_far: Summary | None = None
    whole: Sequence[Message] = ()

    @property
    def said_at(self) -> datetime:
        return max(m.at for m in self.messages if m.at is not None)


@dataclass
class Found:
    """What came of it, None where it was not asked for. `no_facts` says why the facts could not be used."""

    reply: Reply | None = None
    no_facts: ModelNonsense | None = None
    summary: Checked | None = None

    def mended_by(self, again: Found) -> Found:
        """With what a second answer has and this one lacks."""
        usable = self.summary is not None and not self.summary.foreign
        return Found(
            reply=self.reply or again.reply,
            no_facts=None if self.reply or again.reply else again.no_facts or self.no_facts,
            summary=self.summary if usable else again.summary or self.summary,
        )


def route(kind: WorkKind) -> Route:
    """The model that reads for this."""
    return route_for(TASKS[kind])


def route_name(kind: WorkKind) -> str:
    """The name of the model that reads; empty where the settings name none, which each reading then says."""
    try:
        return route(kind).identity
    except ModelError:
        return ""


def by_rule(kinds: Collection[WorkKind]) -> bool:
    """Whether rules stand in for the model that reads these kinds together."""
    return route(_first(kinds)).is_rule_based


def _first(kinds: Collection[WorkKind]) -> WorkKind:
    """Whose model is asked."""
    return WorkKind.EXTRACT if WorkKind.EXTRACT in kinds else WorkKind.SUMMARISE


def in_one_call() -> bool:
    """Whether one call serves facts and summary: both are wanted, from one model."""
    return all(map(cursor.enabled, WorkKind)) and len({route_name(kind) for kind in WorkKind}) == 1


def ask(question: Question, wanted: Collection[WorkKind], claim: work.Claim, costs: work.Costs) -> Found:
    """What is made of the chats. Call with no transaction open.

    Raises a ModelError where nothing came of it at all; StaleClaim where nobody waits for it any more.
    """
    where = route(_first(wanted))
    if where.is_rule_based:
        costs.model, costs.prompt_version = "builtin", BUILTIN_VERSION
        return _by_rule(question, wanted)
    costs.model, costs.prompt_version = where.identity, version_for(question.messages)
    return _Conversation(question, TASKS[_first(wanted)], claim, costs).read(wanted)


def _by_rule(question: Question, wanted: Collection[WorkKind]) -> Found:
    found = Found()
    if WorkKind.EXTRACT in wanted:
        found.reply = builtin.extract(question.messages)
    if WorkKind.SUMMARISE in wanted:
        text = summarise(question.whole)
        said = [m.text for m in question.whole]
        policy = sensitive.policy_of(question.profile)
        found.summary = check(Summary(text), said, policy) if text else Checked(None)
    return found


class _Conversation:
    """One question, asked in as many portions as its messages need; each goes on from the summary of the last."""

    def __init__(self, question: Question, task: Task, claim: work.Claim, costs: work.Costs) -> None:
        self._question, self._task, self._claim, self._costs = question, task, claim, costs
        self._policy = sensitive.policy_of(question.profile)
        self._so_far = question.so_far
        self._said = [m.text for m in question.messages]
        if question.so_far:
            self._said += [question.so_far.text, *question.so_far.details.get(PEOPLE, ())]

    def read(self, wanted: Collection[WorkKind]) -> Found:
        found, replies = Found(), []
        left = set(wanted)
        for number, portion in enumerate(portions(self._question.messages)):
            if number:
                left &= set(work.check(self._claim).kinds)
            if not left:
                break
            here = self._ask_about(portion, left)
            if here.reply:
                replies.append(here.reply)
            if here.no_facts:
                found.no_facts = here.no_facts
                left.discard(WorkKind.EXTRACT)
            if here.summary and (here.summary.summary or found.summary is None):
                found.summary = here.summary
                self._so_far = here.summary.summary or self._so_far
        if replies and not found.no_facts:
            found.reply = _together(replies)
        return found

    def _ask_about(self, portion: Sequence[Message], wanted: Collection[WorkKind]) -> Found:
        """One call, and one more where the answer could not be used."""
        question = self._question
        asked = extraction_messages(
            messages=portion,
            known_keys=question.known,
            chat_time=question.said_at,
            timezone=zoneinfo.ZoneInfo(question.profile.timezone),
            language=question.profile.language or None,
            want_facts=WorkKind.EXTRACT in wanted,
            want_summary=WorkKind.SUMMARISE in wanted,
            so_far=self._so_far.as_json() if self._so_far else None,
        )
        raw = self._call(asked)
        found, fault = self._understood(raw, wanted)
        if fault:
            work.check(self._claim)
            again, _ = self._understood(self._call(repair_messages(asked, raw, fault)), wanted)
            found = found.mended_by(again)
        if found.no_facts and found.summary is None:
            raise found.no_facts
        return found

    def _understood(self, raw: str, wanted: Collection[WorkKind]) -> tuple[Found, str]:
        """What of an answer can be used, and what is wrong with it."""
        most = conf().memory.facts_extract.max_facts
        try:
            reply = parse_reply(raw, max_facts=most, aliases=self._question.aliases)
        except ModelNonsense as nonsense:
            nonsense.raw = nonsense.raw or raw
            return Found(no_facts=nonsense), str(nonsense)
        found, faults = Found(), []
        if WorkKind.EXTRACT in wanted and reply.no_facts:
            found.no_facts = ModelNonsense(reply.no_facts, raw=raw)
            faults.append(reply.no_facts)
        elif WorkKind.EXTRACT in wanted:
            found.reply = reply
        if WorkKind.SUMMARISE in wanted:
            written = Summary(reply.summary, reply.details) if reply.summary else None
            found.summary = check(written, self._said, self._policy) if written else Checked(None)
            if found.summary.foreign:
                faults.append(ANOTHER_SCRIPT)
        return found, " ".join(faults)

    def _call(self, messages: list[dict[str, str]]) -> str:
        self._costs.calls += 1
        with tracing.span("model", task=self._task):
            answer = gateway.complete(task=self._task, messages=messages, response_schema=REPLY_SCHEMA)
        self._costs.input_tokens += answer.usage.input_tokens or 0
        self._costs.output_tokens += answer.usage.output_tokens or 0
        return answer.text


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
