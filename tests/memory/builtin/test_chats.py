"""Precision and recall over sentences as people write them (`chats.txt`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.builtin.extract import extract
from memory.domain.types import Message, Op

CHATS = Path(__file__).with_name("chats.txt")


def lines() -> list[tuple[str, frozenset[str]]]:
    rows = [row for row in CHATS.read_text(encoding="utf-8").splitlines() if row and not row.startswith("#")]
    return [_row(row) for row in rows]


def _row(row: str) -> tuple[str, frozenset[str]]:
    text, _, facts = row.rpartition(" =>")
    return text.replace("\\n", "\n"), frozenset(fact.strip().casefold() for fact in facts.split("|") if fact.strip())


def read(text: str) -> frozenset[str]:
    proposals = extract([Message("user", text)]).proposals
    return frozenset(f"{'-' * (each.op is Op.RETRACT)}{each.key}={each.value}".casefold() for each in proposals)


def test_it_invents_next_to_nothing_and_misses_little(capsys: pytest.CaptureFixture[str]) -> None:
    right = invented = missed = 0
    wrong = []
    for text, expected in lines():
        got = read(text)
        right, invented, missed = (
            right + len(got & expected),
            invented + len(got - expected),
            missed + len(expected - got),
        )
        if got != expected:
            wrong.append(f"{text!r}: invented {sorted(got - expected)}, missed {sorted(expected - got)}")
    precision, recall = right / (right + invented), right / (right + missed)
    with capsys.disabled():
        print(f"\nbuiltin extractor: {len(lines())} messages, precision {precision:.3f}, recall {recall:.3f}")
    assert precision >= 0.97, "\n".join(wrong)
    assert recall >= 0.9, "\n".join(wrong)
