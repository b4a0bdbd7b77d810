"""What the web process does before its first request and after its last."""

from __future__ import annotations

import asyncio

import structlog
from django.db import connections
from starlette.types import Receive, Scope, Send

from caesar.chat import db, turn
from caesar.mcp import app as mcp
from memory.errors import ModelError
from memory.llm import embedding, gateway
from memory.llm.routing import route_for

LOG = structlog.get_logger(__name__)
FINISH_SECONDS = 5.0


async def lifespan(scope: Scope, receive: Receive, send: Send) -> None:
    """ASGI's lifespan protocol."""
    await receive()
    warming = asyncio.create_task(_warm_up())
    await send({"type": "lifespan.startup.complete"})
    await receive()
    warming.cancel()
    await _shut_down()
    await send({"type": "lifespan.shutdown.complete"})


async def _warm_up() -> None:
    """Load what the first chat would else wait for: the embedder, and litellm where there is a model at all."""
    embedding.warm_up()
    try:
        if not route_for("chat").is_rule_based:
            await gateway.warm_up()
    except ModelError as error:  # each chat will say so too
        LOG.warning("no_usable_model", reason=str(error))


async def _shut_down() -> None:
    await turn.all_finished(FINISH_SECONDS)
    await mcp.close()
    await gateway.close()
    await asyncio.to_thread(db.shut_down)
    connections["default"].close_pool()  # type: ignore[attr-defined]
