"""Where in a sentence a statement of the person about themselves may begin, and what stands in its way.

A pattern is only tried where a clause begins, so "she said I live in Paris" or "people think I work at X" never match.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from memory.builtin.patterns import Patterns
from memory.builtin.text import Sentence

WINDOW = 240  # characters of a clause that a pattern may see: what makes the whole pass linear

_EDGE = regex.compile(
    r"(?:[,;:()\[\]\u2014]|\s-{1,3}\s|\s&\s|\b(?:and|but|so|because|cause|cuz|since|as|though|although|while|plus|then)\b)\s*+",
    regex.IGNORECASE,
)
_BREAK = regex.compile(r"[,;:()\[\]\u2014.!?]|\s-{1,3}\s")
_MENTION = regex.compile(r"\b(?:my|our)\b", regex.IGNORECASE)
_BUT = regex.compile(r"\bbut\b", regex.IGNORECASE)
_CAPITAL = regex.compile(r"\p{Lu}")


@dataclass(frozen=True, slots=True)
class Clause:
    """A place to try patterns: `window` is the text to match, `start` its offset in the sentence."""

    at: str
    window: str
    start: int
    plain: bool
    shouted: bool
    hedged: bool = False
    retracts: bool = False
    implied: int = 0  # characters of the window that the sentence does not have: a subject said earlier


def clauses(sentence: Sentence, patterns: Patterns) -> Iterator[Clause]:
    """The clauses of one sentence in which the person speaks of themselves."""
    text, rules = sentence.text, patterns.rules
    supposed = _supposed(text, patterns)
    speaks = has = False
    seen: set[int] = set()
    for begin in _starts(text):
        start, hedged = _skip_lead_in(text, begin, patterns)
        retract = rules["forget"].match(text, start)
        if retract:
            start = retract.end()
        if start in seen or start >= len(text) or any(first <= start < last for first, last in supposed):
            continue
        seen.add(start)
        window = text[start : start + WINDOW]
        implied = 0
        pair = rules["pair"].match(window)
        if rules["says_i"].match(window) or pair:
            at = "i"
            if pair:
                window, start = "we" + window[pair.end() :], start
                implied = 2 - pair.end()
            speaks = bool(rules["carries_on"].match(_until_break(window)))
            has = bool(rules["has"].match(window))
        elif rules["says_my"].match(window):
            at, speaks, has = "my", False, False
        elif speaks and rules["bare_verb"].match(window) and not _compares(text, start):
            at, window, implied = "i", "I " + window, 2
            speaks, has = bool(rules["carries_on"].match(_until_break(window))), bool(rules["has"].match(window))
        elif has and rules["more"].match(window):
            at, window, implied = "i", "I have " + window, 7
        else:
            at = "any"
            if rules["other_subject"].match(window):
                speaks = has = False
        plain, shouted = _case(window)
        yield Clause(at, window, start, plain, shouted, hedged=hedged, retracts=bool(retract), implied=implied)


def mentions(sentence: Sentence, patterns: Patterns) -> Iterator[Clause]:
    """Each "my …" or "our …" wherever it stands, for what is said in passing ("for my dog Beans")."""
    supposed = _supposed(sentence.text, patterns)
    for found in _MENTION.finditer(sentence.text):
        if any(first <= found.start() < last for first, last in supposed):
            continue
        before = sentence.text[max(0, found.start() - 24) : found.start()]
        if not patterns.rules["gives_a_name"].search(before):
            window = sentence.text[found.start() : found.start() + WINDOW]
            yield Clause("mention", window, found.start(), *_case(window))


def _supposed(text: str, patterns: Patterns) -> list[tuple[int, int]]:
    """What of a sentence is only supposed: all from the word that says so on, but an "if" ends with a "but"."""
    spans: list[tuple[int, int]] = []
    at = 0
    while found := patterns.rules["hypothetical"].search(text, at):
        turn = _BUT.search(text, found.end()) if found.group()[:2].casefold() == "if" else None
        at = turn.end() if turn else len(text)
        spans.append((found.start(), at))
        if turn is None:
            break
    return spans


def _compares(text: str, start: int) -> bool:
    """Whether a clause that begins with "like" says what something is like (", like Unix")."""
    return text[start : start + 5].casefold() == "like " and not text[:start].rstrip().casefold().endswith("and")


def _starts(text: str) -> Iterator[int]:
    yield 0
    for edge in _EDGE.finditer(text):
        yield edge.start() if edge.group()[0].isalpha() else edge.end()
        if edge.group()[0].isalpha():
            yield edge.end()


def _skip_lead_in(text: str, start: int, patterns: Patterns) -> tuple[int, bool]:
    hedged = False
    for _ in range(5):
        found = patterns.rules["lead_in"].match(text, start)
        if not found or found.end() == start:
            break
        hedged = hedged or bool(patterns.rules["hedge"].match(text, start))
        start = found.end()
    return start, hedged


def _until_break(window: str) -> str:
    end = _BREAK.search(window)
    return window[: end.start()] if end else window


def _case(window: str) -> tuple[bool, bool]:
    """Whether a clause is typed in one case, so that a name cannot be told by its first letter; and in capitals."""
    clause = _until_break(window)
    if clause.isupper() and len(clause) > 8:
        return True, True
    plain = not any(
        found.group() != "I" or window[found.end() : found.end() + 1].isalpha()
        for found in _CAPITAL.finditer(clause, 1)
    )
    return plain, False
