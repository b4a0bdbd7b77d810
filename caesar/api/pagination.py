"""Lists in pages that stay put while rows are added: a cursor names the last row seen, never a count of rows."""

from __future__ import annotations

import base64
import binascii
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from rest_framework.request import Request

from caesar.api import params
from memory.errors import InvalidInput

PAGE_SIZE = 50
MOST = 200


@dataclass(frozen=True)
class Place:
    """Between which rows a page begins: after (older than) the row, or before (newer than) it."""

    forward: bool
    row: uuid.UUID | int

    def encoded(self) -> str:
        text = f"{'o' if self.forward else 'n'}{self.row}"
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@dataclass(frozen=True)
class Page:
    """Rows, newest first, and the cursors of the pages beside them."""

    rows: list[Any]
    next: Place | None
    previous: Place | None


def page(rows: QuerySet[Any], request: Request) -> Page:
    """The page that the request asks for. `rows` are ordered here: by id, newest first; ids grow with time."""
    size = params.whole_number(request, "page_size", default=PAGE_SIZE, least=1, most=MOST)
    wanted = request.query_params.get("cursor")
    place = _decoded(wanted, _id_of(rows)) if wanted else None
    if place is None or place.forward:
        older = rows.filter(id__lt=place.row) if place else rows
        found = list(older.order_by("-id")[: size + 1])
        shown, more = found[:size], len(found) > size
        return _page(shown, older=more, newer=place is not None)
    found = list(rows.filter(id__gt=place.row).order_by("id")[: size + 1])
    shown, more = found[:size][::-1], len(found) > size
    return _page(shown, older=True, newer=more)


def _page(rows: list[Any], *, older: bool, newer: bool) -> Page:
    if not rows:
        return Page(rows, None, None)
    return Page(
        rows,
        Place(True, rows[-1].pk) if older else None,
        Place(False, rows[0].pk) if newer else None,
    )


def _id_of(rows: QuerySet[Any]) -> Callable[[str], uuid.UUID | int]:
    return params.uuid_of if rows.model._meta.pk.get_internal_type() == "UUIDField" else params.number_of


def _decoded(cursor: str, parse: Callable[[str], uuid.UUID | int]) -> Place:
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
        if text[:1] not in ("o", "n"):
            raise ValueError
        return Place(text[0] == "o", parse(text[1:]))
    except (ValueError, binascii.Error):
        raise InvalidInput("cursor is none that this list gave out: leave it out to start at the newest.") from None


def enveloped(request: Request, found: Page, results: list[Any]) -> dict[str, Any]:
    """`{next, previous, results}`; the first two are addresses, or null at an end."""
    return {
        "next": _address(request, found.next),
        "previous": _address(request, found.previous),
        "results": results,
    }


def _address(request: Request, place: Place | None) -> str | None:
    if place is None:
        return None
    query = {**request.query_params.dict(), "cursor": place.encoded()}
    return f"{request.build_absolute_uri(request.path)}?{urlencode(query)}"
