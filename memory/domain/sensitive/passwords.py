"""What stands behind a word such as password, PIN, Passwort, пароль, パスワード or "api key" (see passwords.yaml)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import product

from .data import phrases, table
from .looks import generated, made_up, placeholder
from .types import SensitiveClass
from .values import Value, digits_at, later_value, value_at
from .view import View
from .words import DENSE, Phrases

Raw = tuple[SensitiveClass, int, int, str]

PASSWORD, SHORT, PIN, STRONG, WEAK, LOGIN = "password", "short", "pin", "strong_key", "key", "login"
_NAMES = {PASSWORD: "password", SHORT: "password", PIN: "pin", STRONG: "secret_key", WEAK: "secret_key"}

# A word ends here, or goes on for an ending: not "passwordless".
_ENDING = re.compile(r"[^\W\d_]{0,3}(?![^\W\d_])")
_LATIN = re.compile(r"[a-z'\u00df-\u024f\u0370-\u052f]")
# "Use tulip88 as the wifi password": what stands before the word.
_BEFORE = re.compile(
    r"(?:^|[\s\"'(:,])([^\s\"',]{4,64})[\"']?,?\s(?:is|as|was)\s(?:(?:my|the|our|your|his|her|their|a)\s)?(?:\w{1,20}\s){0,2}$"
)
_IN_TEST = re.compile(r"(?<![a-z0-9_])test_[a-z0-9_]*$")
_USER_NEAR = re.compile(r"\b(?:user|username|login|account|email|konto|benutzer|usuario|utilisateur)\b")
_NETWORK = re.compile(r"\b(?:wi-?fi|wlan|wpa2?|router|network|netz|netzwerk|reseau)\b")
_KEY = re.compile(r"[\w.+/=~:!@#$%^&*-]+")
_POSTCODE = re.compile(r"[1-8]\d{5}")
_POSTAL = re.compile(
    r"\b(?:address|postal|post|city|area|street|road|district|state|india|delhi|mumbai|bengaluru|bangalore|chennai"
    r"|kolkata|hyderabad|pune|kerala|gujarat)\b"
)
_LOGIN = re.compile(r"\s{0,2}(?:[:=]|is|are|sind|sont|ovat)\s{0,2}([^\s/:,]{2,60})\s?[/:]\s?([^\s,;]{4,100})")


@cache
def tables() -> Phrases[str]:
    """passwords.yaml, ready to match: the words for passwords may be a part of a longer one."""
    data = table("passwords")
    whole = [(f"{what} {how} {place}", PIN) for what, how, place in product(*map(phrases, data["places"].values()))]
    whole += [
        (phrase, family) for family in (SHORT, PIN) for listed in data[family].values() for phrase in phrases(listed)
    ]
    for family, listed in ((STRONG, data["key"]["strong"]), (WEAK, data["key"]["weak"]), (LOGIN, data["login"])):
        whole += [(phrase, family) for phrase in phrases(listed)]
    parts = [(phrase, PASSWORD) for listed in data[PASSWORD].values() for phrase in phrases(listed)]
    return Phrases(whole, inside=parts)


def announced(seen: View) -> Iterator[Raw]:
    """Every value that such a word announces, or that is said to be one ("tulip88 is my password")."""
    covered = (0, 0)
    for start, end, family in _announcements(seen):
        if covered[0] <= start < covered[1]:
            continue  # inside a value that was found just before
        found = _behind(seen, start, end, family) or _before(seen, start, family)
        if found:
            covered = (start, found.end)
            yield SensitiveClass.CREDENTIAL, found.start, found.end, _NAMES.get(family, "password")


def _announcements(seen: View) -> Iterator[tuple[int, int, str]]:
    for start, end, family in tables().places(seen.words):
        if _IN_TEST.search(seen.lower, max(0, start - 60), start):
            continue  # a test's name: `test_login_with_short_password`
        if family == PASSWORD and _LATIN.match(seen.lower, end - 1):
            ending = _ENDING.match(seen.lower, end)
            if ending:
                yield start, ending.end(), family
        else:
            yield start, end, family


def _behind(seen: View, start: int, end: int, family: str) -> Value | None:
    if family == LOGIN:
        return _login(seen, end)
    plural = seen.lower[start:end].endswith("codes")
    if family == PIN:
        value = digits_at(seen, end, several=plural)
        if value and _POSTCODE.fullmatch(value.text) and "code" in seen.lower[start:end]:
            return None if _POSTAL.search(seen.lower[max(0, start - 80) : value.end + 80]) else value
        return value or later_value(seen, end)
    value = value_at(seen, end, several=family == PASSWORD)
    if value and not placeholder(value.text) and _believable(seen, value, family, start, end):
        return value
    return later_value(seen, end) if family == PASSWORD else None


def _login(seen: View, end: int) -> Value | None:
    match = _LOGIN.match(seen.text, end)
    if match is None or placeholder(match[2]) or not (made_up(match[2]) or made_up(match[1] + match[2])):
        return None
    return Value(match.start(2), match.end(2), match[2], ":")


def _believable(seen: View, value: Value, family: str, start: int, end: int) -> bool:
    text = value.text
    if family in (STRONG, WEAK):
        return _believable_key(seen, value, family, start, end)
    if made_up(text):
        return True
    if family == SHORT:
        near = _USER_NEAR.search(seen.lower[max(0, start - 60) : start])
        return value.assigned and near is not None and len(text) >= 4
    if text.isdigit():
        return len(text) >= 4
    return value.promised and len(text) >= (1 if DENSE.search(text) else 3) and any(c.isalnum() for c in text)


def _believable_key(seen: View, value: Value, family: str, start: int, end: int) -> bool:
    text = value.text
    named = seen.lower[start:end]
    network = family == STRONG or _NETWORK.search(seen.lower[max(0, start - 60) : start])
    if not _KEY.fullmatch(text):
        return False
    if text.isdigit():
        return len(text) >= 16 and bool(network)
    if family == STRONG:
        return generated(text, identifiers=True) or (value.promised and len(text) >= 8 and made_up(text))
    return generated(text, identifiers="key" not in named and value.promised)


def _before(seen: View, start: int, family: str) -> Value | None:
    if family in (LOGIN, WEAK):
        return None
    before = seen.text[max(0, start - 110) : start]
    if not any(word in before[-50:] for word in (" is ", " as ", " was ")):
        return None
    match = _BEFORE.search(before)
    if match is None:
        return None
    text, offset = match[1], max(0, start - 110)
    fits = generated(text, identifiers=True) if family == STRONG else made_up(text)
    if not fits and not (family in (PIN, PASSWORD) and text.isdigit() and 4 <= len(text) <= 8):
        return None
    return Value(offset + match.start(1), offset + match.end(1), text, "is")
