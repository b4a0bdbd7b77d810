"""The value that a word leads to: `password: tulip`, "the password for the wifi is tulip", パスワードはtulipです."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from .data import phrases, table
from .leads import ASSIGNING, WEAK, Lead, lead_at
from .looks import made_up, placeholder
from .view import GAP, View
from .words import DENSE

_QUOTES = {'"': '"', "'": "'", "\u300c": "\u300d", "\u300e": "\u300f", "(": ")", "<": ">", "[": "]", "*": "*"}
_TOKEN = re.compile(rf"[^\s{GAP}]{{1,200}}")
_ASCII_RUN = re.compile(r"[\x21-\x7e]{1,200}")
_DENSE_RUN = re.compile(rf"[^\s\u3001\u3002\uff0c\uff01\uff1f\u300d\u300f,.!?;:()\"'{GAP}]{{1,40}}")
_TRAILING = ".,;:?)]}>'\"*|"
_PARAMETER = re.compile(r"&[A-Za-z_]\w{0,30}=")
_ATTRIBUTE = re.compile(r"[\w.-]{1,40}=.*|.*[<>].*")
_NEXT = re.compile(r"[ \t]([^\s,.;:!?()\"']{1,40})")
_DIGITS = re.compile(r"#?(?:\d[ -]?){3,7}\d(?![\d%])(?![.,:/-]\d)")
_CODE = re.compile(r"#?(?=[a-z]{0,3}\d{2})[a-z0-9#*]{4,8}(?![a-z0-9-])", re.IGNORECASE)
_MORE_CODES = re.compile(r"(?:[\s,;/]{1,3}(?=[a-z-]{0,8}\d)[0-9a-z]{3,10}(?:-[0-9a-z]{3,10})?(?![0-9a-z-])){1,15}")
# "The passcode is six digits: 482913", "it is the cat's name and the year: Misty1987".
_LATER = re.compile(r"[^.!?;:\n]{1,60}?\s(?:is|has|was)\s[^.!?;:\n]{1,50}:\s([^\s,;]{4,60})")
_TICKET = re.compile(r"[A-Z]{2,6}-\d+")


@dataclass(frozen=True)
class Value:
    """`text` stands at `start:end` of the view; `lead` is what led to it (see leads.py)."""

    start: int
    end: int
    text: str
    lead: str

    @property
    def assigned(self) -> bool:
        """True for `:` and `=`, false for "is" and for nothing."""
        return self.lead in ASSIGNING

    @property
    def promised(self) -> bool:
        """True if what led to it says that a value follows, whatever it looks like."""
        return self.lead not in WEAK


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(phrases(table("passwords")[name]))


def value_at(seen: View, end: int, *, several: bool) -> Value | None:
    """What the word that ends at `end` leads to, in the same line or after its colon; None if to no value.

    several: a plain word may be followed by more of them, as in a passphrase.
    """
    lead = lead_at(seen, end)
    if lead is None:
        return None
    at = lead.at
    quote = _QUOTES.get(seen.text[at])
    if quote:
        closing = seen.text.find(quote, at + 1, at + 102)
        if closing > at + 1 and "\n" not in seen.text[at:closing]:
            return _quoted(seen, lead, closing)
        if quote != seen.text[at]:
            return None
        at += 1
    if DENSE.match(seen.text, at):
        return _dense(seen, lead, at)
    run = (_ASCII_RUN if lead.dense else _TOKEN).match(seen.text, at)
    text = run.group().rstrip(_TRAILING) if run else ""
    if lead.text in ("=", "==") and (further := _PARAMETER.search(text)):
        text = text[: further.start()]
    if not text or text[0] in "<>" or (not lead.text and _ATTRIBUTE.fullmatch(text)):
        return None
    if text.lower().rstrip("!") in _listed("not_assigned" if lead.text in ASSIGNING else "not_values"):
        return None
    stop = at + len(text)
    if several and lead.text not in WEAK and text.isalpha() and run and len(run.group()) == len(text):
        stop = _several(seen, stop)
    return Value(at, stop, seen.text[at:stop], lead.text)


def later_value(seen: View, end: int) -> Value | None:
    """The secret that a sentence about it ends with, behind a colon."""
    match = _LATER.match(seen.text, end)
    if match is None:
        return None
    text = match[1].rstrip(_TRAILING)
    if _TICKET.fullmatch(text) or not (made_up(text) or (text.isdigit() and 4 <= len(text) <= 8)):
        return None
    return Value(match.start(1), match.start(1) + len(text), text, ":")


def digits_at(seen: View, end: int, *, several: bool) -> Value | None:
    """The four to eight digits that a PIN's or a code's word leads to; several: and the codes that follow."""
    lead = lead_at(seen, end)
    if lead is None:
        return None
    at = lead.at
    while at < len(seen.text) and seen.text[at] in "\"'(*":
        at += 1
    match = _DIGITS.match(seen.text, at)
    count = sum(c.isdigit() for c in match.group()) if match else 0
    if match is None and lead.text:
        match, count = _CODE.match(seen.text, at), 4
    if match is None or not 4 <= count <= 8:
        return None
    further = _MORE_CODES.match(seen.lower, match.end()) if several else None
    return Value(at, further.end() if further else match.end(), match.group(), lead.text)


def _quoted(seen: View, lead: Lead, closing: int) -> Value | None:
    inside = seen.text[lead.at + 1 : closing]
    if GAP in inside or placeholder(seen.text[lead.at : closing + 1]):
        return None
    if not lead.text and _ATTRIBUTE.fullmatch(inside):
        return None
    return Value(lead.at + 1, closing, inside, lead.text or "is")


def _dense(seen: View, lead: Lead, at: int) -> Value | None:
    run = _DENSE_RUN.match(seen.text, at)
    if run is None or lead.text in WEAK or run.group().startswith(tuple(_listed("not_values_dense"))):
        return None
    return Value(at, run.end(), run.group(), lead.text)


def _several(seen: View, stop: int) -> int:
    """Where a secret of several words ends."""
    for _ in range(11):
        following = _NEXT.match(seen.text, stop)
        word = following[1].lower() if following else ""
        if following is None or word in _listed("ends") or word in _listed("not_values"):
            break
        stop = following.end()
    return stop
