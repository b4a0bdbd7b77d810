"""Django's migrate, as the login that owns the tables, and beside running work."""

from __future__ import annotations

import time
from typing import Any

from django.conf import settings
from django.core.management.commands import migrate
from django.db import OperationalError, connection

from caesar.database import connection_settings, owner_url

# Who waits for a table's lock makes everybody wait behind: not for longer than this, and then once more later.
LOCK_SECONDS = 3
MOST_TRIES = 20
LOCKED = "55P03"


class Command(migrate.Command):
    """The service's login has no right to change tables; the owner's is used for this command alone."""

    def handle(self, *args: Any, **options: Any) -> None:
        service = connection.settings_dict
        connection.close()
        owner = connection_settings(settings.CAESAR, pool=False, url=owner_url(settings.CAESAR))
        owner["OPTIONS"]["options"] = f"-c lock_timeout={LOCK_SECONDS}s"
        connection.settings_dict = {**service, **owner}
        try:
            self._until_done(*args, **options)
        finally:
            connection.close()
            connection.settings_dict = service

    def _until_done(self, *args: Any, **options: Any) -> None:
        """Each migration is done or not; one that found a table busy is tried again, after those that wait for it."""
        for tried in range(1, MOST_TRIES + 1):
            try:
                super().handle(*args, **options)
                return
            except OperationalError as error:
                if tried == MOST_TRIES or getattr(error.__cause__, "sqlstate", None) != LOCKED:
                    raise
                self.stderr.write("A table is busy; trying again.")
                connection.close()
                time.sleep(LOCK_SECONDS)
