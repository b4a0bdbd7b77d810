"""How languages say that somebody has, is or takes something (see frames.yaml), and whether a sentence says so."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from functools import cache

from .data import table, words
from .words import Words

HAVE, BE, TAKE, SAY = "have", "be", "take", "say"
_FAR, _OWNED, _SUBJECT = 9, 3, 5
_CLAUSE_END = re.compile(r"[,;:()\[\]\n\"|]")
_OBJECTS = frozenset({"me", "him", "her", "us", "them"})


@dataclass(frozen=True)
class Frame:
    """The small words of one language."""

    persons: frozenset[str]
    owners: frozenset[str]
    have: frozenset[str]
    have_me: frozenset[str]
    be: frozenset[str]
    be_me: frozenset[str]
    take: frozenset[str]
    take_me: frozenset[str]
    fillers: frozenset[str]
    blockers: frozenset[str]
    followers: frozenset[str]
    not_people: frozenset[str]
    not_names: frozenset[str]
    orders: frozenset[str]
    not_bare: frozenset[str]
    roles: frozenset[str]


@cache
def frames() -> dict[str, Frame]:
    """By language."""
    return {
        language: Frame(**{field.name: words(row.get(field.name, "")) for field in fields(Frame)})
        for language, row in table("frames").items()
    }


@dataclass(frozen=True)
class Place:
    """Words i to j of a text, in which a term stands. `value` is the first word that is not the key's."""

    words: Words
    i: int
    j: int
    value: int = 0

    @property
    def opening(self) -> int:
        """Where what is said begins: the sentence, or the value behind its key."""
        opening = self.words.opening(self.i)
        return max(opening, self.value) if self.i >= self.value else opening

    def before(self, most: int) -> range:
        """The words before it, nearest first, within the sentence."""
        return range(self.i - 1, max(self.words.opening(self.i), self.i - most) - 1, -1)

    def next(self) -> str:
        """The word right behind it, "" if the sentence or the clause ends there."""
        words = self.words
        if not words.same(self.i, self.j):
            return ""
        between = words.lower[words.ends[self.j - 1] : words.starts[self.j]]
        return "" if _CLAUSE_END.search(between) else words.texts[self.j]


def had(place: Place, frame: Frame, verbs: frozenset[str], own_verbs: frozenset[str]) -> bool:
    """True if a person has (or takes) it: "I was diagnosed with ...", "my ...", "Ana's ...", "tengo ..."."""
    texts = place.words.texts
    crossed = False
    for step, k in enumerate(place.before(_FAR)):
        word = texts[k]
        if word in frame.blockers or word in frame.not_people:
            return False
        if word in frame.owners and step < _OWNED and not crossed and (word != "s" or _someone(place, frame, k - 1)):
            return True
        if word in own_verbs:
            return True
        if word in verbs and ((crossed and texts[k + 1] in _OBJECTS) or subject(place, frame, k, named=True)):
            return True
        if word in frame.be or word in frame.persons:
            crossed = True
    return False


def is_said_to_be(place: Place, frame: Frame, *, named: bool) -> bool:
    """True if a person is it. named: a name alone counts as a person."""
    texts = place.words.texts
    for k in place.before(_FAR):
        word = texts[k]
        if word in frame.be_me or (named and word in frame.roles and _anyone(place, frame)):
            return True
        if word in frame.be:
            if word in frame.persons or subject(place, frame, k, named=named, strict=not named):
                return True
            if word not in frame.fillers:
                return False
        elif word in frame.persons and k > 0 and texts[k - 1] in frame.be and place.words.same(k, k - 1):
            return True  # a question: "am I ...", "is she ..."
        elif word not in frame.fillers:
            return False
    return False


def subject(place: Place, frame: Frame, verb: int, *, named: bool, strict: bool = False) -> bool:
    """True if a person stands before the verb, or the verb opens what is said and the person goes without saying.

    strict: nothing but small words between them.
    """
    words = place.words
    if verb == place.opening:
        return not strict and words.texts[verb] not in frame.orders
    for step, k in enumerate(range(verb - 1, max(words.opening(verb), verb - _SUBJECT) - 1, -1)):
        word = words.texts[k]
        if word in frame.not_people:
            return False
        if word in frame.persons and (word not in frame.owners or (word in _OBJECTS and step == 0 and not strict)):
            return True
        if named and (step == 0 or (step == 1 and k > words.opening(verb))) and _named(place, frame, k):
            return True
        if strict and word not in frame.fillers and word not in frame.be and word not in frame.have:
            return False
    return False


def _named(place: Place, frame: Frame, k: int) -> bool:
    words = place.words
    word = words.texts[k]
    return (
        words.capitalised(k)
        and not words.shouted
        and len(word) > 1
        and word not in frame.owners
        and word not in frame.not_names
    )


def _someone(place: Place, frame: Frame, k: int) -> bool:
    return place.words.same(place.i, k) and (place.words.texts[k] in frame.persons or _named(place, frame, k))


def _anyone(place: Place, frame: Frame) -> bool:
    words = place.words
    around = range(max(words.opening(place.i), place.i - _FAR), min(len(words.texts), place.j + _FAR))
    return any(
        words.same(place.i, k) and (words.texts[k] in frame.persons or words.texts[k] in frame.owners) for k in around
    )


def spoken_of(place: Place, frame: Frame) -> bool:
    """True if a person is near, or the words open what is said; the nearest of persons and things decides."""
    words = place.words
    inside = words.texts[place.i : place.j]
    for k in place.before(_FAR):
        if words.texts[k] in frame.not_people:
            return False
        if words.texts[k] in frame.persons or words.texts[k] in frame.owners:
            return True
        if k > words.opening(place.i) and _named(place, frame, k):
            return True
    if any(word in frame.persons or word in frame.owners for word in inside):
        return True
    return place.i == place.opening or _someone(place, frame, place.i - 1)


def bare(place: Place, frame: Frame, before: frozenset[str], behind: frozenset[str]) -> bool:
    """True if it is all that is said: a fact's value such as "type 2 diabetes", "sertraline 50 mg"."""
    words = place.words
    if len(words.texts) - place.value > 40 or place.opening > place.value or place.i - place.opening > 4:
        return False
    front = words.texts[place.opening : place.i]
    if not all(word in before or word in frame.fillers or word.isdigit() for word in front):
        return False
    other = frame.blockers | frame.not_people | frames()["en"].not_bare
    if any(word in other for word in words.texts[: place.opening]):
        return False
    following = place.next()
    return not following or following in behind or following[0].isdigit()
