"""Summaries of conversations: what one goes on from, and what becomes of what a model (or a rule) wrote."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory import audit, buried, episodes, sensitive, transcript, work
from memory.domain.stating import states
from memory.domain.summary import Checked, Summary, without
from memory.domain.trivial import small_talk
from memory.domain.types import Message
from memory.episode_selectors import Standing, standing
from memory.models import Event, WorkKind

MOST_CHATS = 60  # that are read in one go where more is needed than what is new
ELSEWHERE = "said in another space than what is summarised"
SMALL_TALK = "only small talk"
NOTHING = "nothing to summarise was found"
DELETED = "it says nothing but what was deleted"


@dataclass(frozen=True)
class Basis:
    """What a summary goes on from: the one that stands, and the row of the log up to which nothing may be told."""

    so_far: Standing | None
    after: int

    def fits(self, messages: Sequence[Message]) -> bool:
        """Whether the summary can go on from just these messages, with what is shown before them."""
        allowed = all((m.audit_id or 0) > self.after for m in messages)
        return allowed and len(self.here(messages)) == len(messages) and not self.is_ahead_of(messages)

    def here(self, messages: Sequence[Message]) -> list[Message]:
        """Those of its space: a summary tells of one space alone, the one in which it began."""
        space_id = self.space_of(messages)
        return [m for m in messages if m.space_id == space_id]

    def space_of(self, messages: Sequence[Message]) -> uuid.UUID | None:
        return self.so_far.space_id if self.so_far else next((m.space_id for m in messages if m.new), None)

    def is_ahead_of(self, messages: Sequence[Message]) -> bool:
        """Whether some of them were said before what the summary tells already."""
        last = self.so_far.said_at if self.so_far else None
        return last is not None and any(m.new and m.at is not None and m.at <= last for m in messages)


def basis(claim: work.Claim) -> Basis:
    """What the conversation's summary goes on from. Call inside the profile's scope."""
    return Basis(*standing(profile_id=claim.profile_id, conversation_id=claim.conversation_id))


def read(claim: work.Claim, found: Basis) -> tuple[list[Message], str]:
    """The messages that the summary is to be brought up to date with, and why it need not be, or nothing.

    No messages: none of them may be told any more. Where some were said before what the summary tells already, all
    from there on is read again in its order, so that the newest word stays the last. Call inside the profile's scope.
    """
    kinds, conversation_id = [WorkKind.SUMMARISE], claim.conversation_id
    messages = transcript.read(
        kinds=kinds, conversation_id=conversation_id, audit_ids=claim.audit_ids, after=found.after
    )
    here = found.here(messages)
    if not any(m.new for m in here):
        return messages, ELSEWHERE if any(m.new for m in messages) else SMALL_TALK
    if small_talk(here):
        return here, SMALL_TALK
    if found.is_ahead_of(here):
        return _since(claim, found, here, at=min(m.at for m in here if m.new and m.at is not None)), ""
    return here, ""


def all_of_it(claim: work.Claim, found: Basis, messages: Sequence[Message]) -> list[Message]:
    """The newest turns of the whole conversation, of which a rule makes a summary. Call inside the profile's scope."""
    return _since(claim, found, messages, at=None)


def _since(claim: work.Claim, found: Basis, messages: Sequence[Message], *, at: datetime | None) -> list[Message]:
    space_id = found.space_of(messages)
    later = transcript.since(
        kind=WorkKind.SUMMARISE,
        conversation_id=claim.conversation_id,
        at=at,
        most=MOST_CHATS,
        after=found.after,
    )
    return [m for m in later if m.space_id == space_id]


def apply(claim: work.Claim, found: Checked, go_on: Basis, messages: Sequence[Message], costs: work.Costs) -> str:
    """Write the summary and close the items. Returns the outcome in a word.

    Call inside the profile's scope, after the fence. `messages` are those that it was made of.
    """
    if found.refused:
        refusal = sensitive.refusal(
            claim.profile_id, found.refused, actor="worker", source_audit_ids=claim.audit_ids, of="summary"
        )
        audit.record(refusal)
    if found.summary is None:
        return skip(claim, ", ".join(found.left_out) or NOTHING, costs)
    summary = _without_deleted(claim.profile_id, found.summary, messages)
    if summary is None:
        return skip(claim, DELETED, costs)
    told = [m for m in messages if m.new]
    space_id = go_on.space_of(messages)
    assert space_id is not None
    written = episodes.write(
        profile_id=claim.profile_id,
        conversation_id=claim.conversation_id,
        space_id=space_id,
        summary=summary,
        replaces=go_on.so_far,
        audit_ids=sorted({m.audit_id for m in told if m.audit_id is not None}),
        said_at=max(m.at for m in told if m.at is not None),
        prompt_version=costs.prompt_version,
        model=costs.model,
    )
    if not written:
        work.put_back(claim)
        return "outpaced"
    detail = {"left_out": list(found.left_out)} if found.left_out else {}
    work.close(claim, work.Report("summarised", detail), costs)
    return "summarised"


def _without_deleted(profile_id: uuid.UUID, summary: Summary, messages: Sequence[Message]) -> Summary | None:
    """The summary without what the person has deleted since it was said; None where nothing is left."""
    texts = [summary.text, *(entry for entries in summary.details.values() for entry in entries)]
    chats = {m.audit_id for m in messages if m.audit_id is not None}
    gone = {
        each.words
        for each in buried.said(profile_id=profile_id, texts=texts, chats=chats)
        if not any(m.at is not None and m.at > each.at and states(m.text, each.words) for m in messages)
    }
    return without(summary, lambda text: any(words in text for words in gone)) if gone else summary


def skip(claim: work.Claim, why: str, costs: work.Costs) -> str:
    """Close the items without a summary, which the log tells. Call inside the profile's scope."""
    payload = {"reason": why, "source_audit_ids": claim.audit_ids}
    audit.record(
        audit.Entry(
            Event.EPISODE_SKIPPED, claim.profile_id, payload, actor="worker", conversation_id=claim.conversation_id
        )
    )
    work.close(claim, work.Report("skipped", {"why": why}), costs)
    return "skipped"
