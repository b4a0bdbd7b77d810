"""One entry of a model's reply: a proposal (or several), or the reason why it is neither."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeVar

import regex

from .confidence import read_confidence
from .keys import canonical
from .salvage import Broken
from .text import clean, one_line
from .types import Cardinality, Category, Dropped, Op, Proposal, Scope, Stance

MAX_VALUE = 1000
MAX_QUOTE = 1000

_E = TypeVar("_E", bound=StrEnum)
_EMPTY = frozenset(
    {"none", "null", "nil", "nan", "n/a", "na", "undefined", "unknown", "not specified", "unspecified", "not mentioned",
     "true", "false", "[]", "{}", "-", "?", "..."}
)  # fmt: skip
_SAYS_SOMETHING = regex.compile(r"[\p{L}\p{N}\p{So}]")
_CODE = regex.compile(r"""\[\s*['"{\[].*\]|\{\s*['"].*\}""", regex.DOTALL)
_THOUGHT_TAG = regex.compile(r"</?\s*think(?:ing)?\s*>", regex.IGNORECASE)
_DATE = regex.compile(r"\d{4}(?:-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}[\d:.Z+-]*)?)?)?")
_OPS = {
    "set": Op.SET, "update": Op.SET, "replace": Op.SET, "upsert": Op.SET, "change": Op.SET, "confirm": Op.SET,
    "add": Op.ADD, "append": Op.ADD, "insert": Op.ADD, "create": Op.ADD,
    "retract": Op.RETRACT, "delete": Op.RETRACT, "remove": Op.RETRACT, "close": Op.RETRACT, "forget": Op.RETRACT,
}  # fmt: skip
_NO_OPS = frozenset({"none", "noop", "no_op", "ignore", "skip", "keep"})


def read_entry(entry: Any, number: int, aliases: Mapping[str, str] | None) -> Iterator[Proposal | Dropped]:
    """What one entry of the list amounts to. `number` (from 1) names it in the reasons.

    The reasons never repeat a value: what a person may not want kept must not survive in a note about it.
    """
    where = f"entry {number}"
    if not isinstance(entry, dict):
        yield Dropped("malformed", f"{where}: {_kind(entry)} instead of an object")
        return
    if "value" not in entry:
        yield Dropped("malformed", f"{where}: no value in it")
        return
    key = _key(entry.get("key"), aliases)
    if key == "":
        yield Dropped("bad_key", f"{where}: nothing sensible in its key")
        return
    if _word(entry.get("op")) in _NO_OPS:
        yield Dropped("no_change", f"{where}: the model itself calls it no change")
        return
    where = f"{where} ({key})" if key else where
    proposal = _frame(entry, key)
    value = entry["value"]
    if isinstance(value, list) and value:
        proposal = replace(proposal, cardinality=Cardinality.MANY)
    for one in value if isinstance(value, list) and value else [value]:
        text = read_value(one)
        yield (
            replace(proposal, value=text) if isinstance(text, str) else replace(text, detail=f"{where}: {text.detail}")
        )


def read_value(raw: Any) -> str | Dropped:
    """The value as a text of one fact, or why it is none. Numbers are written as a person writes them."""
    if isinstance(raw, str):
        text: str = _THOUGHT_TAG.sub("", clean(raw)).strip()
        if not _SAYS_SOMETHING.search(text) or text.casefold() in _EMPTY:
            return Dropped("no_value", "its value is empty")
        if len(text) > MAX_VALUE:
            return Dropped("too_long", f"its value has {len(text):,} characters, {MAX_VALUE:,} are allowed")
        if _CODE.fullmatch(text):
            return Dropped("bad_value", "its value is a piece of code, not a text")
        return text
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not math.isfinite(raw):
        empty = raw is None or raw == []
        return Dropped("no_value" if empty else "bad_value", f"its value is {_kind(raw)}")
    return _written(raw)


def _written(number: int | float) -> str:
    if isinstance(number, int) or (number.is_integer() and abs(number) < 1e15):
        return str(int(number))
    exact = Decimal(repr(number))
    return f"{exact:f}" if abs(exact.adjusted()) < 20 else repr(number)


def _frame(entry: dict[str, Any], key: str | None) -> Proposal:
    """Everything but the value, each part read on its own: one odd part does not lose the entry."""
    confidence, note = read_confidence(entry.get("confidence"))
    importance, _ = read_confidence(entry.get("importance"))
    stance = entry.get("stance")
    return Proposal(
        value="",
        key=key,
        confidence=confidence,
        confidence_note=note,
        category=_member(Category, entry.get("category")),
        # A reach that cannot be read is the narrower one.
        scope=Scope.PROFILE if entry.get("scope") is None else _member(Scope, entry["scope"]) or Scope.SPACE,
        importance=importance,
        cardinality=_member(Cardinality, entry.get("cardinality")),
        op=_OPS.get(_word(entry.get("op")), Op.SET),
        # A stance that cannot be read must not make a fact current.
        stance=Stance.ASSERTED if stance is None else _member(Stance, stance) or Stance.HYPOTHETICAL,
        quote=_quote(entry.get("quote")),
        valid_from=_date(entry.get("valid_from")),
    )


def _key(raw: Any, aliases: Mapping[str, str] | None) -> str | None:
    """The canonical key; None for a narrative fact, "" where the key is of no use."""
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return None
    return (canonical(clean(raw), aliases) or "") if isinstance(raw, str) else ""


def _word(raw: Any) -> str:
    return "_".join(one_line(raw).casefold().replace("-", " ").split()) if isinstance(raw, str) else ""


def _member(kind: type[_E], raw: Any) -> _E | None:
    word = _word(raw)
    return kind(word) if word in tuple(kind) else None


def _quote(raw: Any) -> str | None:
    text = clean(raw).strip() if isinstance(raw, str) else ""
    return text[:MAX_QUOTE] or None  # the beginning of a verbatim quote is verbatim too


def _date(raw: Any) -> str | None:
    text = raw.strip() if isinstance(raw, str) else ""
    return text if len(text) <= 40 and _DATE.fullmatch(text) else None


def _kind(raw: Any) -> str:
    if isinstance(raw, Broken):
        return "something unreadable"
    if raw is None:
        return "null"
    if isinstance(raw, bool):
        return "true or false"
    if isinstance(raw, int | float):
        return "a number"
    if isinstance(raw, str):
        return "a bare text"
    return "a list" if isinstance(raw, list) else "an object"
