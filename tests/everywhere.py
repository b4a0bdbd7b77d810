"""Looks for words in every column of every table, and in every file of the home."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

from tests.environment import HOME

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

COLUMNS = """
    SELECT c.table_name, c.column_name, c.data_type FROM information_schema.columns c
      JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.table_name <> 'django_migrations'
     ORDER BY 1, 2
"""


def columns(cluster: Postgres) -> list[tuple[str, str, str]]:
    """(table, column, type) of all that there is; a time at which tables were made may hold any figure."""
    with psycopg.connect(cluster.url("superuser")) as connection:
        return connection.execute(COLUMNS).fetchall()


def in_tables(cluster: Postgres, word: str) -> list[str]:
    """`table.column` of each column that has the word somewhere, however it is written."""
    found = []
    with psycopg.connect(cluster.url("superuser")) as connection:
        for table, column, kind in columns(cluster):
            named = sql.Identifier(column)
            test = sql.SQL("position(%(word)s::text in lower({}::text)) > 0").format(named)
            if kind == "bytea":
                test = sql.SQL("position(convert_to(%(word)s, 'UTF8') in {}) > 0").format(named)
            query = sql.SQL("SELECT EXISTS (SELECT FROM {} WHERE {})").format(sql.Identifier(table), test)
            (there,) = connection.execute(query, {"word": word.lower()}).fetchone() or (False,)
            if there:
                found.append(f"{table}.{column}")
    return found


def in_files(word: str) -> list[Path]:
    """Files under the home that hold the word; the database's own blocks are its tables' business."""
    data = Path(HOME) / "postgres" / "data"
    needle = word.lower().encode()
    return [
        path
        for path in Path(HOME).rglob("*")
        if path.is_file() and data not in path.parents and needle in path.read_bytes().lower()
    ]


def rows_of(cluster: Postgres, profile_id: object) -> dict[str, int]:
    """How many rows of a profile each table has, where it has some."""
    found = {}
    with psycopg.connect(cluster.url("superuser")) as connection:
        for table, column, _ in columns(cluster):
            if column == "profile_id" or (table, column) == ("profiles", "id"):
                query = sql.SQL("SELECT count(*) FROM {} WHERE {} = %s").format(
                    sql.Identifier(table), sql.Identifier(column)
                )
                (count,) = connection.execute(query, [profile_id]).fetchone() or (0,)
                if count:
                    found[table] = count
    return found
