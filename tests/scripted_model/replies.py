"""What the scripted model can be told to answer. Every kind also has a JSON form for the control endpoint."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.scripted_model.recorded import Recorded


@dataclass(frozen=True, kw_only=True)
class Reply:
    """Base of all replies. `delay`: seconds before the first byte; `headers`: added to the response."""

    delay: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Text(Reply):
    """An ordinary answer in the caller's dialect; a request with `stream: true` gets it in pieces.

    `pieces`: the streamed pieces verbatim (default: the words of `text`); `interval`: seconds between them;
    `hang_up_after`: cut the connection after so many pieces; `stall_after`: then send no more, and stay.
    `message` is merged into the answer's message (e.g. reasoning_content, refusal). A `text` of None is null.
    """

    text: str | None = "ok"
    pieces: Sequence[str] | None = None
    interval: float = 0.0
    hang_up_after: int | None = None
    stall_after: int | None = None
    finish_reason: str = "stop"
    usage: Mapping[str, Any] | None = None
    message: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ToolCalls(Reply):
    """Tool calls: `calls` is a list of (id, name, arguments); streamed in `fragments` pieces each."""

    calls: Sequence[Sequence[str]] = ()
    fragments: int = 4
    interval: float = 0.0
    usage: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Vectors(Reply):
    """Embeddings: those of `texts` where the text stands there, else `constant`, else made of the text's words.

    `dim`: numbers of a made vector, unless the request names a length; `drop`: so many are left out at the end.
    Texts that share words get made vectors that are near to each other.
    """

    texts: Mapping[str, Sequence[float]] = field(default_factory=dict)
    constant: Sequence[float] | None = None
    dim: int = 64
    drop: int = 0


@dataclass(frozen=True)
class Body(Reply):
    """A whole JSON body, sent as it is whatever was asked."""

    body: Any = None
    status: int = 200


@dataclass(frozen=True)
class Raw(Reply):
    """Bytes, sent as the body as they are."""

    data: bytes = b""
    status: int = 200
    content_type: str = "application/json"


@dataclass(frozen=True)
class Status(Reply):
    """An error answer in the provider's usual shape, e.g. `Status(429, headers={"Retry-After": "20"})`."""

    status: int = 500
    message: str = "scripted failure"
    type: str = "scripted_error"
    code: str | None = None


@dataclass(frozen=True)
class Sse(Reply):
    """Server-sent lines verbatim, `interval` seconds apart; a blank line is put after each.

    `hang_up`: cut the connection after the last line instead of ending the body properly.
    """

    lines: Sequence[str] = ()
    interval: float = 0.0
    hang_up: bool = False


@dataclass(frozen=True)
class Hang(Reply):
    """Accepts and never answers."""


@dataclass(frozen=True)
class HangUp(Reply):
    """Closes the connection without a single byte."""


Answer = Callable[["Recorded"], "Reply | str | dict[str, Any]"]
ReplyLike = Reply | str | dict[str, Any] | Answer

KINDS: dict[str, type[Reply]] = {
    "text": Text,
    "tool_calls": ToolCalls,
    "vectors": Vectors,
    "body": Body,
    "raw": Raw,
    "status": Status,
    "sse": Sse,
    "hang": Hang,
    "hang_up": HangUp,
}


def as_reply(value: Reply | str | dict[str, Any]) -> Reply:
    """A string is Text, a dict is a whole JSON body, a Reply is itself."""
    if isinstance(value, Reply):
        return value
    if isinstance(value, str):
        return Text(value)
    if isinstance(value, dict):
        return Body(value)
    raise TypeError(f"not a reply: {value!r}")


def from_json(value: Any) -> Reply:
    """The JSON form: a string is Text; `{"kind": "status", "status": 429, …}` names its kind; else a body."""
    if isinstance(value, dict) and value.get("kind") in KINDS:
        kind = KINDS[value["kind"]]
        known = {f.name for f in fields(kind)}
        given = {name: item for name, item in value.items() if name != "kind"}
        if unknown := set(given) - known:
            raise ValueError(f"{value['kind']} takes no {sorted(unknown)}")
        if kind is Raw and isinstance(given.get("data"), str):
            given["data"] = base64.b64decode(given["data"])
        return kind(**given)
    if isinstance(value, str | dict):
        return as_reply(value)
    raise ValueError(f"not a reply: {value!r}")
