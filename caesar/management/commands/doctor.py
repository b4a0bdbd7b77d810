"""`manage.py doctor`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from caesar import doctor
from caesar.management.command import Verb
from caesar.management.printing import add_json, as_json
from caesar.management.terminal import columns_of, wrapped


class Command(Verb):
    help = (
        "Look at everything that is needed, and say of each thing what to do. A model that is configured is asked one "
        "small question. Exit code 1: something does not work."
    )
    examples = ("doctor", "doctor --json")

    def add_arguments(self, parser: CommandParser) -> None:
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        found = doctor.examine()
        if options["json"]:
            self.stdout.write(as_json([asdict(one) for one in found]))
        else:
            columns = columns_of(self.stdout)
            for one in found:
                self.stdout.write(wrapped(f"{one.health:6}{one.name:12}", one.detail, columns))
                if one.fix:
                    self.stdout.write(wrapped(" " * 18, one.fix, columns))
        if any(one.health is doctor.Health.BAD for one in found):
            sys.exit(1)
