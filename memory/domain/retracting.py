"""Words that close or forget what is known: "Pixel died", "please forget my phone number"."""

from __future__ import annotations

import uuid
from dataclasses import replace

from memory.domain.board import Board, doubted, fact_of
from memory.domain.closing import aim, is_generic, with_history
from memory.domain.known import Claim, Did, Known

LEAST_TELLING = 4  # a value of fewer characters is not looked for under other keys


class Retracting(Board):
    """Takes the claims that something holds no longer or is not to be kept."""

    def _retract(self, claim: Claim) -> None:
        claim = self._where_it_holds(claim)
        of_key = self._of_key(claim) if claim.key is not None else self._same_value(claim)
        if self._heard_before(claim, [f for f in self._closing_words(claim) if f.value_norm == claim.value_norm]):
            return
        standing = [f for f in of_key if f.state == "current" and f.said_at <= claim.said_at]
        about = aim(claim.key, claim.value, claim.value_norm, standing)
        if not about.sure:
            claim = doubted(claim, "several_fit")
        elif any(f.pinned for f in about.facts):
            claim = doubted(claim, "against_pinned")
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

    def _where_it_holds(self, claim: Claim) -> Claim:
        """The claim in the scope of what it is about: a space's own fact, or the one that holds everywhere.

        How far a model thinks the word reaches is a guess; what it closes is known.
        """
        for scope in (claim.space_id, claim.said_in if claim.space_id is None else None):
            there = replace(claim, space_id=scope)
            rows = self._of_key(there) if claim.key is not None else self._same_value(there)
            standing = [f for f in rows if f.state == "current" and f.said_at <= claim.said_at]
            if aim(claim.key, claim.value, claim.value_norm, standing).facts:
                return there
        return claim

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
        self._create(claim, fact_of(claim, state="pending"))
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
            self._propose_closing(doubted(claim, "several_fit"), about.facts)
            return
        elif not hit and not generic and len(claim.value_norm) >= LEAST_TELLING:
            hit = [f for f in kept if f.value_norm == claim.value_norm]
        gone = with_history(hit, kept)
        for fact in gone:
            self._change(replace(fact, state="deleted", was_state=fact.state))
        for value in {*(f.slot[1:] for f in gone if not f.closes), *(() if generic else (claim.slot[1:],))}:
            self.plan.forgotten[value] = claim.said_at
        if generic and claim.single:
            self._keep_word(claim, "deleted")
        first = min(gone, key=lambda f: f.state != "current", default=None)
        self._note(claim, Did.FORGOTTEN if first else Did.ANSWERED, first.id if first else None)

    def _keep_word(self, claim: Claim, state: str) -> uuid.UUID | None:
        """Remember a closing word, unless a later one of the same kind is there. None: it is."""
        words = (f for f in self._closing_words(claim) if f.state == state)
        if any(f.value_norm == claim.value_norm and f.said_at >= claim.said_at for f in words):
            return None
        self._create(claim, replace(fact_of(claim, state=state), valid_to=claim.said_at, was_state="retracted"))
        self._hear(claim.id, claim)
        return claim.id
