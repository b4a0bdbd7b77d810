"""What approving a proposal would do to what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from .closing import aim
from .known import Known
from .types import Cardinality


class Effect(StrEnum):
    """What becomes of a proposal that is approved."""

    ADDS = "adds"
    REPLACES = "replaces"
    CONFIRMS = "confirms"  # it says what holds already
    CLOSES = "closes"  # it says that something holds no longer
    NOTHING = "nothing"  # what it would close is closed already


@dataclass(frozen=True)
class Change:
    """The effect, and the facts that hold now which it meets."""

    effect: Effect
    facts: tuple[Known, ...] = ()


def change(proposal: Known, held: Sequence[Known]) -> Change:
    """What the proposal does to the facts that hold now under its key and scope."""
    there = [fact for fact in held if fact.key == proposal.key and fact.space_id == proposal.space_id]
    if proposal.closes:
        about = aim(proposal.key, proposal.value, proposal.value_norm, there)
        return Change(Effect.CLOSES, about.facts) if about.facts else Change(Effect.NOTHING)
    same = tuple(fact for fact in there if fact.value_norm == proposal.value_norm)
    if same:
        return Change(Effect.CONFIRMS, same[:1])
    # The key's facts know best whether it holds one value or many.
    cardinality = there[0].cardinality if there else proposal.cardinality
    if proposal.key is not None and cardinality is Cardinality.ONE and there:
        return Change(Effect.REPLACES, tuple(there))
    return Change(Effect.ADDS)
