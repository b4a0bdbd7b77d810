"""litellm, imported once, on first use, and told to keep to itself.

The import takes seconds and 190 MB, so nothing imports it at start-up; a web process calls `load` in a thread
while it starts, so that its first chat does not wait.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Coroutine
from typing import Any

_lock = threading.Lock()
_loaded: Any = None

# Read by litellm at import time.
_ENVIRONMENT = {
    # Else it fetches its price list from the network while importing.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    # Its connector allows 500 connections a host; the 501st stream would silently wait for the first to end.
    "AIOHTTP_CONNECTOR_LIMIT": "0",
    "AIOHTTP_CONNECTOR_LIMIT_PER_HOST": "0",
    # Its logging would otherwise follow LITELLM_LOG=DEBUG, which prints whole requests.
    "LITELLM_LOG": "CRITICAL",
}

# At their lower levels these write whole request bodies, and headers with the key.
_TALKATIVE = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore", "aiohttp")


def load() -> Any:
    """The litellm module, ready for use. Safe to call from any thread, cheap after the first time."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _loaded = _import()
    return _loaded


def is_loaded() -> bool:
    return _loaded is not None


def _import() -> Any:
    os.environ.update(_ENVIRONMENT)
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    litellm.disable_streaming_logging = True
    # Token counts come from the provider or are unknown; none is estimated.
    litellm.disable_token_counter = True
    # Never for all: with it, a 422 of an OpenAI-compatible server comes back as None instead of an error.
    litellm.drop_params = False
    litellm.modify_params = False
    litellm.num_retries = 0
    # Where litellm has to fetch an image for a provider, never from an address inside this network.
    litellm.user_url_validation = True
    for name in _TALKATIVE:
        logger = logging.getLogger(name)
        logger.setLevel(logging.CRITICAL if name.startswith("LiteLLM") else logging.WARNING)
    _silence_logging_worker()
    return litellm


def _silence_logging_worker() -> None:
    """Drops litellm's after-call accounting, for which there is no setting.

    Its one worker task per process belongs to whichever event loop called last; with two loops (the web's,
    and the one for workers' threads) each call would destroy the other's task while it is pending. It also
    works out a price for every call, and keeps the messages until then.
    """
    from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER

    def discard(async_coroutine: Coroutine[Any, Any, None]) -> None:
        async_coroutine.close()

    vars(GLOBAL_LOGGING_WORKER)["ensure_initialized_and_enqueue"] = discard
