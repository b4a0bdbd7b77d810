"""Errors as a client sees them, in a shape that OpenAI's clients understand as well."""

from __future__ import annotations

import math
from typing import Any

from starlette.responses import Response

from caesar.api.errors import MOST_MESSAGE
from caesar.chat import wire
from memory.domain.text import clamp
from memory.errors import CaesarError

RETRY_SECONDS = 5


class DatabaseAway(CaesarError):
    """The database cannot be reached, or is too busy."""

    code = "database_unavailable"
    status = 503
    retryable = True
    retry_after = RETRY_SECONDS

    def __init__(self) -> None:
        super().__init__(f"The database cannot be reached at the moment; try again in {RETRY_SECONDS} seconds.")


class MethodNotAllowed(CaesarError):
    """The chat's routes take POST alone."""

    code = "method_not_allowed"
    status = 405

    def __init__(self) -> None:
        super().__init__("This route takes POST.")


_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


def body_of(error: Exception) -> dict[str, Any]:
    """The JSON of an error. What is no typed error says nothing about itself."""
    if isinstance(error, CaesarError):
        code, message, status = error.code, str(error), error.status
    else:
        code, message, status = "internal_error", "Something went wrong here; the server's log says what.", 500
    kind = _TYPES.get(status, "invalid_request_error" if status < 500 else "api_error")
    return {"error": {"code": code, "message": clamp(message, MOST_MESSAGE), "type": kind, "param": None}}


def json_of(error: Exception) -> bytes:
    return wire.dumps(body_of(error))


def response_of(error: Exception) -> Response:
    """The response of an error, with its status and Retry-After."""
    headers = {}
    seconds = getattr(error, "retry_after", None)
    if seconds is not None:
        headers["Retry-After"] = str(max(0, math.ceil(seconds)))
    if isinstance(error, MethodNotAllowed):
        headers["Allow"] = "POST"
    status = error.status if isinstance(error, CaesarError) else 500
    return Response(json_of(error), status, headers, media_type="application/json")
