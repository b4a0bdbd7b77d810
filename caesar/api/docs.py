"""Short hands for describing routes in the schema.

Serializers of requests are for the schema alone: what may be in a request is for memory's verbs to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema_field, inline_serializer
from rest_framework import serializers

MEANINGS = {
    400: "Something in the request cannot be taken; the message says what.",
    401: "No key, or none that opens anything.",
    403: "The key is bound to another profile.",
    404: "There is no such thing for this caller.",
    409: "Somebody changed it first, or it is in another state than this needs.",
    413: "It is larger than may be.",
    415: "It is of a kind that is not taken.",
    422: "It has the right form and cannot be read; the message says why.",
    429: "This key asks too often; Retry-After says when to come again.",
    502: "The model did not answer.",
    503: "Not now; try again in a moment.",
    504: "The model did not answer in time.",
}


class ErrorBody(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="For programs.")
    message = serializers.CharField(help_text="For people.")
    details = serializers.JSONField(required=False)


class Error(serializers.Serializer[Any]):
    error = ErrorBody()


def answers(good: Any, *errors: int, status: int = 200) -> dict[int, Any]:
    """The answer of a route that needs a key, with its errors. Any may be asked with a parameter that it has not."""
    failed = {code: OpenApiResponse(Error, MEANINGS[code]) for code in (400, *errors, 401, 403, 429)}
    return {status: good if good is not None else OpenApiResponse(description="Done."), **failed}


def query(name: str, description: str, *, type: Any = str, choices: Sequence[str] | None = None) -> OpenApiParameter:
    return OpenApiParameter(name, type, description=description, enum=list(choices) if choices else None)


PAGE = (
    query("cursor", "From `next` or `previous` of another page."),
    query("page_size", "Rows in a page, 50 where it is not given, 200 at most.", type=int),
)
PAGE_NAMES = tuple(p.name for p in PAGE)


@cache
def page_of(serializer: type[serializers.Serializer[Any]]) -> Any:
    """`{next, previous, results}` in the schema."""
    return inline_serializer(
        f"PageOf{serializer.__name__.removesuffix('Serializer')}",
        {
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": serializer(many=True),
        },
    )


def one_of(*values: str) -> Callable[[Any], Any]:
    """Says which values a computed field has."""
    return extend_schema_field({"type": "string", "enum": list(values)})
