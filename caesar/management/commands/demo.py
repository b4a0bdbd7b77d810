"""`make demo`."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from kombu.exceptions import OperationalError as BrokerAway

from caesar.calling import key_in
from caesar.demo import Demo
from caesar.management.command import Verb
from caesar.up.banner import running_address
from workers import tasks


class Command(Verb):
    help = "Play the Monday and Thursday story against the running server, step by step."
    examples = ("demo", "demo --keep")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--keep", action="store_true", help="keep the profile that it was played with")
        parser.add_argument("--url", help="where the server listens (default: where the one in CAESAR_HOME does)")

    def handle(self, *args: Any, **options: Any) -> None:
        config = settings.CAESAR
        url = options["url"] or running_address(config)
        demo = Demo(
            url=url,
            key=config.api_key.get_secret_value() or key_in(config.home),
            wake=_wake,
            say=self.stdout.write,
            keep=options["keep"],
        )
        demo.play()


def _wake() -> None:
    """Ask a worker to look now. Where the broker cannot be reached from here, it looks at its own time."""
    try:
        tasks.look.apply_async(retry=False)
    except BrokerAway:
        return
