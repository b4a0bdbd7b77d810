"""Do background work in this process."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from workers import tasks


class Command(BaseCommand):
    help = "Run every due poll and work item in this process, then exit."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="work off what is due now (the only mode)")
        parser.add_argument("--json", action="store_true", help="print the count as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["once"]:
            raise CommandError("say --once; a worker that keeps running is `celery -A caesar worker`.")
        done = tasks.drain()
        self.stdout.write(json.dumps({"worked_off": done}) if options["json"] else f"{done} conversations read.")
