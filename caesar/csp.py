"""What a page may load and run: nothing but our own files."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

STRICT = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
# Pages that others wrote carry styles inside, but no scripts.
STYLED = STRICT + "; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
OTHERS = ("/admin/", "/docs/")


class ContentSecurityPolicy:
    """Puts the policy on every response."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        response.headers.setdefault(
            "Content-Security-Policy", STYLED if request.path_info.startswith(OTHERS) else STRICT
        )
        return response
