"""Many rows changed in one statement: Django's `bulk_update` builds a CASE per value, at more cost than the write."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection, models


def update(rows: Sequence[models.Model], fields: Sequence[str]) -> None:
    """Write these fields of rows of one table, each row with values of its own. Nothing for no rows."""
    if not rows:
        return
    model = type(rows[0])
    columns = _columns(model, tuple(fields))
    values = [{column: getattr(row, name) for name, column, _ in columns} for row in rows]
    with connection.cursor() as cursor:
        cursor.execute(_statement(model, tuple(fields)), [json.dumps(values, default=str)])


@cache
def _columns(model: type[models.Model], fields: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """(attribute, column, type) of the primary key and of each field."""
    found: list[Any] = [model._meta.pk, *(model._meta.get_field(name) for name in fields)]
    return [(f.attname, f.column, f.rel_db_type(connection) if f.primary_key else f.db_type(connection)) for f in found]


@cache
def _statement(model: type[models.Model], fields: tuple[str, ...]) -> str:
    (_, key, _), *rest = columns = _columns(model, fields)
    sets = ", ".join(f'"{column}" = v."{column}"' for _, column, _ in rest)
    typed = ", ".join(f'"{column}" {kind}' for _, column, kind in columns)
    return (
        f'UPDATE "{model._meta.db_table}" t SET {sets} FROM jsonb_to_recordset(%s::jsonb) AS v({typed})'
        f' WHERE t."{key}" = v."{key}"'
    )
