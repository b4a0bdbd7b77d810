"""`manage.py login_link`."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from caesar.login import tokens
from caesar.management.command import Verb
from caesar.management.printing import add_json, as_json
from caesar.up.banner import running_address
from memory import operations


class Command(Verb):
    help = "Print a link into the dashboard. It works once, for a quarter of an hour."
    examples = ("login_link", "login_link --user anna")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", help="whom it lets in (default: the operator)")
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        path = tokens.make(operations.user_named(options["user"]).id)
        url = running_address(settings.CAESAR).rstrip("/") + path
        self.stdout.write(as_json({"url": url}) if options["json"] else url)
