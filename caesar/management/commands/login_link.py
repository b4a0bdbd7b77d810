"""`manage.py login_link`."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from caesar.login import tokens
from caesar.management.printing import add_json, as_json
from caesar.up.banner import running_address
from memory import operations


class Command(BaseCommand):
    help = "Print a link into the dashboard. It works once, for a quarter of an hour."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", help="whom it lets in (default: the operator)")
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        path = tokens.make(operations.user_named(options["user"]).id)
        url = running_address(settings.CAESAR).rstrip("/") + path
        self.stdout.write(as_json({"url": url}) if options["json"] else url)
