"""`manage.py requeue [ID|--all]`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from caesar.management.command import Verb
from caesar.management.printing import add_json, as_json
from memory import operations


class Command(Verb):
    help = "Let work that failed or was given up be tried again now, with all its attempts before it."
    examples = ("requeue 311", "requeue --all")

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument(
            "id", nargs="?", type=int, metavar="ID", help="one item, as `GET /v1/work` or the admin show it"
        )
        which.add_argument("--all", action="store_true", help="everything that was given up")
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["all"]:
            count = operations.retry_all_dead()
        else:
            operations.retry(options["id"])
            count = 1
        items = "1 item" if count == 1 else f"{count} items"
        self.stdout.write(as_json({"requeued": count}) if options["json"] else f"{items} will be tried again.")
