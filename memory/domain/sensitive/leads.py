"""What leads from a word to its value: a colon, "is", は, "for the wifi at home is", or nothing but a space."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from .data import phrases, table
from .view import View

# Set in program text and tables: what follows is the value, whatever word it is.
ASSIGNING = frozenset({":", "=", ":=", "=>", "->", "==", "\u2192"})
# These promise little: what follows must look like a secret by itself.
WEAK = frozenset({"", "-", "--", "?", "are"})

_DIRECT = re.compile(r"[\"'\])*]{0,2}[ \t]{1,3}")
_PREPOSITIONS = "for|to|of|on|at|in|from|fur|vom|von|zum|zur|des|der|pour|du|de|del|para|per|voor|til|till|det|от|для|к"


@dataclass(frozen=True)
class Lead:
    """`text` leads to what begins at `at` of the view; "" is a mere space, "?" an answered question."""

    text: str
    at: int
    dense: bool = False


@cache
def _pattern() -> re.Pattern[str]:
    data = table("passwords")
    spoken = "|".join(sorted((re.escape(p) for p in phrases(data["leads"]) if p[0] not in ":="), key=len, reverse=True))
    small = "|".join(sorted(map(re.escape, phrases(data["for"])), key=len, reverse=True))
    dense = "|".join(map(re.escape, phrases(data["leads_dense"])))
    return re.compile(
        rf"""
        ["'\])*]{{0,2}}
        (?:\s\([^()\n]{{1,40}}\))?                                            # password (for the guests):
        (?:\s(?:{_PREPOSITIONS})(?:\s(?:{small})){{0,6}}(?:\s[\w'-]{{1,30}}){{0,3}}? | \s(?:here|now|there))?
        (?:
            \s{{0,3}}(?P<sign>:=|=>|->|==|[:=\u2192])
          | \s(?P<dash>-{{1,2}})(?=\s)
          | \s?(?P<asked>\?)\s(?:(?:it\sis|it's|its|that's|it\swas)\s)?
          | \s{{0,2}}(?P<dense>{dense})
          | (?:\s{{1,2}}(?P<said>{spoken})|(?P<short>'s))(?=[\s:"'])(?:\s(?:now|still|currently|just))?:?
        )\s{{0,3}}
        """,
        re.VERBOSE,
    )


def lead_at(seen: View, end: int) -> Lead | None:
    """What leads from the word that ends at `end` to something behind it; None at the end of text or line."""
    match = _pattern().match(seen.lower, end)
    if match:
        text = match["sign"] or match["dash"] or match["asked"] or match["dense"] or match["said"] or "is"
        return Lead(text, match.end(), match["dense"] is not None) if match.end() < len(seen.text) else None
    direct = _DIRECT.match(seen.lower, end)
    return Lead("", direct.end()) if direct and direct.end() < len(seen.text) else None
