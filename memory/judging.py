"""From what a model proposes to claims that may be applied: grounding, judgement, keys and scope."""

from __future__ import annotations

import uuid
import zoneinfo
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory import key_aliases, sensitive
from memory.domain.cardinality import cardinality_of
from memory.domain.forgetting import asked_to_forget
from memory.domain.grounding import DENIED_LATER, NOT_FOUND, ground
from memory.domain.judge import judge
from memory.domain.keys import canonical
from memory.domain.language import in_another_script
from memory.domain.merge import Claim
from memory.domain.sensitive import Handling, SensitiveClass
from memory.domain.since import valid_from
from memory.domain.text import same_form
from memory.domain.types import (
    Cardinality,
    Category,
    Dropped,
    Grounding,
    Message,
    Op,
    Proposal,
    Reply,
    Scope,
    Verdict,
    is_document,
)
from memory.facts import Told
from memory.models import Profile, SourceKind, Space
from memory.models.fields import new_id

NO_CONFIDENCE = 0.5  # stored where none could be read; such a fact waits for the person


@dataclass(frozen=True)
class Kept:
    """A proposal that may do something. `forget`: the person asks that it be forgotten."""

    proposal: Proposal
    grounding: Grounding
    verdict: Verdict
    forget: bool = False
    sensitive: bool = False

    @property
    def place(self) -> tuple[int, int]:
        return _place(self.grounding)


@dataclass(frozen=True)
class Judged:
    """What is left of a reply: proposals with their verdicts, and what was dropped and why."""

    profile: Profile
    space: Space
    messages: Sequence[Message]
    kept: tuple[Kept, ...]
    dropped: tuple[Dropped, ...]
    refused: tuple[SensitiveClass, ...] = ()

    def told(self, *, prompt_version: str, model: str) -> list[Told]:
        """The claims. Call inside the profile's scope, under the lock.

        What the profile has said by now decides which spelling of a key is read as which.
        """
        aliases, alike = key_aliases.both(self.profile.id)
        found = [replace(kept, proposal=_renamed(kept.proposal, aliases)) for kept in self.kept]
        return [self._told(kept, alike, prompt_version, model) for kept in found]

    def _told(self, kept: Kept, alike: Mapping[str, frozenset[str]], prompt_version: str, model: str) -> Told:
        proposal, grounding, verdict = kept.proposal, kept.grounding, kept.verdict
        message = self._source(grounding)
        claim = Claim(
            id=new_id(),
            space_id=self._space_id(proposal, message),
            key=proposal.key,
            value=proposal.value,
            value_norm=same_form(proposal.value),
            cardinality=cardinality_of(proposal.key, proposal.cardinality, None, proposal.op),
            op=proposal.op,
            confidence=NO_CONFIDENCE if proposal.confidence is None else proposal.confidence,
            said_at=_at(message),
            audit_id=message.audit_id or 0,
            current=verdict.current,
            grounded=grounding.ok,
            place=_place(grounding),
            reasons=verdict.reasons,
            forget=kept.forget,
            said_in=message.space_id or self.space.id,
        )
        zone = zoneinfo.ZoneInfo(self.profile.timezone)
        since = valid_from(proposal.valid_from, text=message.text, said_at=claim.said_at, zone=zone)
        return Told(
            claim=claim,
            category=proposal.category or Category.FACT,
            importance=0.5 if proposal.importance is None else proposal.importance,
            stance=proposal.stance,
            source_kind=SourceKind.DOCUMENT if message.document else SourceKind.EXTRACTED,
            quote=sensitive.quotable(_words(proposal, grounding), sensitive.policy_of(self.profile)),
            sensitive=kept.sensitive,
            valid_from=since if grounding.ok else None,
            prompt_version=prompt_version,
            model=model,
            spellings=alike.get(proposal.key or "", frozenset({proposal.key})),
        )

    def _source(self, grounding: Grounding) -> Message:
        """The message that the claim came from; where it stands in none, the last thing the person said."""
        if grounding.message_index is not None:
            return self.messages[grounding.message_index]
        return next((m for m in reversed(self.messages) if m.role == "user" and m.new), self.messages[-1])

    def _space_id(self, proposal: Proposal, message: Message) -> uuid.UUID | None:
        """The space in which it was said, where it is to stay there."""
        return (message.space_id or self.space.id) if proposal.scope is Scope.SPACE else None


def judged(reply: Reply, messages: Sequence[Message], *, profile: Profile, space: Space) -> Judged:
    """Check every proposal against what the person said, or what stands in their document."""
    document = is_document(messages)
    zone = zoneinfo.ZoneInfo(profile.timezone)
    dropped = list(reply.dropped)
    policy = sensitive.policy_of(profile)
    found: list[tuple[Proposal, Grounding]] = []
    marks: dict[int, sensitive.Judgement] = {}
    refused: list[SensitiveClass] = []
    for proposal in reply.proposals:
        grounding = ground(proposal, messages, zone=zone)
        if document and (why := _not_in_document(proposal, grounding)):
            dropped.append(why)
            continue
        mark = sensitive.judge(proposal, policy, quote=_words(proposal, grounding))
        if mark.handling is Handling.NEVER:
            refused += mark.classes
            dropped += [Dropped(f"sensitive:{cls.value}") for cls in mark.classes]
        else:
            found.append((proposal, grounding))
            marks[id(proposal)] = mark
    forget: list[Kept] = []
    rest: list[tuple[Proposal, Grounding]] = []
    for proposal, grounding in found:
        place = None if document else asked_to_forget(proposal, messages, grounding, zone)
        if place is None:
            rest.append((proposal, grounding))
        else:
            forget.append(Kept(replace(proposal, op=Op.RETRACT), place, Verdict(True), forget=True))
    kept, more = _judged(rest, profile.approval, [m.text for m in messages if m.role == "user"], document=document)
    kept = [_marked(one, marks[id(one.proposal)]) for one in kept]
    dropped += more
    return Judged(profile, space, messages, (*forget, *kept), tuple(dropped), tuple(refused))


def _not_in_document(proposal: Proposal, grounding: Grounding) -> Dropped | None:
    """A document takes nothing back, and what does not stand in it cannot be shown beside its words."""
    if proposal.op is Op.RETRACT:
        return Dropped("taken_back", f"{proposal.key}: a document takes nothing back")
    if not grounding.ok and grounding.reason == NOT_FOUND:
        return Dropped("not_in_document", f"{proposal.key}")
    return None


def _words(proposal: Proposal, grounding: Grounding) -> str:
    """The person's words that are kept beside the fact."""
    return (grounding.quote or "") if grounding.ok else (proposal.quote or "")


def _marked(kept: Kept, mark: sensitive.Judgement) -> Kept:
    """A sensitive matter that may be kept is marked; where the person wants to be asked, it waits."""
    if not mark.classes:
        return kept
    if mark.handling is Handling.REVIEW:
        reasons = tuple(f"sensitive:{cls.value}" for cls in mark.classes)
        kept = replace(kept, verdict=Verdict(False, (*kept.verdict.reasons, *reasons)))
    return replace(kept, sensitive=True)


def _judged(
    found: Sequence[tuple[Proposal, Grounding]], approval: str, said: Sequence[str], *, document: bool
) -> tuple[list[Kept], list[Dropped]]:
    last = {} if document else _last_words(found)  # further down in a CV stands what was before
    kept: list[Kept] = []
    dropped: list[Dropped] = []
    for proposal, grounding in found:
        corrected = proposal.op is not Op.RETRACT and proposal.key in last and _place(grounding) < last[proposal.key]
        verdict = judge(
            proposal,
            grounding,
            approval=approval,
            pinned_conflict=False,
            corrected=corrected,
            document=document,
            other_language=in_another_script(proposal.value, said),
        )
        if isinstance(verdict, Dropped):
            dropped.append(replace(verdict, detail=verdict.detail or f"{proposal.key}"))
        else:
            kept.append(Kept(proposal, grounding, verdict))
    # What the person corrected in the same chat is history at most, and only where the correction stands itself.
    stands = {one.proposal.key for one in kept if one.verdict.current and one.place == last.get(one.proposal.key)}
    out = []
    for one in kept:
        key = one.proposal.key
        if key in last and one.place < last[key] and not (one.verdict.current and key in stands):
            dropped.append(Dropped("corrected", f"{key}: the person corrected it in the same chat"))
        else:
            out.append(one)
    return out, dropped


def _last_words(found: Sequence[tuple[Proposal, Grounding]]) -> dict[str | None, tuple[int, int]]:
    """Where the person's last word on each single-valued key stands in this chat."""
    last: dict[str | None, tuple[int, int]] = {}
    for proposal, grounding in found:
        single = cardinality_of(proposal.key, proposal.cardinality, None, proposal.op) is Cardinality.ONE
        if single and proposal.op is not Op.RETRACT and grounding.ok and grounding.reason != DENIED_LATER:
            last[proposal.key] = max(last.get(proposal.key, (0, 0)), _place(grounding))
    return last


def _place(grounding: Grounding) -> tuple[int, int]:
    return (grounding.message_index or 0, grounding.offset)


def _renamed(proposal: Proposal, aliases: Mapping[str, str]) -> Proposal:
    key = proposal.key and canonical(proposal.key, aliases)
    return proposal if key == proposal.key else replace(proposal, key=key)


def _at(message: Message) -> datetime:
    if message.at is None:
        raise ValueError("a message that is read has a time")
    return message.at
