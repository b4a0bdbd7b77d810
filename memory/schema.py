"""Whether the tables are those that this code was written for."""

from __future__ import annotations

from functools import cache

from django.db import ProgrammingError, connection
from django.db.migrations.loader import MigrationLoader

from memory.db import claim_scope
from memory.version import VERSION

APP = "memory"


def mismatch() -> str:
    """Why this process must not touch the tables, as a sentence; empty where it may. Call outside of any scope.

    Both ways: tables that lack something this code needs, and tables that a later release has changed.
    """
    try:
        with claim_scope(), connection.cursor() as cursor:
            cursor.execute("SELECT name FROM django_migrations WHERE app = %s", [APP])
            applied = {name for (name,) in cursor.fetchall()}
    except ProgrammingError:  # no tables yet, or such as do not let a worker look
        return f"The database is older than this release ({VERSION}). Run `manage.py migrate`."
    if missing := sorted(known() - applied):
        return f"The database is older than this release ({VERSION}): it lacks {missing[0]}. Run `manage.py migrate`."
    if ahead := sorted(applied - known()):
        return f"The database is newer than this release ({VERSION}): it has {ahead[0]}. Update this host."
    return ""


@cache
def known() -> frozenset[str]:
    """The names of the migrations that this code brings."""
    loader = MigrationLoader(None)
    return frozenset(name for app, name in loader.disk_migrations if app == APP)
