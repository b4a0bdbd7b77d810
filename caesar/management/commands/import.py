"""`manage.py import`: a file into a person's memory."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from caesar.management.command import Verb, add_whose, whose
from caesar.management.printing import add_json, as_json
from memory.errors import InvalidInput
from memory.portable import importing
from memory.portable.importing import Report

EVERY_SECONDS = 2.0


class Command(Verb):
    help = (
        "Import a file into a person's memory: an export of this product, ChatGPT's or Claude's data export, chats of "
        "Open WebUI, memories of mem0, a list of facts, an SQLite file of CAESAR or a BrainCue database. What is there "
        "already is passed over, so that a file may be imported again, also after the import broke off."
    )
    examples = ("import conversations.json --dry-run", "import memory.jsonl --profile anna")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="what to import; which format it has is found out")
        add_whose(parser)
        parser.add_argument("--dry-run", action="store_true", help="only say what would be imported")
        parser.add_argument("--with-settings", action="store_true", help="take over the settings of an export, too")
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"There is no file {path}.", returncode=2)
        profile = whose(options)
        self._told = time.monotonic()
        try:
            report = importing.run(
                profile_id=profile.id,
                path=path,
                name=path.name,
                dry_run=options["dry_run"],
                settings=options["with_settings"],
                actor="operator",
                progress=self._tell,
            )
        except InvalidInput as error:
            raise CommandError(str(error), returncode=2) from None
        except OSError as error:
            raise CommandError(f"{error.filename or path}: {error.strerror}.") from None
        if options["json"]:
            self.stdout.write(as_json({"profile": profile.name, **report.as_dict()}))
            return
        self._print(report, profile.name)

    def _tell(self, done: int, total: int) -> None:
        if time.monotonic() - self._told >= EVERY_SECONDS:
            self._told = time.monotonic()
            self.stderr.write(f"{done:,} of {total:,} records")
            self.stderr.flush()

    def _print(self, report: Report, name: str) -> None:
        would = "would be imported" if report.dry_run else "imported"
        self.stdout.write(f"{report.format}, {report.total:,} records, {would} into {name!r}:")
        for kind, counts in report.counts.items():
            self.stdout.write(f"  {kind}: " + ", ".join(f"{count:,} {became}" for became, count in counts.items()))
        if not report.counts:
            self.stdout.write("  nothing")
        for one in report.skipped:
            self.stdout.write(f"  passed over: {one.where}: {one.why}")
        if report.unused > len(report.skipped):
            self.stdout.write(f"  passed over: {report.unused - len(report.skipped):,} more")
