"""`manage.py restore FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from caesar.backup import restoring
from caesar.management.command import Verb
from caesar.management.printing import add_json, as_json


class Command(Verb):
    help = (
        "Bring a backup into this installation, whole or not at all; a backup of an older release is brought up to "
        "date. Web and workers must not run. What waited to be read is read afterwards, nothing is read twice, and the "
        "log keeps its ids. Who was logged in logs in anew."
    )
    examples = ("restore var/backups/memory.tar", "restore memory.tar --force")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="what `backup` wrote")
        parser.add_argument("--force", action="store_true", help="put it in the place of what is there already")
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        manifest = restoring.restore(settings.CAESAR, options["file"], force=options["force"])
        if options["json"]:
            self.stdout.write(as_json({"made_at": manifest.made_at, "rows": manifest.rows}))
            return
        rows = sum(manifest.rows.values())
        self.stdout.write(f"Restored {rows:,} rows of {len(manifest.rows)} tables as of {manifest.made_at}.")
