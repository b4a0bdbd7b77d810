"""A summary of a conversation, and what of one may be kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import regex

from .instructions import instruction_like
from .language import in_another_script
from .sensitive import Handling, Policy, SensitiveClass, find
from .text import normalise

PEOPLE = "people"
_SENTENCE = regex.compile(
    r"[^\s.!?\u2026\u3002\uff01\uff1f].*?(?:[.!?\u2026]++[\"')\]\u201d\u00bb]*+(?=\s)|[\u3002\uff01\uff1f]++|\n|$)",
    regex.DOTALL,
)
_ASCII_LETTER = regex.compile(r"[A-Za-z]")


@dataclass(frozen=True)
class Summary:
    """One or two sentences on a conversation; `details` are lists by name: decisions, open questions, people."""

    text: str
    details: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As a model is shown it."""
        return {"summary": self.text} | {name: list(texts) for name, texts in self.details.items()}


@dataclass(frozen=True)
class Checked:
    """What is left of a summary, None where nothing is.

    `left_out` are the reasons for which something was, `refused` the sensitive classes among them. `foreign`: it is
    written in a script that stands nowhere in the chat.
    """

    summary: Summary | None
    left_out: tuple[str, ...] = ()
    refused: tuple[SensitiveClass, ...] = ()
    foreign: bool = False


def without(summary: Summary, says: Callable[[str], bool]) -> Summary | None:
    """The summary without the sentences and entries that say something; None where nothing is left.

    Where only the whole says it and no sentence alone does, nothing is left either.
    """
    sentences = [match.group() for match in _SENTENCE.finditer(summary.text)]
    kept = [sentence.strip() for sentence in sentences if not says(sentence)]
    text = summary.text if len(kept) == len(sentences) else " ".join(kept)
    details = {name: [entry for entry in texts if not says(entry)] for name, texts in summary.details.items()}
    if not text or says(text):
        return None
    return Summary(text, {name: texts for name, texts in details.items() if texts})


def check(summary: Summary, said: Sequence[str], policy: Policy) -> Checked:
    """Leave out the sentences and entries that may not be kept: sensitive matters that the profile does not plainly
    allow, orders to an assistant, and people whose names were not said.

    `said` are the texts that the summary was made of.
    """
    gone = _Gone(policy)
    text = _without(summary.text, gone)
    if text and _foreign(text, said):
        return Checked(None, ("another_script",), gone.refused, foreign=True)
    details = {name: tuple(_entries(name, texts, said, gone)) for name, texts in summary.details.items()}
    kept = Summary(text, {name: texts for name, texts in details.items() if texts}) if text else None
    return Checked(kept, gone.reasons, gone.refused)


class _Gone:
    """What was left out so far, and why."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._reasons: dict[str, None] = {}
        self._refused: dict[SensitiveClass, None] = {}

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(self._reasons)

    @property
    def refused(self) -> tuple[SensitiveClass, ...]:
        return tuple(self._refused)

    def note(self, reason: str) -> None:
        self._reasons[reason] = None

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where something stands that may not be kept. Nobody reviews a summary: what would wait for it stays out."""
        found = [f for f in find(text) if self._policy.of(f.cls) is not Handling.ALLOW]
        for finding in found:
            self._refused[finding.cls] = None
            self.note(f"sensitive:{finding.cls.value}")
        return [(f.start, f.end) for f in found]

    def orders(self, text: str) -> bool:
        if instruction_like(text):
            self.note("instruction")
            return True
        return False


def _without(text: str, gone: _Gone) -> str:
    """The text without the sentences that may not stand."""
    while places := gone.places(text):
        left = [p for p in _sentences(text) if not any(p.start() < end and start < p.end() for start, end in places)]
        shorter = _joined(left)
        text = shorter if len(shorter) < len(text) else ""
    if not gone.orders(text):
        return text
    text = _joined([part for part in _sentences(text) if not instruction_like(part.group())])
    return "" if gone.orders(text) else text


def _sentences(text: str) -> list[regex.Match[str]]:
    return list(_SENTENCE.finditer(text))


def _joined(parts: Sequence[regex.Match[str]]) -> str:
    return " ".join(part.group().strip() for part in parts)


def _entries(name: str, texts: Sequence[str], said: Sequence[str], gone: _Gone) -> Iterator[str]:
    spoken = " ".join(map(normalise, said)) if name == PEOPLE and texts else ""
    for text in texts:
        if gone.places(text) or gone.orders(text):
            continue
        if _foreign(text, said):
            gone.note("another_script")
        elif name == PEOPLE and normalise(text) not in spoken:
            gone.note("not_said")
        else:
            yield text


def _foreign(text: str, said: Sequence[str]) -> bool:
    if text.isascii() and any(map(_ASCII_LETTER.search, said)):
        return False
    return in_another_script(text, said)
