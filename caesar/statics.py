"""Our own files for the pages."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.templatetags.static import static
from whitenoise.middleware import WhiteNoiseMiddleware


class StaticFiles(WhiteNoiseMiddleware):
    """WhiteNoise, sending each file as a whole: its file responses cannot be streamed under ASGI, and warn of it."""

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponse:
        found = static_file.get_response(request.method, request.META)
        content = b""
        if found.file is not None:
            with found.file:
                content = found.file.read()
        response = HttpResponse(content, status=int(found.status))
        del response["Content-Type"]
        for name, value in found.headers:
            response[name] = value
        return response


def favicon(request: HttpRequest) -> HttpResponse:
    """Where browsers look for it by themselves."""
    return HttpResponseRedirect(static("dashboard/icon.svg"))
