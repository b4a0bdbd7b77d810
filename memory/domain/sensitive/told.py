"""What is told about a person: health (health.yaml), and religion, politics and the like (personal.yaml)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from .data import phrases, table, words
from .dense import told_densely
from .frames import BE, HAVE, SAY, TAKE, Frame, Place, bare, frames, had, is_said_to_be, spoken_of
from .types import SensitiveClass
from .view import View
from .words import Phrases, Words

Raw = tuple[SensitiveClass, int, int, str]

HIDE = "hide"
_SIGNS = "!?^"
# What may stand before and behind a bare term in a fact's value ("chronic migraines since 2019").
_BEFORE = words(
    """chronic severe mild moderate acute early late stage type grade recurrent suspected possible major minor has had
    with takes taking took on diagnosed suffers from mg ml mcg units high low result status the my user"""
)
_BEHIND = words(
    """since mg ml mcg units dose daily twice once three times every morning evening night weekly monthly tablet tablets
    pill pills and or none positive negative normal high low result status diagnosed with due"""
)
_NEAR = 6
_CONNECTING = frozenset({"and", "but", "so", "or", "too", "myself"})


@dataclass(frozen=True)
class Term:
    """A phrase's meaning: its kind, how it is spoken of, in which language ("all" for each), and its sign."""

    kind: str
    frame: str
    language: str
    sign: str = ""


@dataclass(frozen=True)
class Lexicon:
    """One class's file, ready to match."""

    cls: SensitiveClass
    terms: Phrases[Term]
    exempt: frozenset[str]
    followers: frozenset[str]
    people: frozenset[str]
    names: frozenset[str]
    greetings: frozenset[str]


@cache
def lexicon(name: str, cls: SensitiveClass) -> Lexicon:
    """The lexicon of `<name>.yaml`."""
    data = table(name)
    items = [
        (phrase.rstrip(_SIGNS), Term(kind, frame, language, phrase[-1] if phrase[-1] in _SIGNS else ""))
        for kind, by_frame in data["kinds"].items()
        for frame, by_language in by_frame.items()
        for language, listed in by_language.items()
        for phrase in phrases(listed)
    ]
    items += [(phrase, Term(HIDE, HIDE, "")) for listed in data["hide"].values() for phrase in phrases(listed)]
    sets = {part: words(data.get(part, "")) for part in ("exempt", "followers", "people", "names", "greetings")}
    return Lexicon(cls, Phrases(items), **sets)


def health(seen: View) -> Iterator[Raw]:
    """Diagnoses, medicines, test results, mental and sexual health."""
    yield from _told(seen, lexicon("health", SensitiveClass.HEALTH))
    for start, end, kind in told_densely(seen, "health"):
        yield SensitiveClass.HEALTH, start, end, kind


def personal(seen: View) -> Iterator[Raw]:
    """Religion, politics, sexual orientation, ethnicity, trade union, criminal record, immigration status."""
    yield from _told(seen, lexicon("personal", SensitiveClass.SENSITIVE_PERSONAL))
    for start, end, kind in told_densely(seen, "personal"):
        yield SensitiveClass.SENSITIVE_PERSONAL, start, end, kind


def _told(seen: View, lex: Lexicon) -> Iterator[Raw]:
    found = seen.words
    value = next((i for i, start in enumerate(found.starts) if start >= seen.value_from), 0) if seen.value_from else 0
    spoken = _spoken(found)
    for i, j, terms in lex.terms.hits(found):
        if i < value or any(term.frame == HIDE for term in terms):
            continue
        place = Place(found, i, j, value)
        term = next((term for term in terms if _says(place, term, lex, spoken)), None)
        if term:
            yield lex.cls, found.starts[i], found.ends[j - 1], term.kind


def _spoken(found: Words) -> tuple[str, ...]:
    """The languages of which the text has at least one verb or possessive; English without any."""
    vocabulary = set(found.texts)
    return tuple(
        name
        for name, frame in frames().items()
        if name == "en"
        or not vocabulary.isdisjoint(frame.have | frame.have_me | frame.take | frame.take_me | frame.owners)
    )


def _says(place: Place, term: Term, lex: Lexicon, spoken: tuple[str, ...]) -> bool:
    if lex.exempt and _exempt(place, lex):
        return False
    if lex.names and _is_name(place, lex):
        return False
    if term.language != "all":
        return _says_in(place, term, lex, frames()[term.language])
    return any(_says_in(place, term, lex, frames()[language]) for language in spoken)


def _says_in(place: Place, term: Term, lex: Lexicon, frame: Frame) -> bool:
    if term.frame == SAY:
        if term.sign == "^" and not _name_follows(place):
            return False
        return spoken_of(place, frame)
    following = place.next()
    if following and (following in frame.followers or following in lex.followers):
        return False
    if term.sign == "?" and following and following not in lex.people:
        return False
    if term.frame == BE:
        somebody = following in lex.people and following not in _CONNECTING
        plain = not term.sign or (term.sign == "?" and somebody)
        return is_said_to_be(place, frame, named=plain) or (plain and bare(place, frame, _BEFORE, _BEHIND | lex.people))
    if term.frame == HAVE and had(place, frame, frame.have, frame.have_me):
        return True
    if term.frame == TAKE and had(place, frame, frame.take, frame.take_me):
        return True
    return bare(place, frame, _BEFORE, _BEHIND)


def _exempt(place: Place, lex: Lexicon) -> bool:
    words = place.words
    first = max(words.opening(place.i), place.i - _NEAR)
    around = range(first, min(len(words.texts), place.j + _NEAR))
    return any(words.texts[k] in lex.exempt and words.same(place.i, k) for k in around)


def _is_name(place: Place, lex: Lexicon) -> bool:
    words = place.words
    if place.j - place.i != 1 or words.texts[place.i] not in lex.names or not words.capitalised(place.i):
        return False
    before = words.texts[max(0, place.i - 6) : place.i]
    return any(word in lex.greetings for word in before)


def _name_follows(place: Place) -> bool:
    words = place.words
    return any(words.same(place.i, k) and words.capitalised(k) for k in range(place.j, place.j + 3))
