"""Whether a word of a value stands in a person's text: the same word, or another form of it."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from .lexicon import ENDINGS, NEGATIONS, NUMBERS

_ENGLISH = ("ing", "ings", "ed", "er", "ers", "ist", "ists", "ly", "y", "ies", "ied", "es", "s", "r", "d")
_FAR_ENDINGS = ("ssa", "ssä", "sta", "stä", "lla", "llä", "lta", "ltä", "lle", "ksi")
_NOT = "\u0000not"


def same_word(wanted: str, there: str) -> bool:
    """Whether `there` is `wanted` or a form of it. Both are folded words without digits."""
    wanted, there = key_word(wanted), key_word(there)
    if wanted == there:
        return True
    if _NOT in (wanted, there):
        return False
    short, long = sorted((_plain(wanted), _plain(there)), key=len)
    if short == long:
        return True
    if len(short) >= 4 and long.startswith(short) and long[len(short) :] in ENDINGS:  # a list: not "Annabel"
        return True
    return _same_english(short, long) or _same_stem(_plain(wanted), _plain(there))


def key_word(word: str) -> str:
    """All ways to deny are one word: "doesn't" and "no" say the same about what follows."""
    return _NOT if is_negation(word) else word


def is_negation(word: str) -> bool:
    return word in NEGATIONS or word.endswith("n't")


def root(word: str) -> str:
    """The beginning that all forms of a word share, for finding candidates quickly."""
    return _plain(word)[:3]


@lru_cache(maxsize=4096)
def _plain(word: str) -> str:
    """Without accents: models write `Plzen` where the person wrote `Plze\u0148`."""
    decomposed = unicodedata.normalize("NFD", word)
    return "".join(char for char in decomposed if unicodedata.category(char) != "Mn") or word


@lru_cache(maxsize=4096)
def _english_stems(word: str) -> frozenset[str]:
    found = {word}
    for ending in _ENGLISH:
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < 3:
            continue
        found.add(stem)
        found.add(stem + "e")
        found.add(stem + "y")
        if len(stem) > 3 and stem[-1] == stem[-2]:
            found.add(stem[:-1])
    return frozenset(found)


def _same_english(one: str, other: str) -> bool:
    """ "run" and "running", "bakes" and "baking", but not "Maria" and "Marie"."""
    if not (one.isascii() and other.isascii()):
        return False
    ours, theirs = _english_stems(one), _english_stems(other)
    if one in theirs or other in ours:
        return True
    return (
        any(len(stem) >= 4 for stem in ours & theirs if stem not in (one, other))
        and one[-1] in "gds"
        and (other[-1] in "gdsr")
    )


def _same_stem(wanted: str, there: str) -> bool:
    """ "Helsinki" in "Helsingiss\u00e4": the stem changes, but a case ending shows that it is the same word."""
    common = 0
    while common < min(len(wanted), len(there)) and wanted[common] == there[common]:
        common += 1
    far = tuple(_plain(ending) for ending in _FAR_ENDINGS)
    return common >= 5 and common >= 0.7 * len(wanted) and there.endswith(far)


def same_number(wanted: str, there: str) -> bool:
    """Numbers must be the same figure; how it is grouped or spelled out does not matter."""
    return not _figures(wanted).isdisjoint(_figures(there))


@lru_cache(maxsize=4096)
def _figures(written: str) -> frozenset[str]:
    text = NUMBERS.get(written, written)
    text = "".join(str(unicodedata.decimal(char, char)) for char in text)
    found = {text, text.replace(",", ".")}
    groups = text.replace(",", ".").split(".")
    if len(groups) > 1 and all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= 3:
        found.add("".join(groups))
    return frozenset(found)
