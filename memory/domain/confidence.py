"""A number between 0 and 1 from whatever a model calls its confidence, or None and a note on what was there."""

from __future__ import annotations

import math

import regex

_WRITTEN = regex.compile(r"\s*(\d{1,12}(?:[.,]\d{1,20})?|[.,]\d{1,20})\s*(%?)\s*")


def read_confidence(raw: object) -> tuple[float | None, str]:
    """(confidence in 0..1, "") or (None, note).

    Nothing that is not plainly a number counts: a missing or odd confidence is unknown, never a high one.
    Numbers from 2 to 100 are percent; between 1 and 2 they are neither a share nor a percentage.
    """
    if raw is None:
        return None, "no confidence was given"
    if isinstance(raw, bool):
        return None, "the confidence was true or false"
    if isinstance(raw, str):
        written = _WRITTEN.fullmatch(raw[:64])
        if written is None:
            return None, "the confidence was a word, not a number"
        number = float(written[1].replace(",", "."))
        return _in_range(number if not written[2] else number / 100 if number <= 100 else math.inf)
    if isinstance(raw, int | float):
        return _in_range(float(raw) if abs(raw) < 1e15 else math.inf)
    return None, "the confidence was not a number"


def _in_range(number: float) -> tuple[float | None, str]:
    if not math.isfinite(number):
        return None, "the confidence was not a finite number"
    if 0 <= number <= 1:
        return number, ""
    if 2 <= number <= 100:
        return number / 100, ""
    return None, "the confidence was outside 0 to 1"
