"""Real services for the tests: one PostgreSQL cluster and one broker per test process.

A test that uses `database` sees committed rows, as the product does; afterwards the tables are emptied.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from django.core.management import call_command

from tests.environment import HOME

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres
    from caesar.embedded.valkey import Valkey

pytest_plugins = ["tests.served", "tests.chromium"]
KEPT = {"django_migrations", "django_content_type", "auth_permission", "installation"}
EMPTYING_ATTEMPTS = 5


@pytest.fixture(scope="session")
def cluster(django_db_blocker: pytest.FixtureRequest) -> Iterator[Postgres]:
    from caesar.embedded import postgres

    with postgres.running(HOME, fast=True) as running, django_db_blocker.unblock():  # type: ignore[attr-defined]
        call_command("migrate", verbosity=0)
        yield running
        from django.db import connections

        connections.close_all()


@pytest.fixture(scope="session")
def broker() -> Iterator[Valkey]:
    from caesar.embedded import valkey

    with valkey.running(HOME) as running:
        yield running


class _Emptying:
    """Empties the tables, by one connection: what a new one has to look up costs ten times as much.

    A DELETE of a few rows takes a tenth of what TRUNCATE of all tables does.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection = self._connect()
        rows = self._connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        deletes = "; ".join(f'DELETE FROM "{name}"' for (name,) in rows if name not in KEPT)
        # As a replica no trigger fires, so even the append-only log can be emptied.
        self._sql = f"SET session_replication_role = replica; SET lock_timeout = '10s'; {deletes}; {RESTART}"

    def _connect(self) -> psycopg.Connection:
        return psycopg.connect(self._url, autocommit=True)

    def close(self) -> None:
        self._connection.close()

    def __call__(self) -> None:
        """A process that is still at work for the last test may be in the way for a moment."""
        for attempt in range(EMPTYING_ATTEMPTS):
            try:
                self._connection.execute(self._sql)
                return
            except psycopg.OperationalError:
                if attempt == EMPTYING_ATTEMPTS - 1:
                    raise
                if self._connection.closed:  # a test has restarted the database
                    self._connection = self._connect()


@pytest.fixture(scope="session")
def _emptying(cluster: Postgres) -> Iterator[_Emptying]:
    emptying = _Emptying(cluster.url("superuser"))
    yield emptying
    emptying.close()


RESTART = """
DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT quote_ident(sequencename) FROM pg_sequences
               WHERE schemaname = 'public' AND last_value IS NOT NULL AND sequencename NOT LIKE 'django%' LOOP
    EXECUTE 'ALTER SEQUENCE ' || name || ' RESTART';
  END LOOP;
END $$"""


@pytest.fixture
def database(cluster: Postgres, _emptying: _Emptying, django_db_blocker: pytest.FixtureRequest) -> Iterator[Postgres]:
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        yield cluster
    _emptying()
    shutil.rmtree(Path(HOME, "people"), ignore_errors=True)  # files that were made for people who are gone now
