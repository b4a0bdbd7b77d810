"""What a batch of claims does to what is known: which facts are added, confirmed, closed, proposed or forgotten.

Order of saying decides, not order of processing: a claim that was said before the current value enters
history closed. Pure: the caller reads the known facts under a lock, and writes the plan in one transaction.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from memory.domain.closing import aim, is_generic, with_history
from memory.domain.known import Claim, Did, Known, Outcome, Plan, Slot, confirmed_confidence
from memory.domain.types import Op

__all__ = ["Claim", "Did", "Known", "Outcome", "Plan", "Slot", "confirmed_confidence", "plan"]

HELD = ("current", "superseded", "retracted")  # it was or is what holds
LEAST_TELLING = 4  # a value of fewer characters is not looked for under other keys


def plan(known: Iterable[Known], claims: Sequence[Claim]) -> Plan:
    """Decide what the claims do, in the order in which they were said."""
    board = _Board(known)
    for claim in sorted(claims, key=lambda c: (c.said_at, c.place)):
        board.take(claim)
    return board.plan


class _Board:
    """The facts as they stand while claims are taken one after another."""

    def __init__(self, known: Iterable[Known]) -> None:
        self.facts: dict[uuid.UUID, Known] = {fact.id: fact for fact in known}
        self.plan = Plan()

    def take(self, claim: Claim) -> None:
        if claim.forget:
            self._forget(claim)
        elif claim.rejected:
            self._note(claim, Did.ANSWERED)
        elif claim.op is not Op.RETRACT:
            self._say(self._unless_forgotten(claim))
        elif claim.deleted_at is not None and claim.said_at <= claim.deleted_at:
            self._note(claim, Did.ANSWERED)
        else:
            self._retract(claim)

    def _unless_forgotten(self, claim: Claim) -> Claim:
        forgotten = self.plan.forgotten.get(claim.slot)
        if forgotten is None:
            return claim
        return replace(claim, deleted_at=max(forgotten, claim.deleted_at or forgotten))

    def _say(self, claim: Claim) -> None:
        said_again = claim.deleted_at is None or (claim.grounded and claim.said_at > claim.deleted_at)
        if not said_again or self._is_forgotten(claim):
            self._note(claim, Did.ANSWERED)
            return
        standing = any(f.state == "current" for f in self._same_value(claim))
        if claim.deleted_at is not None and claim.current and not standing:
            claim = replace(claim, current=False, reasons=(*claim.reasons, "deleted_before"))
        if claim.current:
            self._assert(claim)
        else:
            self._propose(claim)

    def _assert(self, claim: Claim) -> None:
        same = self._same_value(claim)
        if self._heard_before(claim, same):
            return
        standing = next((f for f in same if f.state == "current"), None)
        if standing is not None and not self._parted(claim, standing):
            self._confirm(standing, claim)
            return
        rivals = [f for f in self._of_key(claim) if f.state == "current"] if claim.single else []
        later = self._later(claim, same)
        if later is not None:
            older = [f for f in rivals if f.said_at <= claim.said_at and claim.audit_id not in f.heard_in]
            self._into_history(claim, later, same, older)
        elif any(f.pinned for f in rivals):
            self._propose(_doubted(claim, "against_pinned"))
        elif any(claim.audit_id in f.heard_in for f in rivals):
            # A second reading of a chat may be wiser than the first, or just another guess.
            self._propose(_doubted(claim, "read_differently"))
        else:
            self._hold(claim, rivals, next((f for f in same if f.state == "pending"), None))

    def _hold(self, claim: Claim, rivals: list[Known], waiting: Known | None) -> None:
        """Make the claim current, closing what it replaces; a proposal of the same value becomes it."""
        new_id = waiting.id if waiting else claim.id
        for rival in rivals:
            self._change(replace(rival, state="superseded", valid_to=claim.said_at, superseded_by=new_id))
        edits = max((f.edit_count for f in self._of_key(claim)), default=0) if claim.single else 0
        fact = replace(_fact(claim, state="current"), id=new_id, edit_count=edits)
        if waiting:
            since = min(waiting.since, claim.said_at)
            self.plan.clearer[new_id] = claim
            self._change(replace(fact, edit_count=max(edits, waiting.edit_count), first_said_at=since))
        else:
            self._create(claim, fact)
        self._hear(new_id, claim)
        self._note(claim, Did.UPDATED if rivals else Did.ADDED, new_id, tuple(rivals))

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

    def _heard_before(self, claim: Claim, same: list[Known]) -> bool:
        """A chat that is read a second time teaches nothing a second time."""
        fact = next((f for f in same if claim.audit_id in f.heard_in), None)
        if fact is not None:
            self._note(claim, Did.REPEATED, fact.id)
        return fact is not None

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
            if f.state in (*HELD, "deleted") and f.said_at > claim.said_at
        ]
        words += [(f.valid_to, None) for f in same if f.state == "retracted" and f.valid_to]
        words += [(f.said_at, None) for f in self._closings(claim) if f.state == "retracted"]
        after = [word for word in words if word[0] > claim.said_at]
        at, fact = min(after, key=lambda word: word[0], default=(None, None))
        return fact or at

    def _closings(self, claim: Claim) -> list[Known]:
        """The words that closed this value, or whatever the key held then."""
        words = (f for f in self._closing_words(claim) if f.state != "pending")
        return [f for f in words if f.value_norm == claim.value_norm or is_generic(f.key or "", f.value)]

    def _is_forgotten(self, claim: Claim) -> bool:
        """Whether the person asked later to forget whatever the key holds."""
        return any(f.state == "deleted" and f.said_at >= claim.said_at for f in self._closings(claim))

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
            fact = replace(_fact(claim, state="superseded"), valid_to=closed_at, superseded_by=later.id)
        else:
            fact = replace(_fact(claim, state="retracted"), valid_to=later)
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
            self._create(claim, _fact(claim, state="pending"))
            self._hear(claim.id, claim)
            self._note(claim, Did.PROPOSED, claim.id)

    def _retract(self, claim: Claim) -> None:
        of_key = self._of_key(claim) if claim.key is not None else self._same_value(claim)
        if self._heard_before(claim, [f for f in self._closing_words(claim) if f.value_norm == claim.value_norm]):
            return
        standing = [f for f in of_key if f.state == "current" and f.said_at <= claim.said_at]
        about = aim(claim.key, claim.value, claim.value_norm, standing)
        if not about.sure:
            claim = _doubted(claim, "several_fit")
        elif any(f.pinned for f in about.facts):
            claim = _doubted(claim, "against_pinned")
        if not claim.current:
            self._propose_closing(claim, about.facts)
            return
        for fact in about.facts:
            self._change(replace(fact, state="retracted", valid_to=claim.said_at))
        word = None if self._is_covered(claim, of_key) else self._keep_word(claim, "retracted")
        if about.facts or word:
            self._note(claim, Did.RETRACTED, about.facts[0].id if about.facts else word, about.facts)
        else:
            self._note(claim, Did.REPEATED)

    def _is_covered(self, claim: Claim, of_key: list[Known]) -> bool:
        """Whether the rows alone tell what the word closed.

        Otherwise it is kept, so that what was said before it and is read after it stays closed, too.
        """
        if claim.key is not None and is_generic(claim.key, claim.value):
            return not claim.single  # of many it was one, and it is not said which
        told = [
            f
            for f in (self.facts[each.id] for each in of_key)
            if not f.closes
            and (
                (f.state == "retracted" and f.valid_to is not None and f.valid_to >= claim.said_at)
                or (f.state == "current" and f.said_at > claim.said_at)
            )
        ]
        return bool(aim(claim.key, claim.value, claim.value_norm, told).facts)

    def _propose_closing(self, claim: Claim, about: tuple[Known, ...]) -> None:
        waits = [f for f in self._closing_words(claim) if f.state == "pending"]
        asked = next((f for f in waits if f.value_norm == claim.value_norm), None)
        if asked or not about:
            self._note(claim, Did.REPEATED, asked.id if asked else None)
            return
        self._create(claim, _fact(claim, state="pending"))
        self._hear(claim.id, claim)
        self._note(claim, Did.PROPOSED, claim.id)

    def _forget(self, claim: Claim) -> None:
        """Delete what the person asks to forget, their own word too: it can be undone for a while."""
        kept = [f for f in self.facts.values() if f.state != "deleted" and f.said_at <= claim.said_at]
        of_key = [f for f in kept if f.key == claim.key and not f.closes]
        generic = claim.key is not None and is_generic(claim.key, claim.value)
        one_of_each = {f.slot: f for f in of_key if f.state in ("current", "pending")} or {f.slot: f for f in of_key}
        about = aim(claim.key, claim.value, claim.value_norm, list(one_of_each.values()))
        hit = list(about.facts)
        if generic and claim.single:
            hit = of_key  # there is one at a time: all that it ever was
        elif not about.sure:
            self._propose_closing(_doubted(claim, "several_fit"), about.facts)
            return
        elif not hit and not generic and len(claim.value_norm) >= LEAST_TELLING:
            hit = [f for f in kept if f.value_norm == claim.value_norm]
        gone = with_history(hit, kept)
        for fact in gone:
            self._change(replace(fact, state="deleted", was_state=fact.state))
        for slot in {*(f.slot for f in gone if not f.closes), *(() if generic else (claim.slot,))}:
            self.plan.forgotten[slot] = claim.said_at
        if generic and claim.single:
            self._keep_word(claim, "deleted")
        first = min(gone, key=lambda f: f.state != "current", default=None)
        self._note(claim, Did.FORGOTTEN if first else Did.ANSWERED, first.id if first else None)

    def _keep_word(self, claim: Claim, state: str) -> uuid.UUID | None:
        """Remember a closing word, unless a later one of the same kind is there. None: it is."""
        words = (f for f in self._closing_words(claim) if f.state == state)
        if any(f.value_norm == claim.value_norm and f.said_at >= claim.said_at for f in words):
            return None
        self._create(claim, replace(_fact(claim, state=state), valid_to=claim.said_at, was_state="retracted"))
        self._hear(claim.id, claim)
        return claim.id

    def _of_key(self, claim: Claim) -> list[Known]:
        if claim.key is None:
            return []
        return [f for f in self.facts.values() if f.key == claim.key and f.space_id == claim.space_id]

    def _closing_words(self, claim: Claim) -> list[Known]:
        """The rows of the key (without one, of the value) that are words which close something."""
        rows = (f for f in self.facts.values() if f.closes and f.key == claim.key and f.space_id == claim.space_id)
        return [f for f in rows if f.key is not None or f.value_norm == claim.value_norm]

    def _same_value(self, claim: Claim) -> list[Known]:
        rows = (f for f in self.facts.values() if f.slot == claim.slot)
        return [f for f in rows if not f.closes and f.state != "deleted"]

    def _change(self, fact: Known) -> None:
        self.facts[fact.id] = fact
        if fact.id in self.plan.new:
            self.plan.new[fact.id] = (self.plan.new[fact.id][0], fact)
        else:
            self.plan.changed[fact.id] = fact

    def _create(self, claim: Claim, fact: Known) -> None:
        self.facts[fact.id] = fact
        self.plan.new[fact.id] = (claim, fact)

    def _hear(self, fact_id: uuid.UUID, claim: Claim) -> None:
        self.plan.evidence.add((fact_id, claim.audit_id))

    def _note(self, claim: Claim, did: Did, fact_id: uuid.UUID | None = None, old: tuple[Known, ...] = ()) -> None:
        self.plan.outcomes.append(Outcome(claim=claim, did=did, fact_id=fact_id, old=old))


def _doubted(claim: Claim, reason: str) -> Claim:
    return replace(claim, current=False, reasons=(*claim.reasons, reason))


def _fact(claim: Claim, *, state: str) -> Known:
    return Known(
        id=claim.id,
        space_id=claim.space_id,
        key=claim.key,
        value=claim.value,
        value_norm=claim.value_norm,
        state=state,
        cardinality=claim.cardinality,
        said_at=claim.said_at,
        confidence=claim.confidence,
        last_confirmed_at=claim.said_at,
        op=claim.op,
        first_said_at=claim.said_at,
        reasons=claim.reasons if state == "pending" else (),
    )
