"""litellm, imported once, on first use, and told to keep to itself.

The import takes seconds and 190 MB, so nothing imports it at start-up; a web process calls `load` in a thread
while it starts, so that its first chat does not wait.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import warnings
from collections.abc import Coroutine
from typing import Any

_lock = threading.Lock()
_loaded: Any = None

# Read by litellm at import time.
_ENVIRONMENT = {
    # Else it fetches its price list from the network while importing.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    # Its connector allows 500 connections a host; the 501st stream would silently wait for the first to end.
    # Not 0: that leaves aiohttp's own limit of 100 in force.
    "AIOHTTP_CONNECTOR_LIMIT": "100000",
    "AIOHTTP_CONNECTOR_LIMIT_PER_HOST": "100000",
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
    # What it takes for embeddings where it is told 0.
    vars(litellm)["DEFAULT_MAX_RETRIES"] = 0
    # Where litellm has to fetch an image for a provider, never from an address inside this network.
    litellm.user_url_validation = True
    for name in _TALKATIVE:
        logger = logging.getLogger(name)
        logger.setLevel(logging.CRITICAL if name.startswith("LiteLLM") else logging.WARNING)
    # It quotes the answer that litellm's own types did not expect, and so would put it into the log.
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings", category=UserWarning)
    # Of its own types, when they are first built.
    warnings.filterwarnings("ignore", message="Items? .* on TypedDict class", category=UserWarning)
    _silence_logging_worker()
    return litellm


def client_of_this_loop(provider: str) -> Any:
    """litellm's HTTP client for the running loop, for handlers that would take one shared by all loops."""
    from litellm.llms.custom_httpx.http_handler import get_async_httpx_client

    return get_async_httpx_client(llm_provider=provider)


async def close_clients() -> None:
    """Closes the connections of the running event loop, and only those; the next call opens new ones."""
    if _loaded is None:
        return
    cache = _loaded.in_memory_llm_clients_cache
    mine = cache.update_cache_key_with_event_loop("")
    for key in [k for k in list(cache.cache_dict) if mine and k.endswith(mine)]:
        client = cache.cache_dict.pop(key, None)
        if hasattr(client, "close"):
            await client.close()
    # Sockets are let go in the loop's next round.
    await asyncio.sleep(0)


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
