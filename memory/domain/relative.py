"""Does a text say a time that only the day on which it was said can tell: "yesterday", "nächsten Montag", "来週"?"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Any

import yaml

from .lexicon import WEEKDAYS
from .text import clean, normalise

_UNSPACED = ("ja", "zh", "ko")
_LEAST_WEEKDAY = 4  # "sun", "mar" and "mon" are other words as well
# German "Morgen" is the morning and "morgen" tomorrow; with an article, Dutch "morgen" is the morning too.
_MORGEN = re.compile(r"(?:(\w+|'s) )?(?<![\w'])(?:morgen|^Morgen)(?!\w)")
_THE_MORNING = frozenset({"am", "jeden", "jedem", "guten", "den", "der", "de", "elke", "iedere", "goede", "'s", "het"})
# French "hier" is yesterday, German and Dutch "hier" here.
_HIER = re.compile(r"(?<![\w-])hier(?![\w-])")
_NOT_FRENCH = re.compile(
    r"\b(?:ich|ist|sind|war|wohnt|wohne|arbeitet|arbeite|lebt|geboren|der|die|das|und|nicht|seit|in|im|auf|bei|aus"
    r"|een|het|woont|werkt|ik|is|van|zijn|op)\b"
)


def has_relative_time(text: str) -> bool:
    """Whether the text has such a time, in any of the languages of relative.yaml."""
    folded = normalise(text)
    if _spaced().search(folded) or _dense().search(folded):
        return True
    if any(match[1] not in _THE_MORNING for match in _MORGEN.finditer(clean(text))):
        return True
    return bool(_HIER.search(folded)) and not _NOT_FRENCH.search(folded)


@cache
def _spaced() -> re.Pattern[str]:
    patterns = [pattern for language, pattern in _patterns() if language not in _UNSPACED]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(patterns)})(?!\w)")


@cache
def _dense() -> re.Pattern[str]:
    return re.compile("|".join(pattern for language, pattern in _patterns() if language in _UNSPACED))


@cache
def _patterns() -> tuple[tuple[str, str], ...]:
    raw = resources.files("memory.domain").joinpath("relative.yaml").read_text(encoding="utf-8")
    table: dict[str, Any] = yaml.safe_load(raw)
    days = "|".join(sorted(re.escape(word) for word in WEEKDAYS if _is_one_day(word)))
    return tuple(
        (
            language,
            pattern.replace("{n}", f"(?:{entry['n']})")
            .replace("{unit}", f"(?:{entry['unit']})")
            .replace("{day}", f"(?:{days})"),
        )
        for language, entry in table.items()
        for pattern in entry["patterns"]
    )


def _is_one_day(word: str) -> bool:
    """A day of the week in full, not the plural that says every week."""
    return len(word) >= _LEAST_WEEKDAY and not (word.endswith("s") and word[:-1] in WEEKDAYS)
