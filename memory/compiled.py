"""Queries of the ORM whose SQL is made once: that takes Django longer than PostgreSQL takes to answer."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Hashable
from typing import Any

from django.db import connection


class Compiled:
    """A query that `make(*shape, **ids)` builds, a `values_list`: its SQL depends on the shape alone, and the ids are
    UUIDs that stand in it as parameters.
    """

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make
        self._kept: dict[Hashable, tuple[str, tuple[Any, ...]]] = {}

    def rows(self, *shape: Hashable, **ids: uuid.UUID) -> list[tuple[Any, ...]]:
        """Its rows, as the database gives them."""
        kept = (shape, *ids)
        if kept not in self._kept:
            blank = {name: _blank(name) for name in ids}
            self._kept[kept] = self._make(*shape, **blank).query.sql_with_params()
        sql, params = self._kept[kept]
        filled = {_blank(name): value for name, value in ids.items()}
        with connection.cursor() as cursor:
            cursor.execute(sql, [filled.get(p, p) if isinstance(p, uuid.UUID) else p for p in params])
            return cursor.fetchall()


def _blank(name: str) -> uuid.UUID:
    """What stands in the place of an id until there is one."""
    return uuid.uuid5(uuid.NAMESPACE_OID, name)
