"""The web process: the chat's two routes beside Django, behind one guard."""

from __future__ import annotations

import os

# Before the settings are read: the web process alone has a pool of database connections.
os.environ["CAESAR_PROCESS"] = "web"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "caesar.settings")

from django.core.asgi import get_asgi_application
from starlette.types import ASGIApp, Receive, Scope, Send

from caesar.config import config
from caesar.guard import Guard


class Dispatch:
    """The chat's routes to the chat, everything else to Django."""

    def __init__(self, *, rest: ASGIApp, chat: ASGIApp, lifespan: ASGIApp, chat_paths: frozenset[str]) -> None:
        self._rest = rest
        self._chat = chat
        self._lifespan = lifespan
        self._chat_paths = chat_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(scope, receive, send)
        elif scope["type"] != "http":  # nobody here speaks WebSocket
            await send({"type": "websocket.close", "code": 1000})
        elif self._path(scope) in self._chat_paths:
            await self._chat(scope, receive, send)
        else:
            await self._rest(scope, receive, send)

    @staticmethod
    def _path(scope: Scope) -> str:
        """The path without the prefix under which a proxy offers us."""
        path: str = scope["path"]
        root = scope.get("root_path", "").rstrip("/")
        if root and path.startswith(root + "/"):
            path = path[len(root) :]
        return path.rstrip("/")


def _application() -> ASGIApp:
    rest = get_asgi_application()  # sets Django up; what follows imports models
    from caesar.chat.app import PATHS, chat
    from caesar.chat.lifespan import lifespan

    dispatch = Dispatch(rest=rest, chat=chat, lifespan=lifespan, chat_paths=PATHS)  # type: ignore[arg-type]
    return Guard(dispatch, max_bytes=config().max_request_bytes)


application = _application()
