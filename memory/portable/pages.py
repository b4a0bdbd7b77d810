"""Rows of one profile in bounded pages, whatever their number. Call inside a scope that sees one moment of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

PAGE = 500
Row = TypeVar("Row", bound=Model)


def paged(rows: QuerySet[Row], size: int = PAGE) -> Iterator[list[Row]]:
    """The rows in order of their ids, so many at a time."""
    last: Any = None
    ordered = rows.order_by("pk")
    while True:
        page = list((ordered if last is None else ordered.filter(pk__gt=last))[:size])
        if page:
            yield page
        if len(page) < size:
            return
        last = page[-1].pk


def each(rows: QuerySet[Row], size: int = PAGE) -> Iterator[Row]:
    """The rows one by one."""
    for page in paged(rows, size):
        yield from page
