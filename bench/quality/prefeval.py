"""PrefEval (Zhao et al., 2025): a question that never names the preference must bring it back. CC BY-NC 4.0."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta
from pathlib import Path

from bench.quality.histories import History, Query, Turn, read

FOLDER = "prefeval"
LEFT_OUT: frozenset[str] = frozenset()
BETWEEN = 300  # unrelated messages of each history, spread evenly
_START = datetime(2024, 1, 1)


def load(folder: Path) -> list[History]:
    """`prefeval/explicit_preference/TOPIC.json`, and the chats that go on between in `filtered_inter_turns.json`."""
    chats = read(folder / "prefeval" / "filtered_inter_turns.json")
    other = [(one["role"], one["content"]) for chat in chats for one in chat["conversation"]]
    files = sorted((folder / "prefeval" / "explicit_preference").glob("*.json"))
    return [_history(file, other) for file in files]


def _history(file: Path, other: list[tuple[str, str]]) -> History:
    rows = read(file)
    each = max(1, BETWEEN // len(rows))
    between = itertools.cycle(other)
    at, turns, queries = _START, [], []
    numbers = itertools.count(1)
    for place, row in enumerate(rows):
        at += timedelta(minutes=5)
        turns.append(Turn(f"P{place}", str(place), "user", row["preference"], at))
        for role, text in itertools.islice(between, each):
            at += timedelta(minutes=1)
            turns.append(Turn(f"N{next(numbers)}", str(place), role, text, at))
        evidence = frozenset({f"P{place}"})
        queries.append(Query(row["question"], file.stem, evidence, evidence))
    return History(file.stem, tuple(turns), tuple(queries), at + timedelta(days=1))
