"""Bank accounts and wallets: IBAN, BIC, sort codes, account and routing numbers, seed phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from stdnum import bic, iban, numdb
from stdnum.us import rtn

from .data import any_of, phrases, table
from .types import SensitiveClass
from .view import View
from .words import Phrases

Raw = tuple[SensitiveClass, int, int, str]

_IBAN_START = re.compile(r"(?<![0-9A-Za-z])([A-Za-z]{2})[ ]?\d[ ]?\d")
_PART = re.compile(r"(\d+)!([nac])")
_OF = {"n": r"\d", "a": "[A-Za-z]", "c": "[0-9A-Za-z]"}
_BIC = re.compile(r"(?<![0-9A-Za-z])[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?![0-9A-Za-z])")
_LEAD = r"[\s:=#.(/-]{0,4}(?:(?:number|no|nr|nummer|is|ist|est|es|on|are)[\s:.#]{1,3}){0,2}"
_ACCOUNT = re.compile(_LEAD + r"(\d(?:[ -]?\d){6,17})(?!\d|[.,/]\d)")
_SORT = re.compile(_LEAD + r"(\d\d[ -]?\d\d[ -]?\d\d)(?!\d)")
_ROUTING = re.compile(_LEAD + r"(\d{9})(?!\d)")
_SEED_LEAD = re.compile(
    r"(?:\s(?:is|are|for|my|the|wallet|words?|phrase|ist|lautet|est|es|on)){0,4}\s{0,2}[:=-]?[\s\"'(]{0,3}"
)
_SEED_WORD = re.compile(r"(?:\d{1,2}[.):]?\s?)?([a-z]{3,8})(?![^\W\d_])[\s,;.]{0,3}")


@cache
def _announcing() -> Phrases[str]:
    data = table("payment")
    names = ("sort_code_words", "routing_words", "account_words", "bic_words", "seed_words")
    return Phrases((phrase, name) for name in names for phrase in phrases(data[name]))


@cache
def _bank_words() -> re.Pattern[str]:
    return any_of(table("payment")["bank_words"])


@cache
def _no_seed() -> frozenset[str]:
    return frozenset(phrases(table("payment")["no_seed"]))


def accounts(seen: View) -> Iterator[Raw]:
    """Every account, and every wallet's words."""
    for start, end, kind in (*_ibans(seen), *_announced(seen)):
        yield SensitiveClass.PAYMENT, start, end, kind


@cache
def _iban_of(country: str) -> re.Pattern[str] | None:
    """How this country writes its IBAN, with gaps anywhere."""
    found = numdb.get("iban").info(country)[0][1].get("bban")
    if not found:
        return None
    classes = [_OF[kind] for count, kind in _PART.findall(found) for _ in range(int(count))]
    gap = r"[ \t\n.-]{0,2}"
    return re.compile(rf"[A-Za-z]{{2}}[ ]?\d[ ]?\d{gap}" + gap.join(classes) + "(?![0-9A-Za-z])")


def _ibans(seen: View) -> Iterator[tuple[int, int, str]]:
    last = -1
    for match in _IBAN_START.finditer(seen.text):
        pattern = _iban_of(match[1].upper()) if match.start() >= last else None
        whole = pattern.match(seen.text, match.start()) if pattern else None
        if whole and iban.is_valid(re.sub(r"[^0-9A-Za-z]", "", whole.group()).upper(), check_country=False):
            last = whole.end()
            yield *whole.span(), "iban"


def _announced(seen: View) -> Iterator[tuple[int, int, str]]:
    lower = seen.lower
    seeds_to = -1
    for start, end, name in _announcing().places(seen.words):
        if name == "sort_code_words":
            if match := _SORT.match(lower, end):
                yield *match.span(1), "sort_code"
        elif name == "routing_words":
            if (match := _ROUTING.match(lower, end)) and rtn.is_valid(match[1]):
                yield *match.span(1), "routing_number"
        elif name == "account_words":
            match = _ACCOUNT.match(lower, end)
            if match and _bank_words().search(lower, max(0, start - 80), match.end() + 80):
                yield *match.span(1), "bank_account"
        elif name == "bic_words":
            for match in _BIC.finditer(seen.text, end, end + 30):
                if bic.is_valid(match.group()):
                    yield *match.span(), "bic"
        elif start >= seeds_to and (seeds := _seed(lower, end)):
            seeds_to = seeds[1]
            yield *seeds, "seed_phrase"


def _seed(lower: str, at: int) -> tuple[int, int] | None:
    lead = _SEED_LEAD.match(lower, at)
    start = end = at = lead.end() if lead else at
    count = 0
    while count < 24 and (match := _SEED_WORD.match(lower, at)) and match[1] not in _no_seed():
        count, at, end = count + 1, match.end(), match.end(1)
    return (start, end) if count >= 12 else None
