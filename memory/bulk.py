"""Many rows changed or made in one statement of one form, however many: what Django builds for each value costs more
than the write, and its text grows with the rows.

`updates` and `inserts` say what is to be done, `run` does several such things in one statement; they must not depend
on each other's order.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

from django.db import connection, models
from django.db.models.expressions import DatabaseDefault


@dataclass(frozen=True)
class Part:
    """What one statement does, or one of the things that it does."""

    sql: str
    params: tuple[Any, ...]


def run(*parts: Part | None) -> None:
    """Do all this in one statement; nothing for no parts."""
    todo = [part for part in parts if part is not None]
    if not todo:
        return
    text = todo[0].sql
    if len(todo) > 1:
        text = f"WITH {', '.join(f'p{n} AS ({part.sql})' for n, part in enumerate(todo))} SELECT"
    with connection.cursor() as cursor:
        cursor.execute(text, [param for part in todo for param in part.params])


def update(rows: Sequence[models.Model], fields: Sequence[str]) -> None:
    """Write these fields of rows of one table, each row with values of its own. Nothing for no rows."""
    run(updates(rows, fields))


def updates(rows: Sequence[models.Model], fields: Sequence[str]) -> Part | None:
    """What `update` does."""
    if not rows:
        return None
    model = type(rows[0])
    columns = _columns(model, tuple(fields))
    values = [{column: getattr(row, name) for name, column, _ in columns} for row in rows]
    return Part(_update(model, tuple(fields)), (json.dumps(values, default=str),))


def inserts(rows: Sequence[models.Model], *, skip_known: bool = False) -> Part | None:
    """Makes rows of one table; those that collide with what is there are passed over with `skip_known`, else an error.

    Columns that the database fills in itself, where no row says anything else, are left to it.
    """
    if not rows:
        return None
    model = type(rows[0])
    fields = [f for f in model._meta.concrete_fields if not _is_left_out(f, rows)]
    values = [{f.column: _plain(f.pre_save(row, True)) for f in fields} for row in rows]
    for row in rows:
        row._state.adding = False
    return Part(_insert(model, tuple(f.name for f in fields), skip_known), (json.dumps(values, default=str),))


def _is_left_out(field: Any, rows: Sequence[models.Model]) -> bool:
    left = (getattr(row, field.attname) for row in rows)
    return all(isinstance(value, DatabaseDefault) or (value is None and field.primary_key) for value in left)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


@cache
def _insert(model: type[models.Model], names: tuple[str, ...], skip_known: bool) -> str:
    fields: list[Any] = [model._meta.get_field(name) for name in names]
    columns = ", ".join(f'"{f.column}"' for f in fields)
    typed = ", ".join(
        f'"{f.column}" {f.rel_db_type(connection) if f.primary_key else f.db_type(connection)}' for f in fields
    )
    return (
        f'INSERT INTO "{model._meta.db_table}" ({columns}) SELECT {columns}'
        f" FROM jsonb_to_recordset(%s::jsonb) AS v({typed})" + (" ON CONFLICT DO NOTHING" if skip_known else "")
    )


@cache
def _columns(model: type[models.Model], fields: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """(attribute, column, type) of the primary key and of each field."""
    found: list[Any] = [model._meta.pk, *(model._meta.get_field(name) for name in fields)]
    return [(f.attname, f.column, f.rel_db_type(connection) if f.primary_key else f.db_type(connection)) for f in found]


@cache
def _update(model: type[models.Model], fields: tuple[str, ...]) -> str:
    (_, key, _), *rest = columns = _columns(model, fields)
    sets = ", ".join(f'"{column}" = v."{column}"' for _, column, _ in rest)
    typed = ", ".join(f'"{column}" {kind}' for _, column, kind in columns)
    return (
        f'UPDATE "{model._meta.db_table}" t SET {sets} FROM jsonb_to_recordset(%s::jsonb) AS v({typed})'
        f' WHERE t."{key}" = v."{key}"'
    )
