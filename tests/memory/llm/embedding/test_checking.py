"""What comes from an embedder is held to what was promised."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from memory.llm.embedding.checking import Nonsense, WrongLength, vectors

NAN, INF = float("nan"), float("inf")


def test_it_gives_float32_vectors_of_length_one() -> None:
    found = vectors([[3.0, 4.0], [0.0, -2.0]], count=2, dim=2)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.0, -1.0]])


@pytest.mark.parametrize(
    "rows",
    [
        [[NAN, 1.0]],
        [[INF, 1.0]],
        [[-INF, 0.0]],
        [[0.0, 0.0]],
        [[1e-30, 0.0]],
        [],
        [[1.0, 2.0], [1.0, 2.0]],
        [[]],
        [None],
        [[None, 1.0]],
        [["x", 1.0]],
        [1.0],
        ["AAAA"],
        [[[1.0, 2.0]]],
        [{"a": 1}],
    ],
)
def test_it_takes_nothing_that_is_no_vector(rows: Any) -> None:
    with pytest.raises(Nonsense):
        vectors(rows, count=1, dim=2)


def test_it_takes_no_vectors_of_different_lengths() -> None:
    with pytest.raises(Nonsense, match="different lengths"):
        vectors([[1.0, 2.0], [1.0, 2.0, 3.0]], count=2, dim=2)


@pytest.mark.parametrize("scale", [1e-9, 1e200, 1e300])
def test_it_takes_numbers_of_any_size(scale: float) -> None:
    np.testing.assert_allclose(vectors([[3 * scale, 4 * scale]], count=1, dim=2), [[0.6, 0.8]], rtol=1e-6)


def test_it_cuts_only_where_the_model_was_trained_for_it() -> None:
    row = [3.0, 4.0, 12.0]
    np.testing.assert_allclose(vectors([row], count=1, dim=2, least=2), [[0.6, 0.8]])
    for least in (None, 3):
        with pytest.raises(WrongLength, match="have 3 numbers, not 2"):
            vectors([row], count=1, dim=2, least=least)
    with pytest.raises(WrongLength):
        vectors([row], count=1, dim=4, least=2)
