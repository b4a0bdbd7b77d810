"""Names as they are compared, and where they stand in a text: script, case, titles and legal forms aside."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import regex
import yaml

from .lexicon import ENDINGS, FILLERS
from .text import DENSE, fold

MAX_WORDS = 5  # of a name that is looked for in a text
MAX_RUN = 12  # characters of a name in a script without spaces
MAX_TEXT = 1_000  # characters of a text in which names are looked for

_WORD = regex.compile(
    rf"(?P<dense>[{DENSE}]+)|(?P<word>[\p{{L}}\p{{M}}\p{{N}}--[{DENSE}]]+(?:['&.][\p{{L}}\p{{M}}\p{{N}}--[{DENSE}]]+)*)",
    regex.V1,
)
_POSSESSIVE = regex.compile(r"'s?$")
_DATA = yaml.safe_load(resources.files(__package__).joinpath("names.yaml").read_text(encoding="utf-8"))
_TITLES = frozenset(_DATA["titles"].split())
_LEGAL = frozenset(_DATA["legal_forms"].split())
_LEGAL_FIRST = frozenset(_DATA["legal_forms_first"].split())
_WORDS_TOO = frozenset(_DATA["words_too"].split())
_LEGAL_DENSE = tuple(_DATA["legal_forms_dense"].split())


@dataclass(frozen=True)
class Word:
    """One word of a text, folded. `key` is how it is compared; `capital`: it is not all small letters."""

    folded: str
    key: str
    dense: bool
    start: int
    end: int
    capital: bool


@dataclass(frozen=True)
class Spot:
    """Where something that may be a name stands, in the original text."""

    start: int
    end: int
    capital: bool


def words(text: str) -> list[Word]:
    """The words of a text in any script, a run of a script without spaces as one."""
    text = text[:MAX_TEXT]
    folded = fold(text)
    found = []
    for match in _WORD.finditer(folded.text):
        start, last = folded.at[match.start()], folded.at[match.end() - 1]
        key = _bare(match.group())
        if key:
            small = text[start : last + 1].islower()
            found.append(Word(match.group(), key, match.lastgroup == "dense", start, last + 1, not small))
    return found


def name_key(name: str, *, organisation: bool = False) -> str:
    """How a name is compared: "ACME Inc." and "Acme GmbH" are one organisation, "Dr. Lee" is "Lee".

    Empty where there is nothing in it that could be called by.
    """
    keys = _keys(name)
    if organisation:
        keys = _without_legal_form(keys)
    elif len(keys) > 1 and keys[0][0] in _TITLES:
        keys = keys[1:]
    return _joined(keys)


def given_key(name: str) -> str:
    """The first name of a person with several, as it is compared; else empty."""
    keys = _keys(name)
    if keys and keys[0][0] in _TITLES:
        keys = keys[1:]
    return keys[0][0] if len(keys) > 1 and not keys[0][1] and len(keys[0][0]) > 1 else ""


def trace(name: str, name_key: str) -> str:
    """A piece of the folded name that stands in every text that names it, for finding such texts quickly."""
    kept = set(name_key.split())
    pieces = [word.folded for word in words(name) if word.key in kept]
    return max(pieces, key=len, default=name_key)


def is_everyday_word(name_key: str) -> bool:
    """Whether a name in small letters may as well be a word that has nothing to do with it."""
    return " " not in name_key and (len(name_key) <= 2 or name_key in _WORDS_TOO or name_key in FILLERS)


def spots(text: str) -> dict[str, list[Spot]]:
    """Everything in a text that a name could be, as it is compared, with where it stands.

    Up to five words on end, the last also without "'s" and usual endings of cases; in scripts without spaces every
    piece of two to twelve characters.
    """
    found: dict[str, list[Spot]] = {}
    ws = words(text)
    for first, word in enumerate(ws):
        for last in range(first, min(first + MAX_WORDS, len(ws))):
            run = ws[first : last + 1]
            spot = Spot(word.start, ws[last].end, word.capital)
            head = [(w.key, w.dense) for w in run[:-1]]
            for key in _forms(run[-1]):
                found.setdefault(_joined([*head, (key, run[-1].dense)]), []).append(spot)
        if word.dense:
            for piece, start, end in _pieces(word):
                found.setdefault(piece, []).append(Spot(start, end, True))
    return found


def _keys(name: str) -> list[tuple[str, bool]]:
    return [(word.key, word.dense) for word in words(_undotted(name))]


def _undotted(name: str) -> str:
    """ "S.A." and "s.r.o." as one word each."""
    return regex.sub(r"\b(?:\p{L}\.){2,}", lambda match: match.group().replace(".", "") + " ", name)


def _without_legal_form(keys: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    while len(keys) > 1 and keys[-1][0] in _LEGAL:
        keys = keys[:-1]
    while len(keys) > 1 and keys[0][0] in _LEGAL_FIRST:
        keys = keys[1:]
    bare = []
    for key, dense in keys:
        for form in _LEGAL_DENSE if dense else ():
            key = key.removeprefix(form).removesuffix(form) or key
        bare.append((key, dense))
    rest = [(key, dense) for key, dense in bare if key not in _LEGAL_DENSE]
    return rest or bare


def _joined(keys: list[tuple[str, bool]]) -> str:
    """Words parted by a space; scripts without spaces have none between them."""
    out = ""
    before = True
    for key, dense in keys:
        out += key if not out or (dense and before) else f" {key}"
        before = dense
    return out


def _pieces(word: Word) -> Iterator[tuple[str, int, int]]:
    if word.end - word.start != len(word.key):
        return  # folding changed its length: pieces would have no place
    for start in range(len(word.key)):
        for end in range(start + 2, min(start + MAX_RUN, len(word.key)) + 1):
            yield word.key[start:end], word.start + start, word.start + end


def _forms(word: Word) -> Iterator[str]:
    """The word, and what it may be a form of: "Acme's" and "Annas" of "Acme" and "Anna"."""
    yield word.key
    if word.dense:
        return
    plain = _POSSESSIVE.sub("", word.key)
    if plain and plain != word.key:
        yield plain
    for ending in ENDINGS:
        if word.capital and word.key.endswith(ending) and len(word.key) - len(ending) >= 3:
            yield word.key[: -len(ending)]


@lru_cache(maxsize=4096)
def _bare(folded: str) -> str:
    """Latin letters without their accents; in other scripts marks tell letters apart. No dots."""
    decomposed = unicodedata.normalize("NFD", folded.replace(".", ""))
    out, latin = [], False
    for char in decomposed:
        if unicodedata.category(char) == "Mn":
            if not latin:
                out.append(char)
        else:
            latin = char.isascii() or "LATIN" in unicodedata.name(char, "")
            out.append(char)
    return unicodedata.normalize("NFC", "".join(out))
