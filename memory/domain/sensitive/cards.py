"""Card numbers by issuer, length and Luhn's check, and what stands beside them: expiry and security code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from stdnum import luhn

from .data import any_of, phrases, table
from .types import SensitiveClass
from .view import View
from .words import Phrases

Raw = tuple[SensitiveClass, int, int, str]

_SEPARATOR = r"[ \t\n.\-_*/\u00b7\u2022\u30fc]{1,3}"
_RUN = re.compile(rf"(?<![0-9A-Za-z+])\d++(?:{_SEPARATOR}\d++)*+(?![0-9A-Za-z])")
_DIGITS = re.compile(r"\d+")
_EXPIRY = re.compile(r"(?<![\d/.-])(?:0[1-9]|1[0-2])\s?[/.-]\s?(?:20)?[2-4]\d(?![\d/-])")
_CODE = re.compile(
    r"(?:\s?(?:code|number|no|nr|nummer))?[\s:=#.(]{1,3}(?:(?:is|ist|est|on|es)\s)?(\d{3,4})(?![\d/.,]\d|[0-9a-z])"
)
_MIN, _MAX = 12, 19
_DOUBLED = bytes(sum(divmod(2 * (b - 48), 10)) if 48 <= b <= 57 else 0 for b in range(256))


@dataclass(frozen=True)
class _Issuer:
    name: str
    first: str
    last: str
    digits: frozenset[int]
    alone: frozenset[int]

    def issued(self, number: str) -> bool:
        return len(number) in self.digits and self.first <= number[: len(self.first)] <= self.last


@cache
def _issuers() -> dict[str, tuple[_Issuer, ...]]:
    """By first digit."""
    made = [
        _Issuer(row["name"], row["from"], row["to"], frozenset(row["digits"]), frozenset(row["alone"]))
        for row in table("payment")["issuers"]
    ]
    return {d: tuple(i for i in made if i.first[0] <= d <= i.last[0]) for d in "0123456789"}


@cache
def _shapes() -> dict[int, list[tuple[int, ...]]]:
    """By the first group's length, longest first."""
    made: dict[int, list[tuple[int, ...]]] = {}
    for shape in sorted((tuple(map(int, row.split())) for row in table("payment")["groups"]), key=len, reverse=True):
        made.setdefault(shape[0], []).append(shape)
    return made


@cache
def _words(name: str) -> re.Pattern[str]:
    return any_of(table("payment")[name])


@cache
def _code_words() -> Phrases[str]:
    return Phrases((phrase, "") for phrase in phrases(table("payment")["security_codes"]))


def cards(seen: View) -> Iterator[Raw]:
    """Cards with their expiry and security code; security codes that their own word announces."""
    lower = seen.lower
    last = -1
    for start, end in _numbers(seen):
        if start < last:
            continue
        last = end
        yield SensitiveClass.PAYMENT, start, end, "card"
        for at, stop in ((max(0, start - 40), start), (end, end + 48)):
            for match in _EXPIRY.finditer(seen.text, at, stop):
                yield SensitiveClass.PAYMENT, match.start(), match.end(), "card_expiry"
            for match in _words("card_near").finditer(lower, at, stop):
                if code := _CODE.match(lower, match.end()):
                    yield SensitiveClass.PAYMENT, *code.span(1), "card_security_code"
    for _, at, _ in _code_words().places(seen.words):
        if code := _CODE.match(lower, at):
            yield SensitiveClass.PAYMENT, *code.span(1), "card_security_code"


def _numbers(seen: View) -> Iterator[tuple[int, int]]:
    for run in _RUN.finditer(seen.text):
        if run.end() - run.start() < _MIN:
            continue
        groups = [match.span() for match in _DIGITS.finditer(seen.text, *run.span())]
        lengths = [end - start for start, end in groups]
        shaped = False
        for i, length in enumerate(lengths):
            for shape in _shapes().get(length, ()):
                end = groups[i + len(shape) - 1][1] if i + len(shape) <= len(groups) else 0
                if tuple(lengths[i : i + len(shape)]) == shape and _is_card(seen, groups[i][0], end, shape):
                    shaped = True
                    yield groups[i][0], end
        if not shaped and _MIN <= sum(lengths) <= _MAX and _is_card(seen, *run.span(), None):
            yield run.span()  # grouped in no way that cards are, but a card is spoken of


def _is_card(seen: View, start: int, end: int, shape: tuple[int, ...] | None) -> bool:
    number = re.sub(r"\D", "", seen.text[start:end])
    issuer = next((i for i in _issuers()[number[0]] if i.issued(number)), None)
    if issuer is None or not _may_pass(number) or not luhn.is_valid(number):
        return False
    around = seen.lower[max(0, start - 60) : start] + "\n" + seen.lower[end : end + 40]
    if _words("card_words").search(around):
        return True
    if shape is None or not any(len(number) in i.alone for i in _issuers()[number[0]] if i.issued(number)):
        return False
    if len(shape) > 1 or len(set(number)) <= 4:
        return True
    before = seen.lower[max(0, start - 40) : start]
    return not (before.rstrip().endswith("#") or _words("other_numbers").search(before))


def _may_pass(number: str) -> bool:
    """Luhn's sum, quickly: a page of four-digit groups asks ten thousand times."""
    digits = number.encode()
    every_other = digits[-2::-2]
    return (sum(digits[-1::-2]) - 48 * len(digits[-1::-2]) + sum(every_other.translate(_DOUBLED))) % 10 == 0
