"""What is answered where no view could answer: JSON for programs, a plain page for people, no traceback for anyone."""

from __future__ import annotations

import sys
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from caesar.api import errors
from caesar.outage import is_outage

TITLES = {
    400: "Not understood",
    403: "Not allowed",
    404: "Nothing here",
    500: "Something went wrong",
    503: "The database is away",
}
SENTENCES = {
    400: "The request cannot be understood.",
    403: "This page was open too long, or cookies are off: load it again and repeat what you did.",
    404: "There is nothing here.",
    500: errors.INTERNAL,
    503: errors.NO_DATABASE,
}


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None, reason: str = "") -> HttpResponse:
    """Also what a missing CSRF token gets."""
    return _answer(request, 403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """The database being away is not our mistake, and passes."""
    away = is_outage(sys.exc_info()[1])
    response = _answer(request, 503 if away else 500)
    if away:
        response["Retry-After"] = "2"
    return response


def _answer(request: HttpRequest, status: int) -> HttpResponse:
    code = {500: "internal_error", 503: "database_unavailable"}.get(status, errors.CODES.get(status, "error"))
    if errors.wants_json(request):
        return errors.answer(status, code, SENTENCES[status])
    shown: dict[str, Any] = {
        "status": status,
        "title": TITLES[status],
        "sentence": SENTENCES[status],
        # A form is not sent again by a link.
        "again": request.get_full_path() if status == 503 and request.method == "GET" else "",
    }
    return HttpResponse(render_to_string("dashboard/failure.html", shown), status=status)
