"""Every failure as `{"error": {"code", "message", "details"?}}` with the right status, and never a traceback."""

from __future__ import annotations

import math
from typing import Any

import structlog
from django.db import IntegrityError
from django.http import Http404, HttpRequest, JsonResponse
from rest_framework import exceptions
from rest_framework.response import Response

from caesar.outage import is_outage
from memory.domain.text import clamp
from memory.errors import CaesarError, NotFound

LOG = structlog.get_logger(__name__)

NO_DATABASE = "The database cannot be reached right now. Try again in a moment."
GONE = "What this belongs to was removed at the same moment: nothing of this request was kept."
INTERNAL = "Something went wrong inside. The server's log says what."
# A message may name what was sent, which may be long.
MOST_MESSAGE = 1_000
FOREIGN_KEY = "23503"
CODES = {
    400: "invalid_input",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "too_large",
    415: "unsupported_media_type",
    429: "too_many_requests",
}


class TooLarge(CaesarError):
    """The body is larger than the operator allows."""

    code = "too_large"
    status = 413


class UnsupportedBody(CaesarError):
    """The body is of a kind that the route does not take."""

    code = "unsupported_media_type"
    status = 415


def body(code: str, message: str, details: Any = None) -> dict[str, Any]:
    error: dict[str, Any] = {"code": code, "message": clamp(message, MOST_MESSAGE)}
    if details is not None:
        error["details"] = details
    return {"error": error}


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """What Django REST framework answers with. None: unknown, goes to `server_error`."""
    if isinstance(error, Http404):
        error = NotFound("There is nothing here.")
    if isinstance(error, CaesarError):
        return Response(body(error.code, str(error)), status=error.status, headers=headers_of(error))
    if isinstance(error, exceptions.APIException):
        return _framework(error)
    if isinstance(error, IntegrityError) and getattr(error.__cause__, "sqlstate", None) == FOREIGN_KEY:
        return Response(body("conflict", GONE), status=409)
    if is_outage(error):
        LOG.error("database_unavailable", error=str(error).strip())
        return Response(body("database_unavailable", NO_DATABASE), status=503, headers={"Retry-After": "2"})
    return None


def headers_of(error: CaesarError) -> dict[str, str]:
    """What goes along with an error: how to come in, or when to come again."""
    if error.status == 401:
        return {"WWW-Authenticate": "Bearer"}
    seconds = getattr(error, "retry_after", None)
    return {} if seconds is None else {"Retry-After": str(math.ceil(seconds))}


def _framework(error: exceptions.APIException) -> Response:
    headers = {}
    if error.status_code == 401:
        headers["WWW-Authenticate"] = "Bearer"
    wait = getattr(error, "wait", None)
    if wait:
        headers["Retry-After"] = str(math.ceil(wait))
    detail = error.detail
    message = str(detail) if isinstance(detail, str) else "The request says something that cannot be taken."
    details = None if isinstance(detail, str) else detail
    code = CODES.get(error.status_code, "error")
    return Response(body(code, message, details), status=error.status_code, headers=headers)


def answer(status: int, code: str, message: str) -> JsonResponse:
    """The same body where no API view is running."""
    compact = {"separators": (",", ":"), "ensure_ascii": False}
    return JsonResponse(body(code, message), status=status, json_dumps_params=compact)


def wants_json(request: HttpRequest) -> bool:
    """Programs get JSON; a person's browser gets a page."""
    pages = ("/dashboard", "/login", "/logout", "/admin", "/docs")
    return not (request.path_info.startswith(pages) or request.path_info == "/")
