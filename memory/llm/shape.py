"""Brings any provider's stream into OpenAI's shape, and keeps what was said.

One id and date for all chunks, `choices` always an array, one finish_reason per choice, usage only as a last
chunk of its own and only where it was asked for. Everything else goes through as it came.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from memory.llm.usage import Usage

_ENVELOPE = frozenset({"id", "object", "created", "model", "choices", "usage"})
# More than OpenAI gives at once; what stands beyond is let go.
MOST_CHOICES = 128
Chunk = dict[str, Any]


class StreamShape:
    """Feed it each chunk as it came; it gives the chunks to pass on, and at the end the closing ones."""

    def __init__(self, *, model: str, include_usage: bool) -> None:
        self._model = model
        self._include_usage = include_usage
        self._id = ""
        self._created = 0
        self._raw_usage: dict[str, Any] | None = None
        self._choices: dict[int, _Choice] = {}
        # Of all text, arguments and reasoning so far, to bound what is kept.
        self.characters = 0

    @property
    def usage(self) -> Usage:
        return Usage.of(self._raw_usage)

    @property
    def model(self) -> str:
        return self._model

    @property
    def started(self) -> bool:
        return bool(self._choices)

    @property
    def complete(self) -> bool:
        """Every choice that began has said how it ended."""
        return self.started and all(c.finish_reason is not None for c in self._choices.values())

    @property
    def messages(self) -> dict[int, dict[str, Any]]:
        """The message of each choice, put together from its deltas so far."""
        return {index: choice.message() for index, choice in sorted(self._choices.items())}

    @property
    def finish_reasons(self) -> dict[int, str | None]:
        return {index: choice.finish_reason for index, choice in sorted(self._choices.items())}

    @property
    def text(self) -> str:
        """The text of the first choice so far."""
        return "".join(self._choices[0].text) if 0 in self._choices else ""

    def feed(self, raw: Chunk) -> Iterator[Chunk]:
        if isinstance(raw.get("usage"), dict):
            self._raw_usage = raw["usage"]
        if not self._id:
            self._open(raw)
        listed = raw.get("choices")
        given = [c for c in listed if isinstance(c, dict)] if isinstance(listed, list) else []
        choices = [self._choice(index, c) for c in given if self._takes(index := _index(c))]
        rest = {name: value for name, value in raw.items() if name not in _ENVELOPE}
        if choices or any(value is not None for value in rest.values()):
            yield {**self._envelope(), "choices": choices, **rest}

    def finish(self) -> Iterator[Chunk]:
        """Closes what the provider left open, then says the usage where the client asked for it."""
        for index, choice in self._choices.items():
            if choice.finish_reason is None:
                choice.finish_reason = "tool_calls" if choice.calls else "stop"
                end = {"index": index, "delta": {}, "finish_reason": choice.finish_reason}
                yield {**self._envelope(), "choices": [end]}
        if self._include_usage and self._raw_usage is not None:
            yield {**self._envelope(), "choices": [], "usage": self._raw_usage}

    def _open(self, raw: Chunk) -> None:
        given, created, model = raw.get("id"), raw.get("created"), raw.get("model")
        self._id = given if isinstance(given, str) and given else f"chatcmpl-{uuid.uuid4().hex}"
        self._created = created if isinstance(created, int) and created > 0 else int(time.time())
        self._model = model if isinstance(model, str) and model else self._model

    def _envelope(self) -> Chunk:
        head = {"id": self._id, "object": "chat.completion.chunk", "created": self._created}
        return {**head, "model": self._model}

    def _takes(self, index: int) -> bool:
        return index in self._choices or len(self._choices) < MOST_CHOICES

    def _choice(self, index: int, raw: dict[str, Any]) -> dict[str, Any]:
        delta = raw.get("delta")
        delta = dict(delta) if isinstance(delta, dict) else {}
        kept = self._choices.get(index)
        if kept is None:
            kept = self._choices[index] = _Choice()
            if not delta.get("role"):
                delta = {"role": "assistant", **{k: v for k, v in delta.items() if k != "role"}}
        self.characters += kept.add(delta)
        reason = raw.get("finish_reason")
        if kept.finish_reason is not None or not isinstance(reason, str):
            reason = None
        else:
            kept.finish_reason = reason
        return {**raw, "index": index, "delta": delta, "finish_reason": reason}


def _index(raw: dict[str, Any]) -> int:
    index = raw.get("index")
    return index if isinstance(index, int) and not isinstance(index, bool) else 0


def call_index(piece: Mapping[str, Any], known: Mapping[int, Mapping[str, Any]]) -> int:
    """The index of the tool call, of those `known`, that this piece goes on with, or of a new one."""
    index = piece.get("index")
    if isinstance(index, int):
        function, before = piece.get("function"), known.get(index, {}).get("id")
        named = isinstance(function, Mapping) and function.get("name")
        # Some servers give every one of several calls the same number.
        return max(known) + 1 if named and before and piece.get("id") not in (None, "", before) else index
    # A server that numbers nothing sends whole calls, each with an id of its own.
    return len(known) if piece.get("id") or not known else max(known)


class _Choice:
    """One choice, put together from its deltas."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.calls: dict[int, dict[str, Any]] = {}
        self.others: dict[str, Any] = {}
        self.finish_reason: str | None = None

    def add(self, delta: dict[str, Any]) -> int:
        """Takes in a delta and says how many characters it added."""
        size = 0
        for name, value in delta.items():
            if name == "content":
                if isinstance(value, str):
                    self.text.append(value)
                    size += len(value)
            elif name == "tool_calls":
                for call in value if isinstance(value, list) else ():
                    if isinstance(call, dict):
                        size += self._call(call)
            elif name != "role" and value is not None:
                self._other(name, value)
                size += len(value) if isinstance(value, str) else 1
        return size

    def _other(self, name: str, value: Any) -> None:
        before = self.others.get(name)
        adds_up = isinstance(before, str | list) and type(before) is type(value)
        self.others[name] = before + value if adds_up else value

    def _call(self, piece: dict[str, Any]) -> int:
        index = call_index(piece, self.calls)
        empty = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
        call = self.calls.setdefault(index, empty)
        size = 0
        for name, value in piece.items():
            if name == "function" and isinstance(value, dict):
                for part in ("name", "arguments"):
                    if isinstance(value.get(part), str):
                        call["function"][part] += value[part]
                        size += len(value[part])
            elif name != "index" and value is not None:
                call[name] = value
        return size

    def message(self) -> dict[str, Any]:
        text = "".join(self.text)
        message: dict[str, Any] = {"role": "assistant", "content": text if text or not self.calls else None}
        message.update(self.others)
        if self.calls:
            message["tool_calls"] = [self.calls[index] for index in sorted(self.calls)]
        return message
