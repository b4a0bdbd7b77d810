"""What the tests look at: rows of the log, facts to be recalled, lines of a stream."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable
from typing import Any

import httpx

from memory import facts
from memory.db import operator_scope
from memory.models import AuditLog, Event, Fact

Message = dict[str, Any]


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def rows(event: Event = Event.CHAT_COMPLETED, *, profile_id: uuid.UUID | None = None) -> list[AuditLog]:
    """Rows of the log, oldest first."""
    with operator_scope():
        found = AuditLog.objects.filter(event_type=event).order_by("id")
        return list(found.filter(profile_id=profile_id) if profile_id else found)


def row() -> dict[str, Any]:
    """The payload of the only chat there was."""
    (only,) = rows()
    payload: dict[str, Any] = only.payload
    return payload


def said(payload: dict[str, Any]) -> list[tuple[str, str]]:
    """Who said what in a chat's row, the answer last."""
    messages = [(m["role"], m["text"]) for m in payload["messages"]]
    return [*messages, ("assistant", payload["answer"]["text"])]


def know(profile_id: uuid.UUID, key: str, value: str) -> Fact:
    """A fact that the person wrote down."""
    return facts.author(profile_id=profile_id, fields={"key": key, "value": value})


def within(seconds: float, condition: Callable[[], Any]) -> Any:
    """What the condition gives as soon as it is true; AssertionError when it never is."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.02)
    return found


def events(lines: Iterable[str]) -> list[Any]:
    """The data of a stream's events; each but [DONE] is valid JSON."""
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    return [d if d == "[DONE]" else json.loads(d) for d in data]


def stream(http: httpx.Client, **body: Any) -> tuple[httpx.Response, list[Any]]:
    """A streamed chat, read to its end."""
    with http.stream("POST", "/v1/chat/completions", json={"stream": True, **body}) as response:
        return response, events(response.iter_lines())


def text_of(chunks: Iterable[Any]) -> str:
    """The text of a stream's first choice."""
    choices = [c["choices"][0] for c in chunks if c != "[DONE]" and c.get("choices")]
    return "".join(c["delta"].get("content") or "" for c in choices if c["index"] == 0)


def metric(name: str, http: httpx.Client) -> float:
    """A metric's value now, summed over its labels."""
    lines = http.get("/metrics").raise_for_status().text.splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.partition("{")[0].partition(" ")[0] == name)
