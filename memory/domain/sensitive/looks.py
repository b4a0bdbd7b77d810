"""Whether a token looks like a secret that was made, like one that was thought up, or like neither."""

from __future__ import annotations

import re
from collections import Counter
from math import log2

_UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]+", re.IGNORECASE)
_PLAIN_NUMBER = re.compile(r"[#~<>+-]?[\d.,:/%-]+(?:st|nd|rd|th|am|pm|[a-z]{1,3})?", re.IGNORECASE)
_PATH = re.compile(r"(?:https?://|www\.|\.{0,2}/|~/|[a-z]:\\).*|[\w.+-]+@[\w-]+\.[\w.]+", re.IGNORECASE)
# What a program or a manual has where the secret would stand.
_PLACEHOLDER = re.compile(
    r"""[*.•●xX#?_-]+ | <.* | \[.* | \{.* | \$.* | %.* | …+
      | [\w.]+\(.*                                     # a call: getpass(), env("PASSWORD")
      | (?:os|process|settings|config|self|env|secrets|vault|var|args|request|import\.meta)\..+
      | [a-z]\w*_(?:password|passwd|pwd|pass|secret|token|key|pin)\d?     # a variable
      | [a-z]\w*\[.*
      | (?:your|my|the|our|some|new|old|example)[-_](?:[^\W_]+[-_])*(?:password|pass|secret|key|token|pin)(?:[-_]?here)?
      | (?:null|none|nil|undefined|true|false|string|str|text|varchar|bytes?|int|integer|optional|required)[,;)]*
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT_OR_SIGN = re.compile(r"[\d!@#$%^&*+=~|\\<>{}\[\]]")
_GROUPED = re.compile(r"[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){3,}", re.IGNORECASE)


def placeholder(token: str) -> bool:
    """True for what only stands for a value: `<password>`, `${TOKEN}`, `***`, `os.environ[…]`, `null`."""
    return _PLACEHOLDER.fullmatch(token) is not None


def made_up(token: str) -> bool:
    """A token that no sentence holds by itself: letters with digits or signs among them (`tulip-Harbor-88`)."""
    if len(token) < 6 or placeholder(token) or _PATH.fullmatch(token) or _PLAIN_NUMBER.fullmatch(token):
        return False
    return bool(_LETTER.search(token) and _DIGIT_OR_SIGN.search(token.strip(".,;:!?()'\"-")))


def generated(token: str, *, shortest: int = 16, identifiers: bool = False) -> bool:
    """A token that a machine drew: long, letters and digits mixed, nearly nothing repeated.

    identifiers: also UUIDs and plain hexadecimal, which are commits and ids wherever nothing says that they
    are keys.
    """
    if len(token) < shortest or placeholder(token) or _PATH.fullmatch(token):
        return False
    if _UUID.fullmatch(token) or _HEX.fullmatch(token):
        return identifiers and not token.isdigit()
    bare = re.sub(r"[-_.+/=~:]", "", token)
    digits = sum(c.isdigit() for c in bare)
    if len(bare) < shortest * 3 // 4 or entropy(bare) < 2.8:
        return False
    if _GROUPED.fullmatch(token):
        return digits > 0
    longest = max(map(len, re.split(r"[-_.+/=~:]", token)))
    mixed = any(c.isupper() for c in bare) and any(c.islower() for c in bare)
    if digits == 0:  # only letters: a machine changes case where no word does
        return longest >= 20 and mixed and len(re.findall(r"(?<=[a-z])[A-Z]", bare)) >= len(bare) // 8
    if digits == len(bare):
        return False
    return longest >= 10 or (mixed and digits >= 2 and len(bare) >= 20)


def entropy(token: str) -> float:
    """Shannon entropy in bits per character."""
    counts = Counter(token)
    return -sum(n / len(token) * log2(n / len(token)) for n in counts.values())
