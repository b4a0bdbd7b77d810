"""Keys that are perhaps one, by their form or their meaning: proposed to the person as a merge, never merged silently.

`project.atlas.launch` beside `project.atlas.launch_date`, `atlas.project.launch_date`, `project.atlas.lunch_date`.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import regex

from .apart import apart
from .keys import is_usual

MOST_KEYS = 1_000  # those in use last
MOST_MERGES = 100
MOST_LETTERS = 16  # of a word that is looked at for slips
THE_SAME = 0.8  # cosine from which two keys mean the same, seen with all-MiniLM-L6-v2: shoe_size, foot.size
ALIKE = 0.5  # from here on they may, where they have a value in common: address.city, residence_town
MOST_ALIKE = 30  # more that differ by a letter are no slips: somebody counts with them

_SMALL = frozenset(["a", "an", "at", "by", "for", "in", "my", "of", "on", "s", "the", "to"])
# Words that a key may have or lack at its end, at its beginning, or anywhere, and mean the same.
_TAILS = frozenset(["date", "day", "detail", "details", "info", "main", "name", "number", "time", "value"])
_HEADS = frozenset(["company", "device", "organisation", "person", "personal", "profile", "project", "user"])
_FILLERS = frozenset(["actual", "current", "currently", "main", "preferred", "present", "primary", "usual"])
_LONG = {1: 6, 2: 9}  # from so many letters on a word may be misspelt by so many
_TIMES = regex.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day")


class Why(StrEnum):
    """What makes two keys look like one."""

    ORDER = "order"  # the same words in another order or with other separators
    NUMBER = "number"  # one in the singular, the other in the plural
    SPELLING = "spelling"  # a word differs by a letter or two
    PART = "part"  # one has a word more that adds nothing
    VALUE = "value"  # one has a word more, and they have a value in common
    MEANING = "meaning"  # other words for the same thing


@dataclass(frozen=True)
class KeyInUse:
    """A key with how many facts it has, their values as they are compared, and the entities they are about."""

    key: str
    facts: int
    values: frozenset[str]
    entities: frozenset[uuid.UUID] = frozenset()


@dataclass(frozen=True)
class Meant:
    """That two keys mean much the same; `cosine` of their words as an embedder sees them."""

    one: str
    other: str
    cosine: float


@dataclass(frozen=True)
class Merge:
    """That `alias` may be a spelling of `key`."""

    alias: str
    key: str
    why: Why


Pair = tuple[KeyInUse, KeyInUse, Why]


def near(keys: Sequence[KeyInUse], settled: Iterable[tuple[str, str]] = (), meant: Iterable[Meant] = ()) -> list[Merge]:
    """The merges to propose, for keys in use with the last used first; not those that a person has answered.

    Keys that are about different entities are never one. Of keys that are `meant` alike those are proposed that mean
    the same, and those that have a value in common; never two that the product itself tells apart (brother.name and
    sister.name), that words tell apart (son.school, daughter.school), or of which one has a word more (dog.birthday).
    """
    used = {each.key: each for each in keys[:MOST_KEYS]}
    answered = {frozenset(pair) for pair in settled}
    found: dict[frozenset[str], Merge] = {}
    for one, other, why in (*_pairs(list(used.values())), *_of_one_meaning(used, meant)):
        pair = frozenset({one.key, other.key})
        if len(pair) < 2 or pair in answered or pair in found or _about_two(one, other):
            continue
        if len(found) == MOST_MERGES:
            break
        kept, alias = sorted((one, other), key=lambda each: _worth(each, why), reverse=True)
        found[pair] = Merge(alias.key, kept.key, why)
    return list(found.values())


def _pairs(keys: Sequence[KeyInUse]) -> Iterator[Pair]:
    words = {each.key: _words(each.key) for each in keys}
    yield from _same(keys, lambda each: " ".join(sorted(words[each.key])), Why.ORDER)
    yield from _same(keys, lambda each: " ".join(sorted(map(_singular, words[each.key]))), Why.NUMBER)
    yield from _with_more(keys, words)
    yield from _misspelt(keys, words)


def _of_one_meaning(used: Mapping[str, KeyInUse], meant: Iterable[Meant]) -> Iterator[Pair]:
    for pair in sorted(meant, key=lambda pair: -pair.cosine):
        one, other = used.get(pair.one), used.get(pair.other)
        if one is None or other is None or (is_usual(one.key) and is_usual(other.key)):
            continue
        mine, theirs = set(_words(one.key)), set(_words(other.key))
        if mine <= theirs or theirs <= mine or apart(mine, theirs):
            continue
        if pair.cosine >= THE_SAME or (pair.cosine >= ALIKE and _telling(one.values & other.values)):
            yield one, other, Why.MEANING


def _same(keys: Sequence[KeyInUse], form: Callable[[KeyInUse], str], why: Why) -> Iterator[Pair]:
    groups: dict[str, list[KeyInUse]] = defaultdict(list)
    for each in keys:
        groups[form(each)].append(each)
    for group in groups.values():
        for other in group[1:]:
            yield group[0], other, why


def _with_more(keys: Sequence[KeyInUse], words: dict[str, list[str]]) -> Iterator[Pair]:
    """Pairs of which one has a word that the other lacks."""
    by_words: dict[frozenset[str], list[KeyInUse]] = defaultdict(list)
    for each in keys:
        by_words[frozenset(map(_singular, words[each.key]))].append(each)
    for each in keys:
        mine = [_singular(word) for word in words[each.key]]
        for at, word in enumerate(mine):
            rest = frozenset(mine) - {word}
            for other in by_words.get(rest, ()) if rest and len(mine) > 1 else ():
                last, first = at == len(mine) - 1, at == 0
                if (last and word in _TAILS) or (first and word in _HEADS) or word in _FILLERS:
                    yield each, other, Why.PART
                elif _telling(each.values & other.values) and _beside(each.key, other.key):
                    yield each, other, Why.VALUE


def _misspelt(keys: Sequence[KeyInUse], words: dict[str, list[str]]) -> Iterator[Pair]:
    """Pairs of which one long word differs by a letter, a very long one by two; no figures, no names of days."""
    groups: dict[tuple[object, ...], list[tuple[KeyInUse, str]]] = defaultdict(list)
    for each in keys:
        mine = words[each.key]
        for at, word in enumerate(mine):
            if _LONG[1] - 1 <= len(word) <= MOST_LETTERS and word.isalpha() and not _TIMES.fullmatch(word):
                rest = (*mine[:at], None, *mine[at + 1 :])
                for piece in _with_letters_out(word, 2 if len(word) >= _LONG[2] - 1 else 1):
                    groups[(rest, word[0], piece)].append((each, word))
    seen: set[tuple[str, str]] = set()
    for group in groups.values():
        for n, (one, word) in enumerate(group if len(group) <= MOST_ALIKE else []):
            for other, another in group[n + 1 :]:
                pair = (one.key, other.key)
                if pair not in seen and word != another:
                    seen.add(pair)
                    if _close(word, another):
                        yield one, other, Why.SPELLING


def _with_letters_out(word: str, most: int) -> set[str]:
    found = {word}
    for _ in range(most):
        found |= {each[:at] + each[at + 1 :] for each in found for at in range(1, len(each))}
    return found


def _close(one: str, other: str) -> bool:
    longest = max(len(one), len(other))
    allowed = 2 if longest >= _LONG[2] else 1 if longest >= _LONG[1] else 0
    return 0 < distance(one, other) <= allowed and _singular(one) != _singular(other)


def distance(one: str, other: str) -> int:
    """How many letters to put in, take out, change or swap with the next, to make one word of the other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]


def _words(key: str) -> list[str]:
    return [word for word in key.replace(".", "_").split("_") if word not in _SMALL] or [key]


def _singular(word: str) -> str:
    if not word.isascii() or len(word) < 4 or word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "xes", "sses")) else word[:-1]


def _about_two(one: KeyInUse, other: KeyInUse) -> bool:
    return bool(one.entities and other.entities and one.entities.isdisjoint(other.entities))


def _telling(values: frozenset[str]) -> bool:
    """Whether one value in common says something: "3" or "yes" does not."""
    return any(len(value) > 3 and not value.isdecimal() for value in values)


def _beside(one: str, other: str) -> bool:
    """Whether two keys are parts of the same thing."""
    return one.rpartition(".")[0] == other.rpartition(".")[0] != "" or one.startswith(f"{other}.")


def _worth(each: KeyInUse, why: Why) -> tuple[bool, int, int, int, str]:
    """Which of two to keep: a usual key; the one that says more, unless it is filling; the one with more facts."""
    words = set(_words(each.key))
    plain = 0 if words & _FILLERS else len(words)
    length = len(each.key) if why is Why.SPELLING else -len(each.key)  # more letters are left out than put in
    return is_usual(each.key), plain if why is Why.PART else 0, each.facts, length, each.key
