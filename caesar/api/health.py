"""Is it alive, is it ready, and what it counts. The first two need no key."""

from __future__ import annotations

import hmac

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from caesar import access, gauges
from caesar.api import errors
from caesar.api.auth import address_of
from caesar.health import readiness
from memory.errors import CaesarError


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers; nothing else is looked at."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 where everything that is needed is there, else 503; the body says which is not."""
    found = readiness.get()
    return JsonResponse(found.shown(), status=200 if found.ok else 503)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus' text, for whoever has the metrics token or any valid API key."""
    authorization = request.META.get("HTTP_AUTHORIZATION")
    if not _has_token(authorization):
        try:
            access.identify(authorization, address_of(request))
        except CaesarError as error:
            refused = errors.answer(error.status, error.code, str(error))
            for name, value in errors.headers_of(error).items():
                refused[name] = value
            return refused
    text, kind = gauges.text()
    return HttpResponse(text, content_type=kind)


def _has_token(authorization: str | None) -> bool:
    token = settings.CAESAR.metrics_token.get_secret_value()
    scheme, _, given = (authorization or "").strip().partition(" ")
    if not token or scheme.lower() != "bearer":
        return False
    return hmac.compare_digest(given.strip().encode("utf-8", "surrogatepass"), token.encode())
