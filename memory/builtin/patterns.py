"""The patterns of the deterministic extractor, read once from `patterns.yaml` and compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import regex
import yaml

from memory.domain.types import Cardinality, Category, Op

FILE = Path(__file__).with_name("patterns.yaml")

_MACRO = regex.compile(r"\{(?:(?P<group>[a-z_]+):)?(?P<macro>[a-z_]+)\}")


@dataclass(frozen=True)
class Pattern:
    """One kind of statement. `cased` reads text with capitals, `plain` text that has none (None = not read)."""

    id: str
    at: str
    cased: regex.Pattern[str]
    plain: regex.Pattern[str] | None
    key: str
    value: str
    category: Category
    cardinality: Cardinality
    confidence: float
    op: Op
    several: bool
    bare: bool
    examples: tuple[tuple[str, str, str], ...]
    near_misses: tuple[str, ...]


@dataclass(frozen=True)
class Patterns:
    """The whole data file: the patterns by where they may stand, the tables they use, and the word lists."""

    by_place: Mapping[str, tuple[Pattern, ...]]
    tables: Mapping[str, Mapping[str, str]]
    rules: Mapping[str, regex.Pattern[str]]
    words: Mapping[str, frozenset[str]]

    @property
    def all(self) -> tuple[Pattern, ...]:
        return tuple(pattern for group in self.by_place.values() for pattern in group)


@cache
def load() -> Patterns:
    """The patterns, compiled on first use and kept."""
    data = yaml.load(FILE.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    tables = {name: _table(rows) for name, rows in data["tables"].items()}
    macros = dict(data["macros"])
    macros |= {name: _alternation(table) for name, table in tables.items()}
    macros |= {name: _alternation(words.split()) for name, words in data["words"].items()}
    cased, plain = macros | data["cased"], macros | data["plain"]
    by_place: dict[str, list[Pattern]] = {}
    for entry in data["patterns"]:
        pattern = _pattern(entry, cased, plain)
        by_place.setdefault(pattern.at, []).append(pattern)
    return Patterns(
        by_place={place: tuple(found) for place, found in by_place.items()},
        tables=tables,
        rules={name: _compile(source, cased) for name, source in data["rules"].items()},
        words={name: frozenset(words.split()) for name, words in data["words"].items()},
    )


def _pattern(entry: Mapping[str, Any], cased: Mapping[str, str], plain: Mapping[str, str]) -> Pattern:
    source = entry["pattern"]
    return Pattern(
        id=entry["id"],
        at=entry["at"],
        cased=_compile(source, cased),
        plain=_compile(source, plain) if entry.get("plain", True) else None,
        key=entry["key"],
        value=str(entry.get("value", "{value}")),
        category=Category(entry["category"]),
        cardinality=Cardinality(entry.get("cardinality", "one")),
        confidence=float(entry["confidence"]),
        op=Op(entry.get("op", "add" if entry.get("cardinality") == "many" else "set")),
        several=bool(entry.get("several", False)),
        bare=entry.get("form") == "bare",
        examples=tuple((str(t), str(k), str(v)) for t, k, v in entry["examples"]),
        near_misses=tuple(entry.get("near_misses", ())),
    )


def _compile(source: str, macros: Mapping[str, str]) -> regex.Pattern[str]:
    """Compile one line of the data file: a space stands for white space (" ?": or none), {word} for a macro."""
    for _ in range(6):
        expanded = _MACRO.sub(lambda found: _expand(found, macros), source)
        if expanded == source:
            break
        source = expanded
    source = regex.sub(r"\n *", "", source.strip())
    source = regex.sub(r" +\?", r"\\s*", source)
    source = regex.sub(r" +", r"\\s+", source)
    return regex.compile(source, regex.IGNORECASE | regex.VERSION0)


def _expand(found: regex.Match[str], macros: Mapping[str, str]) -> str:
    body = macros[found["macro"]].strip()
    return f"(?P<{found['group']}>{body})" if found["group"] else f"(?:{body})"


def _table(rows: Mapping[str, str]) -> dict[str, str]:
    """`{dog: "dog puppy"}` as written, turned round to `{"dog": "dog", "puppy": "dog"}`."""
    return {word.replace("_", " "): name for name, words in rows.items() for word in str(words).split()}


def _alternation(words: Any) -> str:
    longest_first = sorted((word.replace("_", " ") for word in words), key=lambda word: (-len(word), word))
    return "|".join(regex.escape(word, special_only=True, literal_spaces=True) for word in longest_first)
