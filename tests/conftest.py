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


@pytest.fixture(scope="session")
def _emptying(cluster: Postgres) -> str:
    """What empties the tables. A DELETE of a few rows takes a tenth of what TRUNCATE of all tables does."""
    with psycopg.connect(cluster.url("superuser")) as connection:
        rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    deletes = "; ".join(f'DELETE FROM "{name}"' for (name,) in rows if name not in KEPT)
    # As a replica no trigger fires, so even the append-only log can be emptied.
    return f"SET session_replication_role = replica; SET lock_timeout = '10s'; {deletes}; {RESTART}"


RESTART = """
DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT quote_ident(sequencename) FROM pg_sequences
               WHERE schemaname = 'public' AND last_value IS NOT NULL AND sequencename NOT LIKE 'django%' LOOP
    EXECUTE 'ALTER SEQUENCE ' || name || ' RESTART';
  END LOOP;
END $$"""


@pytest.fixture
def database(cluster: Postgres, _emptying: str, django_db_blocker: pytest.FixtureRequest) -> Iterator[Postgres]:
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        yield cluster
    _empty(cluster, _emptying)
    shutil.rmtree(Path(HOME, "people"), ignore_errors=True)  # files that were made for people who are gone now


def _empty(cluster: Postgres, emptying: str) -> None:
    """A process that is still at work for the last test may be in the way for a moment."""
    for attempt in range(EMPTYING_ATTEMPTS):
        try:
            with psycopg.connect(cluster.url("superuser"), autocommit=True) as connection:
                connection.execute(emptying)
            return
        except (psycopg.errors.DeadlockDetected, psycopg.errors.LockNotAvailable):
            if attempt == EMPTYING_ATTEMPTS - 1:
                raise
