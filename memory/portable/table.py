"""A profile's facts as CSV: a spreadsheet takes no cell of it for a formula."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import Any, BinaryIO

from memory.models import Fact, FactState, Profile
from memory.portable import held
from memory.portable.records import at

HEAD = (
    "key", "value", "category", "status", "holds", "space", "confidence", "importance", "source", "pinned", "said_at",
    "last_confirmed_at", "valid_from", "valid_to", "expires_at", "quote",
)  # fmt: skip
STATUS = {FactState.PENDING: "pending", FactState.REJECTED: "rejected"}
SHOWN = (FactState.CURRENT, FactState.PENDING, FactState.SUPERSEDED, FactState.RETRACTED, FactState.REJECTED)
# What begins a formula, also in full width; a tab or a line end before it is passed over by some programs.
FORMULA = tuple("=+-@\t\r\n\v\f|%＝＋－＠")


def write(out: BinaryIO, profile: Profile, *, made_at: Any) -> Counter[str]:
    """Write the facts, one a line, after a head. Call inside a scope that sees one moment of the profile."""
    count = 0
    text = io.TextIOWrapper(out, encoding="utf-8-sig", newline="", write_through=True)
    try:
        lines = csv.writer(text)
        lines.writerow(HEAD)
        for fact in held.facts(profile, *SHOWN):
            lines.writerow([safe(cell) for cell in _cells(fact)])
            count += 1
    finally:
        text.detach()
    return Counter({"fact": count})


def safe(cell: Any) -> str:
    """The cell as text that no spreadsheet calculates; the sign in front is the one that they hide."""
    text = "" if cell is None else str(cell)
    return f"'{text}" if text.lstrip(" \u00a0\u3000\ufeff").startswith(FORMULA) or text.startswith(FORMULA) else text


def _cells(fact: Fact) -> tuple[Any, ...]:
    state = FactState(fact.state)
    return (
        fact.key, fact.value, fact.category, STATUS.get(state, "approved"),
        "yes" if state is FactState.CURRENT else "no", fact.space.slug if fact.space else "",
        fact.confidence, fact.importance, fact.source_kind, "yes" if fact.pinned else "no", at(fact.said_at),
        at(fact.last_confirmed_at), at(fact.valid_from), at(fact.valid_to), at(fact.expires_at), fact.quote,
    )  # fmt: skip
