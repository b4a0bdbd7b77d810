"""Parts a streamed round's tool calls into the client's, which pass on, and ours, which the client never sees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memory import semantic_tool
from memory.llm.shape import call_index

Chunk = dict[str, Any]


class Sorter:
    """One round's chunks as they come; gives what is to be passed on of each, at once wherever it can be.

    A call's pieces wait until its name tells whose it is; the client's calls are numbered anew, without gaps. The
    reason why a round ended is kept back in `held_reason` where the round had no calls but ours. `opening`: this is
    the client's first round, whose first chunk says who speaks even where it says nothing else.
    """

    def __init__(self, *, opening: bool = False) -> None:
        self.held_reason: str | None = None
        self._opening = opening
        self._calls: dict[int, Chunk] = {}
        self._pieces: dict[int, list[Chunk]] = {}
        self._numbers: dict[int, int] = {}

    def feed(self, chunk: Chunk) -> Chunk | None:
        """The chunk as it is passed on; None where nothing of it is."""
        given = chunk.get("choices") or []
        choices = [shown for choice in given if (shown := self._choice(choice)) is not None]
        return {**chunk, "choices": choices} if choices or not given else None

    def _choice(self, choice: Chunk) -> Chunk | None:
        if choice.get("index") != 0:
            return choice
        # Whoever puts the rounds together says once who speaks.
        delta = {name: value for name, value in choice["delta"].items() if name not in ("role", "tool_calls")}
        pieces = choice["delta"].get("tool_calls")
        shown = [one for piece in pieces or () if isinstance(piece, dict) for one in self._call(piece)]
        reason = choice.get("finish_reason")
        if reason is not None:
            shown += self._undecided()
        if shown:
            delta["tool_calls"] = shown
        if reason is not None and self._pieces and not self._numbers:
            self.held_reason, reason = reason, None
        opening, self._opening = self._opening, False
        if reason is None and not opening and not any(value not in (None, "") for value in delta.values()):
            return None
        return {**choice, "delta": delta, "finish_reason": reason}

    def _call(self, piece: Chunk) -> Iterator[Chunk]:
        index = call_index(piece, self._calls)
        call = self._calls.setdefault(index, {"id": "", "name": "", "arguments": ""})
        function = piece.get("function")
        call["id"] = call["id"] or piece.get("id")
        for name in ("name", "arguments"):
            said = function.get(name) if isinstance(function, dict) else None
            call[name] += said if isinstance(said, str) else ""
        if index in self._numbers:
            yield {**piece, "index": self._numbers[index]}
            return
        self._pieces.setdefault(index, []).append(piece)
        if not _may_be_ours(call):
            yield self._released(index)

    def _undecided(self) -> list[Chunk]:
        """At the end: calls whose name has remained the beginning of ours."""
        waiting = [index for index in self._pieces if self._calls[index]["name"] != semantic_tool.NAME]
        return [self._released(index) for index in waiting]

    def _released(self, index: int) -> Chunk:
        self._numbers[index] = len(self._numbers)
        return {**_merged(self._pieces.pop(index)), "index": self._numbers[index]}


def _may_be_ours(call: Chunk) -> bool:
    name = call["name"]
    return name == semantic_tool.NAME or (semantic_tool.NAME.startswith(name) and not call["arguments"])


def _merged(pieces: Sequence[Chunk]) -> Chunk:
    """A call's first pieces as one."""
    whole: Chunk = {}
    function: dict[str, Any] = {}
    for piece in pieces:
        whole |= {name: value for name, value in piece.items() if value is not None or name not in whole}
        given = piece.get("function")
        for name, value in given.items() if isinstance(given, dict) else ():
            before = function.get(name)
            function[name] = before + value if isinstance(before, str) and isinstance(value, str) else value
    return {**whole, "function": function} if function else whole
