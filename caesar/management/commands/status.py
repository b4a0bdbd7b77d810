"""`manage.py status`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from caesar import health
from caesar.doctor import FIXES
from caesar.management.command import Verb
from caesar.management.printing import add_json, as_json
from caesar.management.terminal import columns_of, wrapped
from memory import operations, workers
from memory.models import WorkState

INDENT = " " * 20
Line = tuple[str, str]  # what stands in front, and the text
# What an operator calls a state.
STATES: Mapping[str, str] = {
    WorkState.WAITING: "waiting",
    WorkState.RUNNING: "at work",
    WorkState.DONE: "done",
    WorkState.DEAD: "given up (`requeue` tries again)",
    WorkState.CANCELLED: "cancelled",
}


class Command(Verb):
    help = (
        "Say whether everything that is needed is there, and where the work stands. Exit code 1: something is missing."
    )
    examples = ("status", "status --json")

    def add_arguments(self, parser: CommandParser) -> None:
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        found = health.look()
        checks = {check.name: check for check in found.checks}
        tables = checks["database"].ok and checks["migrations"].ok
        seen = workers.listed() if tables else []
        work = operations.work_counts() if tables else {}
        if options["json"]:
            counts: dict[str, dict[str, int]] = {}
            for (kind, state), count in work.items():
                counts.setdefault(kind, {})[state] = count
            self.stdout.write(as_json({**found.shown(), "workers": list(map(asdict, seen)), "work": counts}))
        else:
            columns = columns_of(self.stdout)
            lines = [*_checks(found), *_workers(seen), *_work(work)]
            self.stdout.write("\n".join([*(wrapped(*line, columns) for line in lines), _verdict(found)]))
        if not found.ok:
            sys.exit(1)


def _checks(found: health.Readiness) -> Iterator[Line]:
    for check in found.checks:
        word = "NOT OK" if not check.ok else "in part" if check.degraded else "ok"
        yield f"{check.name:12}{word:8}", check.detail
        if not check.ok or check.degraded:
            yield INDENT, FIXES[check.name]
        for place in check.data.get("cursors", ()):
            held = f", held back by the database session {place['blocked_by']}" if place["blocked_by"] else ""
            yield INDENT, f"{place['kind']}: chats that it has not come to yet: {place['rows']}{held}"


def _workers(seen: Sequence[workers.Seen]) -> Iterator[Line]:
    """Who works, and who should."""
    for one in seen:
        state = f"silent for {one.seconds:.0f} s" if one.silent else f"seen {one.seconds:.0f} s ago"
        refusal = f"; takes no work: {one.problem}" if one.problem else ""
        yield f"{'worker':20}", f"{one.name} ({one.version}) takes {', '.join(one.queues)}; {state}{refusal}"


def _work(work: Mapping[tuple[str, str], int]) -> Iterator[Line]:
    """How many chats stand where, by what is done with them."""
    for kind in dict.fromkeys(kind for kind, _ in work):
        counts = [f"{count} {STATES[state]}" for (of, state), count in work.items() if of == kind and count]
        yield f"{'work':20}", f"{kind}: {', '.join(counts) or 'none yet'}"


def _verdict(found: health.Readiness) -> str:
    missing = [check.name for check in found.checks if not check.ok]
    return f"Not ready: {', '.join(missing)}." if missing else "Ready."
