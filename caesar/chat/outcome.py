"""How a chat ended: one log line and one count each."""

from __future__ import annotations

import structlog

from caesar.metrics import MODEL_ERRORS
from memory.errors import CaesarError, ModelError, ModelRefusedRequest
from memory.llm.errors import SAID

LOG = structlog.get_logger(__name__)
ANSWERED, LEFT, BROKEN, REFUSED, FAILED = "answered", "left", "broken", "refused", "failed"


def of(error: Exception) -> str:
    """What a chat that ended with this error counts as."""
    return REFUSED if isinstance(error, CaesarError) and error.status < 500 else FAILED


def _reason(error: ModelError) -> str:
    """Who refuses a request may quote from it, which is for the client to see and not for the log."""
    return str(error).partition(SAID)[0] if isinstance(error, ModelRefusedRequest) else str(error)


def log(error: Exception) -> None:
    """A sentence for what is known, a traceback for what should not happen."""
    if isinstance(error, ModelError):
        MODEL_ERRORS.labels(error.code).inc()
        LOG.warning("model_failed", code=error.code, reason=_reason(error))
    elif isinstance(error, CaesarError):
        LOG.info("chat_refused", code=error.code, status=error.status)
    else:
        LOG.error("chat_failed", exc_info=error)
