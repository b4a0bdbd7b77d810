"""What comes from an embedder, held to what was promised."""

from __future__ import annotations

from typing import Any

import numpy as np

# A vector whose every number is smaller than this points nowhere.
_LEAST = 1e-12


class Nonsense(ValueError):
    """What is wrong with it, in words that follow "It spoke nonsense: "."""


class WrongLength(Nonsense):
    """All vectors are of one length, but of another than was asked for."""

    def __init__(self, length: int, wanted: int) -> None:
        super().__init__(f"its vectors have {length} numbers, not {wanted}")
        self.length = length
        self.wanted = wanted


def vectors(rows: Any, *, count: int, dim: int | None, least: int | None = None) -> np.ndarray:
    """The rows as float32[count, dim], each of length 1. Raises Nonsense.

    dim: None takes what comes. least: a longer vector may be cut to `dim` numbers if that is at least so many
    (Matryoshka representation learning: Kusupati and others, 2022).
    """
    if len(rows) != count:
        raise Nonsense(f"{len(rows)} vectors for {count} texts")
    found = _matrix(rows)
    length = found.shape[1]
    if dim is not None and length != dim:
        if least is None or not least <= dim < length:
            raise WrongLength(length, dim)
        found = found[:, :dim]
    if not np.isfinite(found).all():
        raise Nonsense("a vector with something that is no number")
    largest = np.abs(found).max(axis=1, keepdims=True)
    if (largest < _LEAST).any():
        raise Nonsense("a vector of zeros")
    # First by the largest, whose square might be too large for any number.
    found = found / largest
    return np.ascontiguousarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


def any_of_length(rows: Any, dim: int | None) -> bool:
    """Whether at least one of them is a list of so many."""
    return any(isinstance(row, list) and len(row) == dim for row in rows)


def _matrix(rows: Any) -> np.ndarray:
    """float64[n, d]: a number too large for 32 bits is still one."""
    try:
        found = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise Nonsense("vectors of different lengths, or none at all") from None
    if found.ndim != 2 or found.shape[1] == 0:
        raise Nonsense("vectors of different lengths, or none at all")
    return found
