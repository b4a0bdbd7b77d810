"""`make demo`."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from caesar.demo import Demo, DemoFailed, key_in
from caesar.up.banner import running_address
from workers import tasks


class Command(BaseCommand):
    help = "Play the Monday and Thursday story against the running server, step by step."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--url", help="where the server listens (default: where the one in CAESAR_HOME does)")

    def handle(self, *args: Any, **options: Any) -> None:
        config = settings.CAESAR
        url = options["url"] or running_address(config)
        try:
            demo = Demo(
                url=url,
                key=config.api_key.get_secret_value() or key_in(config.home),
                wake=lambda: tasks.tick.apply_async() and None,
                say=self.stdout.write,
            )
            demo.play()
        except DemoFailed as failed:
            raise CommandError(str(failed)) from None
