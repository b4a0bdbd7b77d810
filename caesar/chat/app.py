"""`POST /v1/chat` and `POST /v1/chat/completions`, as one ASGI application."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from caesar import access
from caesar.chat import errors, outcome, plain, request, streaming, turn
from caesar.chat.leaving import ClientLeft, unless_client_leaves
from caesar.chat.sink import Sink
from caesar.metrics import CHATS, CHATS_OPEN

NATIVE, COMPLETIONS = "/v1/chat", "/v1/chat/completions"
PATHS = frozenset({NATIVE, COMPLETIONS})
Read = Callable[[Mapping[str, Any]], request.Call]


async def chat(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request of a program with a key."""
    asked = Request(scope, receive)
    completions = scope["path"].rstrip("/").endswith(COMPLETIONS)
    caller = turn.KeyCaller(
        authorization=asked.headers.get("authorization"),
        profile=asked.headers.get("x-caesar-profile"),
        address=asked.client.host if asked.client else "",
        user=asked.headers.get(access.USER_HEADER),
    )
    await answer(asked, send, caller=caller, read=request.openai if completions else request.native)


async def answer(asked: Request, send: Send, *, caller: turn.Caller, read: Read) -> None:
    """Answer one request. Whatever happens, it ends in one response and one count."""
    with CHATS_OPEN.track_inprogress(), turn.waited_for():
        try:
            ended = await _exchange(asked, send, caller, read)
        except (ClientDisconnect, ClientLeft):
            ended = outcome.LEFT
        except Exception as error:
            outcome.log(error)
            await errors.response_of(error)(asked.scope, asked.receive, send)
            ended = outcome.of(error)
    CHATS.labels(ended).inc()


async def _exchange(asked: Request, send: Send, caller: turn.Caller, read: Read) -> str:
    """How the chat ended. Raises what is to become an error response; after the first byte nothing does."""
    if asked.method != "POST":
        raise errors.MethodNotAllowed
    # Not `asked.body()`, which would keep the bytes for as long as the model answers.
    raw = b"".join([piece async for piece in asked.stream()])
    opened = await turn.begin(raw, read=read, caller=caller)
    return await unless_client_leaves(asked.receive, _answer(opened, asked, send))


async def _answer(opened: turn.Opened, asked: Request, send: Send) -> str:
    if opened.call.streams:
        return await streaming.relay(opened, Sink(send, opened.headers))
    response = await plain.respond(opened)
    await response(asked.scope, asked.receive, send)
    return outcome.ANSWERED
