"""A chat's whole answer for a view that waits for it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.types import Message

from caesar.chat import request, wire
from caesar.chat.app import NATIVE, answer
from caesar.chat_page.callers import KnownCaller
from memory.models import Profile


@dataclass(frozen=True)
class Whole:
    """What `POST /v1/chat` answers: its status, and its JSON."""

    status: int
    body: dict[str, Any]

    @property
    def problem(self) -> str:
        """Why there is no answer, in a sentence; empty where there is one."""
        return "" if self.status == 200 else str(self.body["error"]["message"])


async def ask(profile: Profile, asked: dict[str, Any]) -> Whole:
    """Ask as `POST /v1/chat` with this body would, for a person who is known."""
    sent = [{"type": "http.request", "body": wire.dumps(asked), "more_body": False}]
    status, pieces = 500, []

    async def receive() -> Message:
        if sent:
            return sent.pop()
        return await asyncio.Future()  # a client that stays

    async def send(message: Message) -> None:
        nonlocal status
        status = message.get("status", status)
        pieces.append(message.get("body", b""))

    scope = {"type": "http", "method": "POST", "path": NATIVE, "query_string": b"", "headers": []}
    await answer(Request(scope, receive), send, caller=KnownCaller(profile), read=request.native)
    return Whole(status, json.loads(b"".join(pieces)))
