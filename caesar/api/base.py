"""What every view of the REST API has in common."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

from django.db.models import QuerySet
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from caesar.api import pagination
from caesar.api.auth import Caller
from memory.db import profile_scope
from memory.errors import BeingErased


class AlwaysJSON(BaseContentNegotiation):
    """A client that asks for HTML gets JSON too, instead of a refusal."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        kind = (request.content_type or "").split(";")[0].strip().lower()
        return parsers[0] if kind in ("", "application/json") or kind.endswith("+json") else None

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


class MemoryView(APIView):
    """A view on one person's memory.

    Reads happen inside `self.scope()`; the verbs that change something open their own.
    """

    content_negotiation_class = AlwaysJSON
    while_erasing: tuple[str, ...] = ()  # methods that are answered also while the person is being erased
    metadata_class = None  # OPTIONS is no route; the schema describes them all

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if self.caller.profile.erasing_at is not None and request.method not in self.while_erasing:
            raise BeingErased

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """What is known of a person stays in no cache on the way."""
        response.headers.setdefault("Cache-Control", "no-store")
        return super().finalize_response(request, response, *args, **kwargs)

    @property
    def caller(self) -> Caller:
        caller = self.request.user
        assert isinstance(caller, Caller)
        return caller

    @property
    def sent(self) -> dict[str, Any]:
        """The object in the request's body; an empty one where there is no body."""
        sent = self.request.data
        return sent if isinstance(sent, dict) else {}

    def scope(self) -> AbstractContextManager[None]:
        return profile_scope(self.caller.profile_id)

    def listed(self, rows: QuerySet[Any], serializer: type[Serializer[Any]]) -> Response:
        """A page of rows. Call inside the scope."""
        found = pagination.page(rows, self.request)
        return Response(pagination.enveloped(self.request, found, self.many(found.rows, serializer)))

    def many(self, rows: Iterable[Any], serializer: type[Serializer[Any]]) -> list[Any]:
        return list(serializer(list(rows), many=True, context=self.context()).data)

    def context(self) -> dict[str, Any]:
        return {"profile": self.caller.profile}
