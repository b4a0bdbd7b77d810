"""Names as they are compared, and where they stand in a text: script, case, titles and legal forms aside."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
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
_DOTTED = regex.compile(r"\b(?:\p{L}\.){2,}")
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


@lru_cache(maxsize=1024)
def words(text: str) -> tuple[Word, ...]:
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
    return tuple(found)


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


def first_key(name_key: str) -> str:
    """What a text that has the name in it has for certain: its first word."""
    return name_key.partition(" ")[0]


def trace(name: str, name_key: str) -> str:
    """A piece of the folded name that stands in every text that names it, for finding such texts quickly."""
    kept = set(name_key.split())
    pieces = [word.folded for word in words(name) if word.key in kept]
    return max(pieces, key=len, default=name_key)


def is_everyday_word(name_key: str) -> bool:
    """Whether a name in small letters may as well be a word that has nothing to do with it."""
    return " " not in name_key and (len(name_key) <= 2 or name_key in _WORDS_TOO or name_key in FILLERS)


def firsts(text: str) -> set[str]:
    """The first words of all names that could stand in a text.

    A word counts without "'s" and usual endings of cases too; in scripts without spaces every piece of two to twelve
    characters does.
    """
    found: set[str] = set()
    before: Word | None = None
    for word in words(text):
        found.update(_forms(word))
        if word.dense:
            found.update(_pieces(word.key))
            if before is not None and before.dense:
                found.add(before.key + word.key)
        before = word
    return found


@dataclass(frozen=True)
class Spot:
    """A name in a text: the words from `first` to before `last`, in a run of dense script characters of it."""

    name_key: str
    first: tuple[int, int]
    last: tuple[int, int]
    capital: bool

    @property
    def length(self) -> int:
        return len(self.name_key)


def spots(text: str, by_first: Mapping[str, Collection[str]]) -> list[Spot]:
    """Where names stand in a text; `by_first` has the names by their first word."""
    found = []
    said = words(text)
    for at, word in enumerate(said):
        for form in _forms(word):
            for name in by_first.get(form, ()):
                length = _length(name, said, at)
                if length:
                    found.append(Spot(name, (at, 0), (at + length, 0), word.capital))
        for piece, start in _pieces(word.key).items() if word.dense else ():
            if piece in by_first.get(piece, ()):
                found.append(Spot(piece, (at, start), (at, start + len(piece)), True))
        if word.dense and at + 1 < len(said) and said[at + 1].dense:
            both = word.key + said[at + 1].key
            if both in by_first.get(both, ()):
                found.append(Spot(both, (at, 0), (at + 2, 0), True))
    return found


def _length(name: str, said: Sequence[Word], at: int) -> int:
    """How many words of the text from there on are the name; 0 where they are not."""
    for length in range(1, MAX_WORDS + 1):
        if at + length > len(said):
            return 0
        run = said[at : at + length]
        last = run[-1]
        head = [(word.key, word.dense) for word in run[:-1]]
        if any(_joined([*head, (form, last.dense)]) == name for form in _forms(last)):
            return length
        key = _joined([*head, (last.key, last.dense)])
        if not name.startswith(key):
            return 0
    return 0


def _keys(name: str) -> list[tuple[str, bool]]:
    return [(word.key, word.dense) for word in words(_undotted(name))]


def _undotted(name: str) -> str:
    """ "S.A." and "s.r.o." as one word each."""
    return _DOTTED.sub(lambda match: match.group().replace(".", "") + " ", name)


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


@lru_cache(maxsize=256)
def _pieces(run: str) -> dict[str, int]:
    """The pieces of a run without spaces that may be a name, each with where it stands first."""
    found: dict[str, int] = {}
    for start in range(len(run)):
        for end in range(start + 2, min(start + MAX_RUN, len(run)) + 1):
            found.setdefault(run[start:end], start)
    return found


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
