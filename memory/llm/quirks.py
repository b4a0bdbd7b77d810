"""What a route has turned out to take or not, remembered for the life of the process."""

from __future__ import annotations

import threading

from memory.llm.routing import Route

RESPONSE_FORMAT = "response_format"
STREAM_OPTIONS = "stream_options"
TOOLS = "tools"

_lock = threading.Lock()
_known: dict[tuple[str, str, str], bool] = {}


def takes(route: Route, feature: str) -> bool | None:
    """Whether the route takes the feature; None where nobody has tried yet."""
    with _lock:
        return _known.get((route.identity, route.base_url, feature))


def remember(route: Route, feature: str, *, taken: bool) -> None:
    with _lock:
        _known[(route.identity, route.base_url, feature)] = taken


def forget_all() -> None:
    """For tests, and for an operator's reload of settings."""
    with _lock:
        _known.clear()
