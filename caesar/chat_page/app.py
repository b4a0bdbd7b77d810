"""`POST /dashboard/chat/completions`: OpenAI's dialect, streamed, for the page of who is logged in."""

from __future__ import annotations

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from caesar.chat import request
from caesar.chat.app import answer
from caesar.chat_page.callers import SessionCaller

PATH = "/dashboard/chat/completions"


async def stream(scope: Scope, receive: Receive, send: Send) -> None:
    """What `/v1/chat/completions` does, for a session and its token in the place of a key."""
    await answer(Request(scope, receive), send, caller=SessionCaller(scope), read=request.openai)
