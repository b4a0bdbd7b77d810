"""What a batch of claims does to what is known: which facts are added, confirmed, closed, proposed or forgotten.

Order of saying decides, not order of processing: a claim that was said before the current value enters
history closed. Pure: the caller reads the known facts under a lock, and writes the plan in one transaction.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from memory.domain import answers
from memory.domain.answers import Answer
from memory.domain.board import doubted, fact_of
from memory.domain.closing import is_generic
from memory.domain.known import HELD, Claim, Did, Known, Outcome, Plan, Slot, confirmed_confidence
from memory.domain.retracting import Retracting
from memory.domain.types import Op

MOST_REVIEWED = 5
__all__ = ["Claim", "Did", "Known", "Outcome", "Plan", "Slot", "confirmed_confidence", "plan"]

REVIEW = "review"  # the reason on what waits because the person reviews everything


def plan(known: Iterable[Known], claims: Sequence[Claim], *, review_most: int = MOST_REVIEWED) -> Plan:
    """Decide what the claims do, in the order in which they were said.

    A person who reviews everything is asked about so many of each chat at most, the surest ones: what is known or
    was answered already counts for none of them.
    """
    known = list(known)
    done = _planned(known, claims)
    left_out = _beyond(done, review_most)
    if left_out:
        done = _planned(known, [claim for claim in claims if claim.id not in left_out])
        done.outcomes += [Outcome(claim, Did.OVER_CAP) for claim in claims if claim.id in left_out]
    return done


def _planned(known: Iterable[Known], claims: Sequence[Claim]) -> Plan:
    board = _Merging(known)
    for claim in sorted(claims, key=lambda c: (c.said_at, c.place)):
        board.take(claim)
    return board.plan


def _beyond(done: Plan, most: int) -> set[uuid.UUID]:
    """The questions that are too many, by chat."""
    asked: dict[int, list[Claim]] = {}
    for outcome in done.outcomes:
        if outcome.did is Did.PROPOSED and REVIEW in outcome.claim.reasons:
            asked.setdefault(outcome.claim.audit_id, []).append(outcome.claim)
    return {claim.id for claims in asked.values() for claim in sorted(claims, key=lambda one: -one.confidence)[most:]}


class _Merging(Retracting):
    """Takes the claims of values."""

    def take(self, claim: Claim) -> None:
        if claim.forget:
            self._forget(claim)
        elif claim.rejected:
            self._note(claim, Did.ANSWERED)
        elif claim.op is not Op.RETRACT:
            self._say(self._placed(self._unless_forgotten(claim)))
        elif claim.deleted_at is not None and claim.said_at <= claim.deleted_at:
            self._note(claim, Did.ANSWERED)
        else:
            self._retract(claim)

    def _unless_forgotten(self, claim: Claim) -> Claim:
        said = answers.form(claim.value_norm)
        times = [
            at for (key, value), at in self.plan.forgotten.items() if key == claim.key and answers.form(value) == said
        ]
        if not times:
            return claim
        return replace(claim, deleted_at=max(*times, claim.deleted_at or times[0]))

    def _say(self, claim: Claim) -> None:
        said_again = claim.deleted_at is None or (claim.grounded and claim.said_at > claim.deleted_at)
        if not said_again or self._is_forgotten(claim):
            self._note(claim, Did.ANSWERED)
            return
        if not any(f.state == "current" for f in self._same_value(claim)):
            answer = answers.answered(claim, self.facts.values())
            if answer is Answer.SETTLED:
                self._note(claim, Did.ANSWERED)
                return
            elsewhere = claim.deleted_elsewhere_at is not None and claim.may_be_from_before(claim.deleted_elsewhere_at)
            if claim.current and (claim.deleted_at is not None or answer is Answer.DOUBT or elsewhere):
                claim = doubted(claim, "deleted_before")
            if claim.space_id is None and (kept := self._kept_in_a_space(claim)) is not None:
                if self._heard_before(claim, [kept]):
                    return
                claim = doubted(claim, "kept_in_space")
        if claim.current:
            self._assert(claim)
        else:
            self._propose(claim)

    def _placed(self, claim: Claim) -> Claim:
        """What a space repeats of what holds everywhere is said of that: it says nothing of its own."""
        if claim.space_id is None:
            return claim
        own = self._of_key(claim) if claim.single else self._same_value(claim)
        wide = replace(claim, space_id=None)
        states = ("current",) if claim.current else ("current", "pending")
        there = any(f.state in states for f in self._same_value(wide))
        return wide if there and not any(f.state == "current" for f in own) else claim

    def _kept_in_a_space(self, claim: Claim) -> Known | None:
        """The fact of that value which the person has put into a space."""
        same = (f for f in self._anywhere(claim) if f.value_norm == claim.value_norm and f.space_id is not None)
        return next((f for f in same if f.state == "current" and f.pinned and not f.closes), None)

    def _assert(self, claim: Claim) -> None:
        same = self._same_value(claim)
        if self._heard_before(claim, same):
            return
        standing = next((f for f in same if f.state == "current"), None)
        if standing is not None and not self._parted(claim, standing):
            self._confirm(standing, claim)
            return
        rivals = [f for f in self._of_key(claim) if f.state == "current"] if claim.single else []
        rivals += self._now_everywhere(claim)
        later = self._later(claim, same)
        if later is not None:
            older = [f for f in rivals if f.said_at <= claim.said_at and claim.audit_id not in f.heard_in]
            self._into_history(claim, later, same, older)
        elif any(f.pinned for f in rivals):
            self._propose(doubted(claim, "against_pinned"))
        elif any(claim.audit_id in f.heard_in for f in rivals):
            # A second reading of a chat may be wiser than the first, or just another guess.
            self._propose(doubted(claim, "read_differently"))
        else:
            self._hold(claim, rivals, next((f for f in same if f.state == "pending"), None))

    def _hold(self, claim: Claim, rivals: list[Known], waiting: Known | None) -> None:
        """Make the claim current, closing what it replaces; a proposal of the same value becomes it."""
        new_id = waiting.id if waiting else claim.id
        for rival in rivals:
            self._change(replace(rival, state="superseded", valid_to=claim.said_at, superseded_by=new_id))
        edits = max((f.edit_count for f in (*self._of_key(claim), *rivals)), default=0) if claim.single else 0
        fact = replace(fact_of(claim, state="current"), id=new_id, edit_count=edits)
        if waiting:
            since = min(waiting.since, claim.said_at)
            self.plan.clearer[new_id] = claim
            self._change(replace(fact, edit_count=max(edits, waiting.edit_count), first_said_at=since))
        else:
            self._create(claim, fact)
        self._hear(new_id, claim)
        self._note(claim, Did.UPDATED if rivals else Did.ADDED, new_id, tuple(rivals))

    def _now_everywhere(self, claim: Claim) -> list[Known]:
        """What spaces hold of this very value, learned there: from now on it holds everywhere."""
        if claim.space_id is not None:
            return []
        same = (f for f in self._anywhere(claim) if f.value_norm == claim.value_norm and f.space_id is not None)
        held = (f for f in same if f.state == "current" and not f.closes and not f.pinned)
        return [f for f in held if f.said_at <= claim.said_at]

    def _confirm(self, fact: Known, claim: Claim) -> None:
        if (fact.id, claim.audit_id) in self.plan.evidence:
            self._note(claim, Did.REPEATED, fact.id)
            return
        self._change(
            replace(
                self._stretched(fact, claim),
                confidence=confirmed_confidence(fact.confidence, claim.confidence),
                last_confirmed_at=max(fact.last_confirmed_at or fact.said_at, claim.said_at),
            )
        )
        self._hear(fact.id, claim)
        self._note(claim, Did.CONFIRMED, fact.id)

    @staticmethod
    def _stretched(fact: Known, claim: Claim) -> Known:
        """The fact, said at that time too.

        It has been in force since it was first said, but it is the last saying that a rival must come after.
        """
        return replace(
            fact,
            said_at=max(fact.said_at, claim.said_at),
            first_said_at=min(fact.since, claim.said_at),
        )

    def _parted(self, claim: Claim, fact: Known) -> bool:
        """Whether another value held between the claim and a fact of the same value."""
        if not claim.single:
            return False
        first, last = min(claim.said_at, fact.said_at), max(claim.said_at, fact.since)
        others = (f for f in self._of_key(claim) if f.value_norm != fact.value_norm and not f.closes)
        return any(first < f.said_at < last for f in others if f.state in HELD)

    def _later(self, claim: Claim, same: list[Known]) -> datetime | Known | None:
        """The earliest word after the claim: another value (or the same again), or when it was closed."""
        values = [f for f in self._of_key(claim) if not f.closes] if claim.single else same
        words: list[tuple[datetime, Known | None]] = [
            (f.since if f.since > claim.said_at else f.said_at, f)
            for f in values
            if f.has_held and f.said_at > claim.said_at
        ]
        words += [(f.valid_to, None) for f in same if f.state == "retracted" and f.valid_to]
        words += [(f.said_at, None) for f in self._closings(claim) if f.state == "retracted"]
        after = [word for word in words if word[0] > claim.said_at]
        at, fact = min(after, key=lambda word: word[0], default=(None, None))
        return fact or at

    def _closings(self, claim: Claim) -> list[Known]:
        """The words that closed this value, or whatever the key held then."""
        return [f for f in self._closing_words(claim) if f.has_held and self._is_meant(f, claim)]

    @staticmethod
    def _is_meant(word: Known, claim: Claim) -> bool:
        return word.value_norm == claim.value_norm or is_generic(word.key or "", word.value)

    def _is_forgotten(self, claim: Claim) -> bool:
        """Whether the person asked later to forget whatever the key holds."""
        words = (f for f in self._anywhere(claim) if f.closes and f.has_held and self._is_meant(f, claim))
        return any(f.state == "deleted" and f.said_at >= claim.said_at for f in words)

    def _into_history(self, claim: Claim, later: datetime | Known, same: list[Known], older: list[Known]) -> None:
        """Keep what has been over for long. What it replaced in its time (`older`) is over as well."""
        if any(f.pinned for f in older):
            self._note(claim, Did.OUTDATED)
            return
        past = (
            f for f in same if f.state in ("superseded", "retracted") and (f.valid_to or f.said_at) >= claim.said_at
        )
        met = next((f for f in past if not self._parted(claim, f)), None)
        row_id = met.id if met else claim.id
        for rival in older:
            self._change(replace(rival, state="superseded", valid_to=claim.said_at, superseded_by=row_id))
        self._hear(row_id, claim)
        if met is not None:
            self._change(self._stretched(met, claim))
            self._note(claim, Did.HISTORY if older else Did.REPEATED, met.id, tuple(older))
            return
        if isinstance(later, Known):
            closed_at = later.since if later.since > claim.said_at else later.said_at
            fact = replace(fact_of(claim, state="superseded"), valid_to=closed_at, superseded_by=later.id)
        else:
            fact = replace(fact_of(claim, state="retracted"), valid_to=later)
        self._create(claim, fact)
        self._note(claim, Did.HISTORY, claim.id, tuple(older))

    def _propose(self, claim: Claim) -> None:
        same = self._same_value(claim)
        if self._heard_before(claim, same):
            return
        known = next((f for f in same if f.state in ("current", "pending")), None)
        if known is not None:
            if claim.grounded and any(reason.startswith("not_grounded") for reason in known.reasons):
                # Now they said it themselves: it waits for what is left of the doubt.
                self._change(replace(known, reasons=claim.reasons, said_at=max(known.said_at, claim.said_at)))
                self._hear(known.id, claim)
                self.plan.clearer[known.id] = claim
            self._note(claim, Did.REPEATED, known.id)
        elif self._later(claim, same) is not None:
            self._note(claim, Did.OUTDATED)
        else:
            self._create(claim, fact_of(claim, state="pending"))
            self._hear(claim.id, claim)
            self._note(claim, Did.PROPOSED, claim.id)
