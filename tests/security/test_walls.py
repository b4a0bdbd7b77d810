"""The second wall: whatever is asked, as the application's role, without any of the application's filters.

Every table with row-level security is gone over, so that a new one is in here by itself.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg import sql

from tests.memory.conftest import model  # noqa: F401
from tests.memory.lives import live
from tests.people import Person, person

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

WALLED = """
SELECT c.relname, (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'profile_id')
  FROM pg_class c WHERE c.relrowsecurity AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1"""
ACCOUNTS = {"auth_user", "auth_user_groups", "auth_user_user_permissions", "django_session", "django_admin_log"}
ACCOUNTS |= {"login_tokens"}
NOBODY = uuid.UUID(int=0)


@pytest.fixture
def marta(database: Postgres, model: Any) -> uuid.UUID:  # noqa: F811
    """Somebody with rows in every table that keeps what belongs to a person."""
    return live(model, person("owner")).id


@pytest.fixture
def bert(marta: uuid.UUID) -> Person:
    return person("bert")


def walled(cluster: Postgres) -> dict[str, str]:
    """Each table behind the wall that has people's rows, with the column that says whose."""
    with psycopg.connect(cluster.url("superuser")) as link:
        found = {table: column or "id" for table, column in link.execute(WALLED).fetchall()}
    return {table: column for table, column in found.items() if table not in ACCOUNTS}


class Session:
    """The service's login in the application's role, in the name of a profile and a user."""

    def __init__(self, cluster: Postgres, profile: object, user: object = "") -> None:
        self.link = psycopg.connect(cluster.url("service"))
        self.link.execute("SELECT set_config('role', 'caesar_app', false)")
        self.link.execute("SELECT set_config('caesar.profile_id', %s, false)", [str(profile or "")])
        self.link.execute("SELECT set_config('caesar.user_id', %s, false)", [str(user)])
        self.link.commit()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: Any) -> None:
        self.link.close()

    def count(self, query: str, table: str, **values: Any) -> int:
        row = self.link.execute(_put(query, table, **values)).fetchone()
        assert row is not None
        self.link.rollback()
        return int(row[0])

    def touched(self, query: str, table: str, **values: Any) -> int:
        """How many rows a statement changed; none where it may not even try."""
        try:
            return self.link.execute(_put(query, table, **values)).rowcount
        except psycopg.errors.InsufficientPrivilege:
            return 0
        finally:
            self.link.rollback()


def _put(query: str, table: str, **values: Any) -> sql.Composed:
    named = {name: sql.Identifier(value) if name == "column" else sql.Literal(value) for name, value in values.items()}
    return sql.SQL(query).format(table=sql.Identifier(table), **named)  # type: ignore[arg-type]


@pytest.fixture
def hers(database: Postgres, marta: uuid.UUID) -> dict[str, Any]:
    """A row of hers of each table."""
    found = {}
    with psycopg.connect(database.url("superuser")) as link:
        for table, column in walled(database).items():
            query = "SELECT to_jsonb(t)::text FROM {table} t WHERE {column} = {marta} LIMIT 1"
            row = link.execute(_put(query, table, column=column, marta=marta)).fetchone()
            if row is not None:
                found[table] = row[0]
    assert len(found) >= 20
    return found


def test_nobody_sees_or_touches_a_row_of_hers(database: Postgres, marta: uuid.UUID, bert: Person) -> None:
    others = [(bert.profile_id, bert.user_id), (NOBODY, 0), ("", "")]
    for profile, user in others:
        with Session(database, profile, user) as session:
            for table, column in walled(database).items():
                where = {"column": column, "marta": marta}
                own = "SELECT count(*) FROM {table} WHERE {column} IS DISTINCT FROM {own}"
                seen = session.count(own, table, column=column, own=str(profile or NOBODY))
                assert seen == 0 or (table in ("profiles", "spaces", "api_keys") and user), (table, profile)
                assert session.count("SELECT count(*) FROM {table} WHERE {column} = {marta}", table, **where) == 0
                for change in (
                    "DELETE FROM {table} WHERE {column} = {marta}",
                    "UPDATE {table} SET {column} = {column} WHERE {column} = {marta}",
                    "DELETE FROM {table}" if not user else "DELETE FROM {table} WHERE false",
                ):
                    assert session.touched(change, table, **where) == 0, (table, change)


def test_nobody_writes_a_row_in_her_name(database: Postgres, hers: dict[str, Any], bert: Person) -> None:
    """A copy of her own row, sent in from outside: it must not even be told that the key is taken."""
    copy = "INSERT INTO {table} SELECT * FROM jsonb_populate_record(NULL::{table}, {row})"
    with Session(database, bert.profile_id, bert.user_id) as session:
        for table, row in hers.items():
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                session.link.execute(_put(copy, table, row=row))
            session.link.rollback()


def test_she_sees_her_own(database: Postgres, marta: uuid.UUID, hers: dict[str, Any]) -> None:
    """Else the tests above would hold of a wall without a door."""
    with Session(database, marta) as session:
        for table, column in walled(database).items():
            if table in hers and table != "api_keys":  # those are a user's, not a profile's
                seen = session.count(
                    "SELECT count(*) FROM {table} WHERE {column} = {marta}", table, column=column, marta=marta
                )
                assert seen > 0, table


def test_who_takes_no_role_sees_nothing(database: Postgres, marta: uuid.UUID) -> None:
    """A transaction that forgot to open a scope."""
    with psycopg.connect(database.url("service")) as link:
        for table in walled(database):
            row = link.execute(_put("SELECT count(*) FROM {table}", table)).fetchone()
            assert row == (0,), table


def test_the_owner_of_the_tables_is_behind_the_wall_as_well(database: Postgres, marta: uuid.UUID) -> None:
    with psycopg.connect(database.url("owner")) as link:
        for table in walled(database):
            assert link.execute(_put("SELECT count(*) FROM {table}", table)).fetchone() == (0,), table


def test_a_profile_that_is_no_profile_opens_nothing(database: Postgres, marta: uuid.UUID) -> None:
    for named in ("' OR true --", "*", "null", "%"):
        with Session(database, named) as session, pytest.raises(psycopg.errors.InvalidTextRepresentation):
            session.count("SELECT count(*) FROM {table}", "personal_facts")
