"""What a word that closes or forgets something is about: "Pixel died", "we no longer have a dog"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from .keys import ALIASES
from .known import Known
from .text import tokens

# Words around the name of a thing that do not say which one: "my old number", "any dog", "none".
_FILLER_WORDS = """
    a an the my our your any no none not it its this that these those them all one of old former previous current own
    nothing null unknown what is are about user person number name mein meine mon ma mes mi mis
"""
_FILLER = frozenset(_FILLER_WORDS.split())


@dataclass(frozen=True)
class Aim:
    """The facts that a word may be about. `sure` is False where several fit and it does not say which."""

    facts: tuple[Known, ...] = ()
    sure: bool = True


def aim(key: str | None, value: str, value_norm: str, standing: Sequence[Known]) -> Aim:
    """Which of the facts that stand under a key a word with this value is about; none where it names another.

    A value that only names the kind of thing ("dog" under dog.name) is about the one that there is.
    """
    exact = tuple(fact for fact in standing if fact.value_norm == value_norm)
    if exact:
        return Aim(exact)
    if key is not None and is_generic(key, value):
        return Aim(tuple(standing), sure=len(standing) <= 1)
    near = tuple(fact for fact in standing if overlaps(value, fact.value))
    return Aim(near, sure=len(near) <= 1)


def is_generic(key: str, value: str) -> bool:
    """Whether a value only says what kind of thing the key holds."""
    words = {_singular(word) for word in tokens(value)} - _FILLER
    return words <= _names(key)


def with_history(facts: Sequence[Known], rows: Sequence[Known]) -> list[Known]:
    """What is deleted together with facts: all rows of the same values, and the values that led to them.

    Deleting what no longer holds takes only its own value along, and never one that holds now.
    """
    gone = {fact.id: fact for fact in facts}
    values = [fact for fact in facts if not fact.closes]
    slots = {fact.slot for fact in values}
    open_slots = {fact.slot for fact in values if fact.state in ("current", "pending")}
    for row in rows:
        if row.slot in slots and row.state != "deleted" and (row.state != "current" or row.slot in open_slots):
            gone[row.id] = row
    heads = {fact.id for fact in gone.values() if fact.state in ("current", "pending")}
    while heads:
        led = [
            r for r in rows if r.superseded_by in heads and r.id not in gone and r.state not in ("current", "deleted")
        ]
        gone |= {row.id: row for row in led}
        heads = {row.id for row in led}
    return list(gone.values())


def overlaps(one: str, other: str) -> bool:
    """ "Pixel the dog" and "Pixel", "0147" and "+233 20 555 0147": the words of one are all in the other."""
    a, b = set(tokens(one)) - _FILLER, set(tokens(other)) - _FILLER
    return bool(a and b) and (a <= b or b <= a)


@cache
def _names(key: str) -> frozenset[str]:
    """The words that people call the thing by that a key is about."""
    spellings = (key, *(spelling for spelling, target in ALIASES.items() if target == key))
    return frozenset(_singular(word) for spelling in spellings for word in spelling.replace(".", "_").split("_"))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
