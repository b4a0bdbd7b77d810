"""Under a path: a proxy may offer us at /caesar, and take that off before it asks us, or not."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send


class Prefix:
    """Tells the application under which path it is reached, so that the links it makes are right.

    `path` begins with a slash and does not end with one; empty: nothing is changed.
    """

    def __init__(self, app: ASGIApp, path: str) -> None:
        self._app = app
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._path and scope["type"] == "http":
            asked: str = scope["path"]
            inside = asked == self._path or asked.startswith(self._path + "/")
            scope = {**scope, "root_path": self._path, "path": asked if inside else self._path + asked}
        await self._app(scope, receive, send)
