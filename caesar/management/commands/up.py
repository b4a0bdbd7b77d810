"""`manage.py up`: serve everything from this machine until Ctrl-C."""

from __future__ import annotations

import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from caesar.up.run import up


class Command(BaseCommand):
    help = (
        "Starts PostgreSQL and the broker (unless CAESAR_DATABASE_URL and CAESAR_BROKER_URL name others), "
        "brings the tables up to date, makes the operator and an API key, and serves web, worker and beat "
        "until Ctrl-C."
    )
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        up(settings.CAESAR, sys.stdout)
