"""`manage.py status`."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from caesar import health
from caesar.management.printing import add_json, as_json
from memory import operations


class Command(BaseCommand):
    help = (
        "Say whether everything that is needed is there, and where the work stands. Exit code 1: something is missing."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        found = health.look()
        checks = {check.name: check for check in found.checks}
        workers = health.ask_workers() if checks["broker"].ok else {}
        tables = checks["database"].ok and checks["migrations"].ok
        work = operations.work_counts() if tables else {}
        if options["json"]:
            counts: dict[str, dict[str, int]] = {}
            for (kind, state), count in work.items():
                counts.setdefault(kind, {})[state] = count
            self.stdout.write(as_json({**found.shown(), "workers": workers, "work": counts}))
        else:
            self.stdout.write("\n".join([*_lines(found), *_workers(workers), *_work(work)]))
        if not found.ok:
            sys.exit(1)


def _lines(found: health.Readiness) -> list[str]:
    lines = []
    for check in found.checks:
        lines.append(f"{check.name:12}{'ok ' if check.ok else 'NOT'}  {check.detail}")
        for place in check.data.get("cursors", ()):
            held = f", held back by session {place['blocked_by']}" if place["blocked_by"] else ""
            lines.append(f"{'':17}{place['kind']}: chats not looked at yet: {place['rows']}{held}")
    return lines


def _workers(workers: dict[str, list[str]]) -> list[str]:
    return [f"{'worker':17}{name}: {', '.join(queues)}" for name, queues in sorted(workers.items())]


def _work(work: dict[tuple[str, str], int]) -> list[str]:
    kinds = dict.fromkeys(kind for kind, _ in work)
    lines = []
    for kind in kinds:
        counts = [f"{count} {state}" for (of, state), count in work.items() if of == kind and count]
        lines.append(f"{'work':17}{kind}: {', '.join(counts) or 'nothing'}")
    return lines
