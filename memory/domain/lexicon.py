"""Small words of several languages that decisions hang on, as sets and tables (see lexicon.yaml)."""

from __future__ import annotations

from importlib import resources
from typing import Any

import yaml

_DATA: dict[str, Any] = yaml.safe_load(
    resources.files("memory.domain").joinpath("lexicon.yaml").read_text(encoding="utf-8")
)


def _words(name: str) -> frozenset[str]:
    return frozenset(_DATA[name].split())


def _numbered(name: str) -> dict[str, int]:
    """Word -> number of its line, from 1; one line holds what languages call the same thing."""
    return {word: number for number, row in enumerate(_DATA[name], 1) for word in row.split()}


MONTHS = _numbered("months")
WEEKDAYS = _numbered("weekdays")
DAYS_AWAY = {word: int(away) for away, row in _DATA["days_away"].items() for word in row.split()}
NUMBERS = {word: str(number) for number, word in enumerate(_DATA["numbers"].split())} | {
    word: str(10 * number) for number, word in enumerate(_DATA["tens"].split(), 1)
}
FILLERS = _words("fillers")
NEGATIONS = _words("negations")
QUESTION_OPENERS = _words("question_openers")
FIRST_PERSON = _words("first_person")
ENDINGS = _words("endings")
YES_NO = _words("yes_no")
COURTESIES = _words("courtesies")
ENGLISH = _words("english")
