"""What stands between two spaces, taken apart: identifiers, figures, file names, addresses, compounds and words."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from importlib import resources

import regex
import Stemmer
import yaml

from .letters import pairs, plain, small
from .text import DENSE

LONGEST = 64  # characters of a term; a longer one is cut

_DATA: dict[str, str] = yaml.safe_load(
    resources.files("memory.domain").joinpath("terms.yaml").read_text(encoding="utf-8")
)
STOP = frozenset(_DATA["stop"].split())

_WORD = rf"[\p{{L}}\p{{M}}\p{{N}}--[{DENSE}]]"
_PIECE = regex.compile(
    rf"""
      (?<![\p{{L}}\p{{N}}])(?P<sign>[A-Za-z](?:\+\+|\#)(?!\p{{L}}) | \.(?:net|NET|Net)(?![\p{{L}}\p{{N}}]))
    | (?P<emoji>\p{{Regional_Indicator}}{{2}} | \p{{Extended_Pictographic}}(?:\u200d\p{{Extended_Pictographic}})*+)
    | (?P<dense>[{DENSE}](?:[{DENSE}]|\p{{M}})*+)
    | (?P<joined>{_WORD}++(?:[-_./@:,&'\u200d]{_WORD}++)*+)
    """,
    regex.V1 | regex.VERBOSE,
)
_GROUPED = regex.compile(r"(?<![\d.,'])(\d{1,3})(?:([.,'])(\d{3}))(?:\2(\d{3}))*+(?:[.,](\d+))?(?![\d]|[.,']\d)")
_DECIMAL_COMMA = regex.compile(r"(?<![\d.,])(\d++),(\d++)(?![.,]\d)")
_SENTENCES = regex.compile(r"(?<=\p{Ll})[.](?=\p{Lu}\p{Ll})")  # no space after a full stop
_APART = regex.compile(r"[,&]|(?<!\d):|:(?!\d\d(?!\d))")
_FIGURE = regex.compile(r"v?(\d++(?:[.:]\d++)*+)", regex.IGNORECASE)
_NAMED_FIGURE = regex.compile(
    r"(?:(?P<name>\p{L}{2,}+)(?P<figure>\d++(?:\.\d++)++)|(?P<figure>\d++(?:[.:]\d++)++)(?P<name>\p{L}++))"
)
_INITIALS = regex.compile(r"(?:\p{L}\.)+\p{L}")
_ORDINAL = regex.compile(r"(\d++)(?:st|nd|rd|th)", regex.IGNORECASE)
_TWO_KINDS = regex.compile(r"(?:(?P<number>\d++)(?P<unit>\p{L}++)|(?P<name>\p{L}++)(?P<count>\d++))")
_HUMPS = regex.compile(r"\p{Lu}++(?!\p{Ll})|\p{Lu}?\p{Ll}++|\p{N}++")
_CAMEL = regex.compile(r"\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}")
_LEVELS = ("/", "@", ".", "-_")
_SPLIT = [regex.compile(rf"[{regex.escape(level)}]") for level in _LEVELS]
_IRREGULAR = {"won't": "will", "shan't": "shall", "can't": "can"}
_MOST_SLASHED = 3


class _Stemmers(threading.local):
    """A stemmer may not be used by two threads at once."""

    def __init__(self) -> None:
        self.english = Stemmer.Stemmer("english")


_stemmers = _Stemmers()


def _english(word: str) -> str:
    return str(_stemmers.english.stemWord(word))


_FORMS = {
    _english(form): _english(word)
    for row in _DATA["forms"].splitlines()
    for word, *forms in [row.split()]
    for form in forms
}


def parts(chunk: str, *, alone: bool) -> Iterator[str]:
    """The terms of a text without spaces, not yet without small words, in time linear to its length.

    alone: as in `letters.pairs`.
    """
    for match in _PIECE.finditer(plain(chunk)):
        kind, piece = match.lastgroup, match.group()
        if kind == "joined":
            yield from _joined(piece.replace("\u200d", ""))
        elif kind == "dense":
            yield from pairs(piece, alone=alone)
        else:
            yield piece.lower()


def stem(word: str) -> str:
    """An English word without its ending, "went" as "go"; any other word as it is."""
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    found = _english(word)
    return _FORMS.get(found, found)


def _joined(piece: str) -> Iterator[str]:
    if piece.isalpha():
        yield from _word(piece)
        return
    if any(mark in piece for mark in ",.'") and any(map(str.isdigit, piece)):
        piece = _DECIMAL_COMMA.sub(r"\1.\2", _GROUPED.sub(_ungroup, piece))
    for sentence in _SENTENCES.split(piece):
        for one in _APART.split(sentence):
            yield from _level(one, 0)


def _ungroup(match: regex.Match[str]) -> str:
    whole = match[1] + "".join(match.captures(3)) + "".join(match.captures(4))
    return f"{whole}.{match[5]}" if match[5] else whole


def _level(piece: str, level: int) -> Iterator[str]:
    """An identifier whole, then its parts: by slash, by at sign, by point, by hyphen or underscore."""
    figure = _FIGURE.fullmatch(piece)
    if figure and ("." in piece or piece[0].isdigit()):
        yield from _figure(figure[1])
        return
    if named := _NAMED_FIGURE.fullmatch(piece):  # python3.11, 3.5kg, 10:30am
        yield from _word(named["name"])
        yield from _figure(named["figure"])
        return
    if level == len(_LEVELS):
        yield from _word(piece)
        return
    inner = [part for part in _SPLIT[level].split(piece) if part]
    if len(inner) < 2:
        yield from _level("".join(inner), level + 1)
        return
    if level == 2 and _INITIALS.fullmatch(piece):
        yield small(piece.replace(".", ""))[:LONGEST]
        return
    if whole := _whole(piece, inner, level):
        yield whole
    for part in inner:
        yield from _level(part, level + 1)


def _whole(piece: str, inner: list[str], level: int) -> str:
    """The term for all of it, where it names one thing: not of "and/or" or "well-known"."""
    if len(piece) > LONGEST:
        return ""
    digits = any(map(str.isdigit, piece))
    if level == 0:
        return small(piece) if digits and len(inner) <= _MOST_SLASHED and "." not in piece else ""
    if level < 3 or digits or "_" in piece:
        return small(piece)
    # "e-mail" is "email", "wi-fi" is "wifi".
    return stem(small("".join(inner))) if len(inner) == 2 and min(map(len, inner)) <= 2 else ""


def _figure(figure: str) -> Iterator[str]:
    """A figure; of a version such as 3.11.2 its beginning as well."""
    yield figure[:LONGEST]
    first = figure.split(".", 2)
    if len(first) == 3:
        yield ".".join(first[:2])[:LONGEST]


def _word(word: str) -> Iterator[str]:
    word = word.strip("'")
    if "'" in word:
        yield from _apostrophe(word)
    elif word.isalpha():
        yield stem(small(word)[:LONGEST])
        if _CAMEL.search(word):
            humps = [hump for hump in _HUMPS.findall(word) if len(hump) > 1]
            if len(humps) > 1 and sum(map(len, humps)) == len(word):
                yield from (stem(small(hump)) for hump in humps)
    elif ordinal := _ORDINAL.fullmatch(word):
        yield ordinal[1]
    elif word:
        yield small(word)[:LONGEST]
        two = _TWO_KINDS.fullmatch(word)
        if two and (two["unit"] or len(two["name"]) > 2 or len(two["count"]) > 1):
            yield from (stem(small(part)[:LONGEST]) for part in two.groups() if part)


def _apostrophe(word: str) -> Iterator[str]:
    """ "Melanie's" is "Melanie", "l'homme" is "homme", "don't" is "do", "O'Brien" is "obrien"."""
    first, *rest = word.split("'")
    lower = small(word)
    if lower in _IRREGULAR:
        yield _IRREGULAR[lower]
    elif lower.endswith("n't"):
        yield from _word(word[: -len("n't")])
    elif len(first) <= 2 and first.lower() != "i" and len(rest[0]) > 2:
        if first.lower() == "o":
            yield small("".join((first, *rest)))[:LONGEST]
        yield from _word("'".join(rest))
    else:
        yield from _word(first)
        yield from (term for part in rest if len(part) > 2 for term in _word(part))
