"""The turns of a chat as a page shows them, with the words that taught something marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.quoting import Piece, pieces


@dataclass(frozen=True)
class Turn:
    """One message: who said it, and its text in pieces."""

    role: str
    pieces: tuple[Piece, ...]


def turns(payload: Mapping[str, Any], quotes: Sequence[str]) -> list[Turn]:
    """What a row of the log holds of a chat. Only the person's own words are looked through for the quotes."""
    said = payload.get("messages")
    lines = [m for m in said if isinstance(m, dict)] if isinstance(said, list) else []
    found = [_turn(str(m.get("role", "")), str(m.get("text", "")), quotes) for m in lines]
    answer = payload.get("answer")
    if isinstance(answer, dict):
        found.append(_turn("assistant", str(answer.get("text", "")), ()))
    return _first_marked(found)


def _turn(role: str, text: str, quotes: Sequence[str]) -> Turn:
    return Turn(role, tuple(pieces(text, quotes if role == "user" else ())))


def _first_marked(found: list[Turn]) -> list[Turn]:
    """Marks the first quoted piece of all, which a link leads to."""
    for number, turn in enumerate(found):
        for at, piece in enumerate(turn.pieces):
            if piece.quoted:
                marked = (*turn.pieces[:at], piece._replace(first=True), *turn.pieces[at + 1 :])
                return [*found[:number], Turn(turn.role, marked), *found[number + 1 :]]
    return found
