"""`manage.py up`: serve everything from this machine until Ctrl-C."""

from __future__ import annotations

import sys
from typing import Any

from django.conf import settings

from caesar.management.command import Verb
from caesar.up.run import up


class Command(Verb):
    help = (
        "Starts PostgreSQL and the broker (unless CAESAR_DATABASE_URL and CAESAR_BROKER_URL name others), "
        "brings the tables up to date, makes the operator and an API key, and serves web, worker and beat "
        "until Ctrl-C."
    )
    examples = ("up",)

    def handle(self, *args: Any, **options: Any) -> None:
        up(settings.CAESAR, sys.stdout)
