"""Who calls the REST API: a bearer key, by the same rules as for the chat."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from caesar import access
from memory.apikeys import KeyOwner
from memory.models import Profile


@dataclass(frozen=True)
class Caller:
    """The owner of the key, and the profile whose memory this request is about."""

    key: KeyOwner
    profile: Profile
    is_authenticated: bool = True

    @property
    def profile_id(self) -> uuid.UUID:
        return self.profile.id


class ApiKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer KEY`. A session's cookie opens nothing here, so there is no CSRF to guard."""

    def authenticate(self, request: Request) -> tuple[Caller, KeyOwner]:
        """Raises `access.Unauthorized`: unknown, revoked and missing keys get the same answer."""
        owner = access.identify(request.META.get("HTTP_AUTHORIZATION"), address_of(request))
        named, user = (request.headers.get(name) for name in ("X-Caesar-Profile", access.USER_HEADER))
        return Caller(owner, access.profile_of(owner, named, user)), owner

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def address_of(request: Any) -> str:
    """Where a request came from."""
    return str(request.META.get("REMOTE_ADDR") or "")


class ApiKeyScheme(OpenApiAuthenticationExtension):
    """How the schema describes it."""

    target_class = ApiKeyAuthentication
    name = "apiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A key made by `manage.py apikey create`."}
