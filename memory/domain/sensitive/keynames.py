"""Keys of facts that tell alone what their value is: whatever stands under `db_password` is one (see keys.yaml)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from .data import phrases, table, words
from .looks import generated, made_up, placeholder
from .types import SensitiveClass
from .view import key_words, plain

_ANY, _SOLID = 0, -1


@dataclass(frozen=True)
class _Rule:
    cls: SensitiveClass
    kind: str
    phrase: tuple[str, ...]
    needs: int
    """Digits that the value needs; 0 for any value, -1 for one that looks like a secret."""

    def says(self, names: list[str], tail: frozenset[str]) -> bool:
        length = len(self.phrase)
        for at in range(len(names) - length, -1, -1):
            if tuple(names[at : at + length]) == self.phrase:
                return all(word in tail for word in names[at + length :])
        return False


@cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(SensitiveClass(cls), kind, tuple(phrase.split()), needs)
        for cls, row in table("keys")["classes"].items()
        for kind, listed, needs in _rows(row)
        for phrase in phrases(listed)
    )


def _rows(row: dict[str, Any]) -> Iterator[tuple[str, str, int]]:
    for kind, listed in row.get("any", {}).items():
        yield kind, listed, _ANY
    for kind, listed in row.get("solid", {}).items():
        yield kind, listed, _SOLID
    for kind, counted in row.get("digits", {}).items():
        for digits, listed in counted.items():
            yield kind, listed, digits


@cache
def _unless() -> dict[SensitiveClass, frozenset[str]]:
    return {SensitiveClass(cls): words(row["unless"]) for cls, row in table("keys")["classes"].items()}


@cache
def _tail() -> frozenset[str]:
    return words(table("keys")["tail"])


def key_says(key: str, value: str) -> Iterator[tuple[SensitiveClass, str]]:
    """The classes, with a kind each, to which a value under this key belongs."""
    names = key_words(key).lower().split()
    tail = _tail()
    seen: set[SensitiveClass] = set()
    for rule in _rules():
        if rule.cls in seen or not rule.says(names, tail) or _unless()[rule.cls].intersection(names):
            continue
        if _fits(rule.needs, plain(value).strip()):
            seen.add(rule.cls)
            yield rule.cls, rule.kind


def _fits(needs: int, value: str) -> bool:
    if needs == _ANY:
        return bool(value)
    if needs == _SOLID:
        solid = len(value.split()) == 1 and not placeholder(value)
        return solid and (generated(value, shortest=12, identifiers=True) or (made_up(value) and len(value) >= 12))
    return sum(c.isdigit() for c in value) >= needs
