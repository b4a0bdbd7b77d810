"""What a route has turned out not to take, remembered for the life of the process."""

from __future__ import annotations

import threading

from memory.llm.routing import Route

RESPONSE_FORMAT = "response_format"
STREAM_OPTIONS = "stream_options"

_lock = threading.Lock()
_refused: set[tuple[str, str, str]] = set()


def refuses(route: Route, feature: str) -> bool:
    with _lock:
        return (route.identity, route.base_url, feature) in _refused


def remember(route: Route, feature: str) -> None:
    with _lock:
        _refused.add((route.identity, route.base_url, feature))


def forget_all() -> None:
    """For tests, and for an operator's reload of settings."""
    with _lock:
        _refused.clear()
