"""One ASGI application: a request for embeddings is read, served and answered. Nothing of it is kept or logged."""

from __future__ import annotations

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from caesar import access
from caesar.chat import errors, outcome, wire
from caesar.chat.db import run_in_db
from caesar.chat.leaving import ClientLeft, unless_client_leaves
from caesar.embeddings import request
from caesar.embeddings.answer import send_all
from caesar.metrics import EMBEDDED_TOKENS, EMBEDDINGS
from memory import tracing
from memory.errors import CaesarError, ModelError
from memory.llm.embedding import serving
from memory.llm.embedding.serving import Asked
from memory.llm.errors import SAID

LOG = structlog.get_logger(__name__)
PATH = "/v1/embeddings"


async def embeddings(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request of a program with a key. Whatever happens, it ends in one response and one count."""
    asked = Request(scope, receive)
    try:
        await _exchange(asked, send)
        ended = outcome.ANSWERED
    except (ClientDisconnect, ClientLeft):
        ended = outcome.LEFT
    except Exception as error:
        _log(error)
        await errors.response_of(error)(scope, receive, send)
        ended = outcome.of(error)
    EMBEDDINGS.labels(ended).inc()


async def _exchange(asked: Request, send: Send) -> None:
    if asked.method != "POST":
        raise errors.MethodNotAllowed
    raw = b"".join([piece async for piece in asked.stream()])
    headers = asked.headers
    address = asked.client.host if asked.client else ""
    wanted, as_base64 = await run_in_db(
        _read, raw, headers.get("authorization"), headers.get("x-caesar-profile"), address
    )
    await unless_client_leaves(asked.receive, _serve(wanted, send, as_base64=as_base64))


def _read(raw: bytes, authorization: str | None, profile: str | None, address: str) -> tuple[Asked, bool]:
    """Who asks is looked at; whose memory it would be is not, since none is opened: no name makes a profile here."""
    owner = access.identify(authorization, address)
    if owner.profile_id is not None:
        access.profile_of(owner, profile)
    return request.read(wire.parse(raw))


async def _serve(wanted: Asked, send: Send, *, as_base64: bool) -> None:
    with tracing.span("model", task="embed", inputs=len(wanted.inputs)):
        served = await serving.serve(wanted)
    EMBEDDED_TOKENS.inc(served.tokens)
    await send_all(served, send, as_base64=as_base64)


def _log(error: Exception) -> None:
    if isinstance(error, ModelError):
        # Not what the provider said, which may quote the text.
        LOG.warning("embedding_failed", code=error.code, reason=str(error).partition(SAID)[0])
    elif isinstance(error, CaesarError):
        LOG.info("embedding_refused", code=error.code, status=error.status)
    else:
        LOG.error("embedding_failed", exc_info=error)
