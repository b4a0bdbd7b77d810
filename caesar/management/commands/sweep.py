"""`manage.py sweep --dry-run|--apply`."""

from __future__ import annotations

import sys
from dataclasses import asdict, fields
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from caesar.management.command import Verb
from caesar.management.printing import add_json, as_json, as_table
from memory import sweep_plan
from workers import sweeping

HEAD = {
    "chats": "CHATS",
    "unread": "UNREAD",
    "audit_log": "LOG ROWS",
    "episode_summaries": "SUMMARIES",
    "passages": "PIECES",
    "conversations": "CONVERSATIONS",
    "off_record": "OFF RECORD",
}


class Command(Verb):
    help = (
        "Remove what is older than CAESAR_MEMORY__RETENTION_DAYS: rows of the log, and with the chats among them their "
        "summaries, pieces and conversations. Facts stay, with their quotes. A running installation does it by itself "
        "every CAESAR_MEMORY__SWEEP_INTERVAL_SECONDS. Exit code 1: it failed for somebody, whom the log names."
    )
    examples = ("sweep --dry-run", "sweep --apply")

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--dry-run", action="store_true", help="only say what would go")
        what.add_argument("--apply", action="store_true", help="do it")
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["dry_run"]:
            self._plan(options["json"])
            return
        done = sweeping.run(actor="operator")
        if options["json"]:
            self.stdout.write(as_json({"applied": True, **asdict(done)}))
        else:
            went = ", ".join(f"{table} {count}" for table, count in done.rows.items() if count) or "nothing"
            self.stdout.write(f"Removed what was older than {done.before:%Y-%m-%d %H:%M} UTC: {went}.")
            if done.unread:
                self.stdout.write(f"Readings of these chats that had not been done: {done.unread}.")
        if done.failed:
            self.stderr.write(f"It failed for {done.failed} of the people; the lines above say why.")
            sys.exit(1)

    def _plan(self, wants_json: bool) -> None:
        before, lines = sweep_plan.plan()
        names = [each.name for each in fields(sweep_plan.Line) if each.name in HEAD]
        total = {name: sum(getattr(line, name) for line in lines) for name in names}
        if wants_json:
            self.stdout.write(
                as_json({"applied": False, "before": before, "rows": total, "profiles": [asdict(x) for x in lines]})
            )
            return
        days = settings.CAESAR.memory.retention_days
        self.stdout.write(f"Older than {days:g} days (before {before:%Y-%m-%d %H:%M} UTC):")
        rows = [(line.user or "-", line.profile or "-", *(getattr(line, n) for n in names)) for line in lines]
        self.stdout.write(as_table(("USER", "PROFILE", *(HEAD[n] for n in names)), rows) if rows else "nothing")
        self.stdout.write("Nothing was removed; --apply does it.")
