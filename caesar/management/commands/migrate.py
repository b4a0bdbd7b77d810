"""Django's migrate, as the login that owns the tables."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.commands import migrate
from django.db import connection

from caesar.database import connection_settings, owner_url


class Command(migrate.Command):
    """The service's login has no right to change tables; the owner's is used for this command alone."""

    def handle(self, *args: Any, **options: Any) -> None:
        service = connection.settings_dict
        connection.close()
        owner = connection_settings(settings.CAESAR, pool=False, url=owner_url(settings.CAESAR))
        connection.settings_dict = {**service, **owner}
        try:
            super().handle(*args, **options)
        finally:
            connection.close()
            connection.settings_dict = service
