"""What has to stand in a person's words for a value to be theirs: its words, figures and dates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from .denial import Span
from .lexicon import FILLERS, NUMBERS
from .said import Said
from .temporal import WrittenDate, clock_times, follows, written_dates, year_follows
from .text import Token, normalise, spans
from .words import is_negation, same_number


@dataclass(frozen=True)
class Claim:
    """A value taken apart. Figures, dates and a denial in it are a must; of the words a share is enough."""

    text: str
    words: tuple[Token, ...]
    numbers: tuple[str, ...]
    dates: tuple[WrittenDate, ...]
    denies: bool


@dataclass(frozen=True)
class Match:
    """How a claim stands in one message: for each of its tokens the places where it stands.

    `complete` is False where something that must be exact is missing. `exact` counts the tokens that have a place
    of their own; a date that was worked out has only the sentence from which it follows.
    """

    found: tuple[tuple[Span, ...], ...]
    exact: int
    complete: bool

    def share(self, begin: int, end: int) -> float:
        """The share of the claim's tokens that stand between two places."""
        hits = sum(any(begin <= start < end for start, _ in places) for places in self.found)
        return hits / len(self.found) if self.found else 0.0

    def extent(self, begin: int, end: int) -> Span | None:
        """From the first to the last of the claim's tokens between two places (of each its last standing)."""
        for tokens in (self.found[: self.exact], self.found):
            last = [[span for span in places if begin <= span[0] < end][-1:] for places in tokens]
            spans_ = [span for found in last for span in found]
            if spans_:
                return min(start for start, _ in spans_), max(stop for _, stop in spans_)
        return None


@lru_cache(maxsize=512)
def claim_of(value: str) -> Claim:
    """The value taken apart. Words that carry nothing ("the user lives in") are left out where others remain."""
    text = normalise(value)
    dates = tuple(written_dates(text))
    tokens = [t for t in spans(text) if not any(one.start <= t.start < one.end for one in dates)]
    numbers = tuple(token.text for token in tokens if token.kind == "number")
    words = [token for token in tokens if token.kind != "number"]
    telling = [token for token in words if token.text not in FILLERS]
    if not telling and not numbers and not dates:
        telling = words
    return Claim(text, tuple(telling), numbers, dates, any(is_negation(token.text) for token in words))


def match(claim: Claim, said: Said, day: date | None) -> Match:
    """Where the claim's tokens stand in a message that was said on `day` (the person's calendar)."""
    words = [tuple(sorted((t.start, t.end) for t in _like(word, said))) for word in claim.words]
    numbers = [_number_places(number, said, day) for number in claim.numbers]
    dates = [tuple(s for s in said.sentences if follows(one, said.text[slice(*s)], day)) for one in claim.dates]
    complete = all(numbers) and all(dates) and (said.denies or not claim.denies)
    return Match((*words, *numbers, *dates), len(words) + len(numbers), complete)


def _like(word: Token, said: Said) -> Iterator[Token]:
    if word.kind == "dense":
        if len(word.text) == 1:
            yield from (t for text, places in said.words.items() if word.text in text for t in places)
        else:
            yield from said.words.get(word.text, ())
    elif any(char.isdigit() for char in word.text):
        yield from said.words.get(word.text, ())
    else:
        yield from said.like(word.text)
        if word.text in NUMBERS:
            yield from said.words.get(NUMBERS[word.text], ())


def _number_places(number: str, said: Said, day: date | None) -> tuple[Span, ...]:
    places = [
        (token.start, token.end)
        for text, there in said.words.items()
        if (text[0].isdigit() or text in NUMBERS) and same_number(number, text)
        for token in there
    ]
    if places:
        return tuple(sorted(places))
    return tuple(span for span in said.sentences if _number_follows(number, said.text[slice(*span)], day))


def _number_follows(number: str, sentence: str, day: date | None) -> bool:
    """A year that was said relatively ("last year"), or a time of day in another spelling ("9 pm")."""
    if len(number) == 4 and number.isdecimal() and 1800 <= int(number) <= 2199:
        return year_follows(int(number), sentence, day)
    clock = number.split(":")
    if len(clock) == 2 and all(part.isdecimal() and len(part) <= 2 for part in clock):
        return (int(clock[0]), int(clock[1])) in clock_times(sentence)
    return False
