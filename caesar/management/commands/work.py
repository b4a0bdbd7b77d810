"""`manage.py work --once`: do the background work that is due, in this process."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from caesar.management.command import Verb
from caesar.management.printing import add_json, as_json
from workers import tasks


class Command(Verb):
    help = (
        "Run every due poll and work item in this process, then exit. Needs the database alone, no broker. What fails "
        "is tried again later, as always; `status` shows how many wait."
    )
    examples = ("work --once",)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="work off what is due now (the only mode)")
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["once"]:
            raise CommandError("say --once; a worker that keeps running is `celery -A caesar worker`.", returncode=2)
        done = tasks.drain()
        readings = "1 reading" if done == 1 else f"{done} readings"
        self.stdout.write(as_json({"worked_off": done}) if options["json"] else f"{readings} done.")
