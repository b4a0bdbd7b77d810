"""The web process: the chat's routes and the stream of live pages beside Django, behind one guard."""

from __future__ import annotations

import os
from collections.abc import Mapping

# Before the settings are read: the web process alone has a pool of database connections.
os.environ["CAESAR_PROCESS"] = "web"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "caesar.settings")

from django.core.asgi import get_asgi_application
from starlette.types import ASGIApp, Receive, Scope, Send

from caesar.config import config
from caesar.guard import Guard
from caesar.prefix import Prefix
from memory import tracing


class Dispatch:
    """What waits for long to the applications that keep no thread meanwhile, by path; everything else to Django."""

    def __init__(self, *, rest: ASGIApp, lifespan: ASGIApp, by_path: Mapping[str, ASGIApp]) -> None:
        self._rest = rest
        self._lifespan = lifespan
        self._by_path = by_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(scope, receive, send)
        elif scope["type"] != "http":  # nobody here speaks WebSocket
            await send({"type": "websocket.close", "code": 1000})
        else:
            await self._by_path.get(self._path(scope), self._rest)(scope, receive, send)

    @staticmethod
    def _path(scope: Scope) -> str:
        """The path without the prefix under which a proxy offers us."""
        path: str = scope["path"]
        root = scope.get("root_path", "").rstrip("/")
        if root and path.startswith(root + "/"):
            path = path[len(root) :]
        return path.rstrip("/")


def _application() -> ASGIApp:
    tracing.start(config().otlp_endpoint, "web")
    rest = get_asgi_application()  # sets Django up; what follows imports models
    from caesar.chat.app import PATHS, chat
    from caesar.chat.lifespan import lifespan
    from caesar.chat_page.app import PATH as CHAT_PAGE
    from caesar.chat_page.app import stream
    from caesar.embeddings.app import PATH as EMBEDDINGS
    from caesar.embeddings.app import embeddings
    from caesar.live.app import PATH as LIVE
    from caesar.live.app import live
    from caesar.mcp.app import PATH as MCP
    from caesar.mcp.app import speak

    by_path: dict[str, ASGIApp] = {**dict.fromkeys(PATHS, chat), EMBEDDINGS: embeddings}
    by_path |= {CHAT_PAGE: stream, LIVE: live, MCP: speak}
    dispatch = Dispatch(rest=rest, lifespan=lifespan, by_path=by_path)  # type: ignore[arg-type]
    return Guard(Prefix(dispatch, config().path_prefix), max_bytes=config().max_request_bytes, hosts=config().hosts)


application = _application()
