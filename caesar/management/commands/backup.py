"""`manage.py backup`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from caesar.backup import making
from caesar.management.command import Verb
from caesar.management.printing import add_json, as_json


class Command(Verb):
    help = (
        "Write all that is known to one file and check it by reading it back. Web and workers may go on meanwhile; the "
        "embedded database is started for it where it does not run. The file holds what people said: keep it as safe "
        "as the database."
    )
    examples = ("backup", "backup /mnt/disk/memory.tar --keep 7")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, help="where to (default: backups/ in CAESAR_HOME, by time)")
        parser.add_argument("--keep", type=int, metavar="N", help="remove all but the newest N in that folder")
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError("--keep is 1 or more.", returncode=2)
        path, manifest = making.backup(settings.CAESAR, options["file"], keep=options["keep"])
        rows, size = sum(manifest.rows.values()), path.stat().st_size
        if options["json"]:
            self.stdout.write(as_json({"file": path, "bytes": size, "rows": manifest.rows}))
            return
        self.stdout.write(f"{path}: {rows:,} rows of {len(manifest.rows)} tables in {size / 1e6:.1f} MB, read back.")
