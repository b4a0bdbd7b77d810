"""One request as the scripted model saw it, with what became of its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Recorded:
    """A request. Times are `time.monotonic()`; `wall` is `time.time()`.

    `sent`: pieces of the answer written so far; `closed_at`: when the caller closed its socket before the
    answer was complete; `done_at`: when the answer was completely written.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    json: Any
    at: float
    wall: float
    connection: int = 0
    sent: int = 0
    status: int | None = None
    closed_at: float | None = None
    done_at: float | None = None
    tags: dict[str, Any] = field(default_factory=dict)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages of a chat request; empty for any other."""
        found = self.json.get("messages") if isinstance(self.json, dict) else None
        return [m for m in found if isinstance(m, dict)] if isinstance(found, list) else []

    @property
    def streams(self) -> bool:
        return bool(isinstance(self.json, dict) and self.json.get("stream"))

    @property
    def text(self) -> str:
        """All readable text of the request, for substring rules."""
        return "\n".join([*(message_text(m) for m in self.messages), *self.inputs])

    @property
    def inputs(self) -> list[str]:
        """The texts of a request for embeddings; empty for any other."""
        found = self.json.get("input") if isinstance(self.json, dict) else None
        return [found] if isinstance(found, str) else [each for each in found or [] if isinstance(each, str)]

    @property
    def system(self) -> str:
        """The text of the system messages (Anthropic's dialect keeps it outside `messages`)."""
        found = [message_text(m) for m in self.messages if m.get("role") in ("system", "developer")]
        if isinstance(self.json, dict) and "system" in self.json:
            found.append(message_text({"content": self.json["system"]}))
        return "\n".join(found)

    @property
    def is_extraction(self) -> bool:
        """Whether this is our own worker's call: its system message shows the JSON key that it asks for."""
        return '"facts"' in self.system


def message_text(message: Mapping[str, Any]) -> str:
    """The text of one message, of its text parts where the content is an array."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [p.get("text") for p in content if isinstance(p, dict)]
        return "\n".join(p for p in parts if isinstance(p, str))
    return ""
