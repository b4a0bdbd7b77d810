"""BEAM (Tavakoli et al., 2025): one person's long work with an assistant, here chats of 100,000 tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bench.quality.histories import History, Query, Turn, leaves, read

FOLDER = "beam"
LEFT_OUT: frozenset[str] = frozenset()
# There is nothing to be found for the one, and most of the chat for the other.
_NO_EVIDENCE = ("abstention", "summarization")
_BETWEEN = timedelta(seconds=30)
_MARK = re.compile(r"\s*->->\s*[\d,\s]*$")
_DATES = ("%B-%d-%Y", "%B %d, %Y", "%B-%d,-%Y")


def load(folder: Path) -> list[History]:
    """`beam/100K/N/chat.json` with their `probing_questions.json`."""
    folders = sorted((folder / "beam" / "100K").iterdir(), key=lambda one: int(one.name))
    return [_history(one) for one in folders]


def _history(folder: Path) -> History:
    turns = tuple(_turns(read(folder / "chat.json")))
    known = {turn.id for turn in turns}
    queries = []
    for category, asked in read(folder / "probing_questions.json").items():
        for one in asked if category not in _NO_EVIDENCE else ():
            evidence = frozenset(map(str, leaves(one.get("source_chat_ids")))) & known
            queries.append(Query(one["question"], category, evidence, evidence))
    return History(folder.name, turns, tuple(queries), turns[-1].at + timedelta(days=1))


def _turns(chat: list[Mapping[str, Any]]) -> Iterator[Turn]:
    at = datetime(2024, 1, 1)
    for batch in chat:
        for message in (message for round_ in batch["turns"] for message in round_):
            at = max(at, _date(message.get("time_anchor")) or at) + _BETWEEN
            text = _MARK.sub("", message["content"])
            yield Turn(str(message["id"]), str(batch["batch_number"]), message["role"], text, at)


def _date(text: str | None) -> datetime | None:
    for form in _DATES if text else ():
        with suppress(ValueError):
            return datetime.strptime(str(text).strip(), form)
    return None
