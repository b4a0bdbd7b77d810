"""A question about what was said, read: its words, the times and speakers it names, and what it wants."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from importlib import resources

import regex
import yaml

from memory.domain.terms import is_specific, query_tokens
from memory.domain.text import normalise

from .embedded import question_text
from .periods import Period, periods
from .speakers import named, without_names

MOST_WORDS = 48  # of a long message those that name something, then the first ones
_LOOKED_AT = 4_000  # characters in which the form of a question is looked for
_DATA: dict[str, str] = yaml.safe_load(
    resources.files("memory.domain.ranking").joinpath("asking.yaml").read_text(encoding="utf-8")
)
_OPENERS = frozenset(_DATA["openers"].split())
_BEFORE = frozenset(_DATA["before"].split())
_ADVICE = regex.compile(_DATA["advice"].replace(" |", "|"))
_ASSISTANT = regex.compile(_DATA["assistant"].replace(" |", "|"))
_FIRST_WORDS = regex.compile(r"[\p{L}\p{M}'-]++")
_SPACED = regex.compile(r"[\p{Latin}\p{Cyrillic}\p{Greek}]")
_ASKS = ("?", "\uff1f", "\u061f")


@dataclass(frozen=True)
class Asked:
    """A question as the ranking of passages needs it.

    words: the distinct terms of `embedded.question_text`, at most 48. speakers: those that it names.
    looks_up: it plainly asks for something that was said ("When did ...?"), and not for advice.
    of_assistant: it asks for what the assistant said.
    """

    text: str
    words: tuple[str, ...]
    periods: tuple[Period, ...] = ()
    speakers: frozenset[str] = frozenset()
    looks_up: bool = False
    of_assistant: bool = False


def read(text: str, *, today: date, speakers: Collection[str] = ()) -> Asked:
    """A question read. `today`: the day on which it is asked, in the person's zone; `speakers`: all that are known."""
    bare = without_names(text, speakers)
    folded = normalise(bare[-_LOOKED_AT:])
    return Asked(
        text=text,
        words=_words(question_text(text, speakers)),
        periods=periods(bare, today),
        speakers=named(text, speakers),
        looks_up=_looks_up(folded),
        of_assistant=_ASSISTANT.search(folded) is not None,
    )


def _words(text: str) -> tuple[str, ...]:
    words = list(dict.fromkeys(query_tokens(text)))
    if len(words) > MOST_WORDS:
        telling = [word for word in words if is_specific(word)]
        words = [*telling, *(word for word in words if not is_specific(word))][:MOST_WORDS]
    return tuple(words)


def _looks_up(folded: str) -> bool:
    if not folded.rstrip(" \"')").endswith(_ASKS) or _ADVICE.search(folded):
        return False
    if not _SPACED.search(folded):
        return True
    first = _FIRST_WORDS.findall(folded[:80])[:2]
    return bool(first) and (first[0] in _OPENERS or (first[0] in _BEFORE and len(first) > 1 and first[1] in _OPENERS))
