import math

import pytest

from memory.domain.confidence import read_confidence


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (0.9, 0.9),
        ("0.9", 0.9),
        (95, 0.95),
        ("95%", 0.95),
        ("95 %", 0.95),
        ("0,85", 0.85),
        (1, 1.0),
        (0, 0.0),
        ("100%", 1.0),
    ],
)
def test_it_reads_every_spelling_of_a_number(raw, expected):
    assert read_confidence(raw) == (pytest.approx(expected), "")


@pytest.mark.parametrize(
    "raw",
    [None, "high", "", math.nan, math.inf, -math.inf, True, False, -0.4, 101, "950%", 1.5, 10**400, "1" * 5000, [0.9],
     {"value": 0.9}, "0.9 or so", "NaN", "Infinity", "-0.5", "1e5"],
)  # fmt: skip
def test_it_takes_nothing_else_for_a_confidence_and_says_so(raw):
    confidence, note = read_confidence(raw)
    assert confidence is None
    assert "confidence" in note


def test_it_never_takes_a_large_figure_for_certainty():
    assert read_confidence(95)[0] != 1.0
