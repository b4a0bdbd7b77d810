"""`manage.py reembed`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from caesar.management.command import Verb
from caesar.management.printing import add_json, as_json
from memory import embed, embedding_selectors
from memory.embedding_selectors import Standing
from memory.errors import ModelError

EVERY = 20  # batches between two lines of progress


class Command(Verb):
    help = (
        "Make the vectors that the settings' embedder has not made yet, and let recall go over to it when all are "
        "there. Until then recall goes on with what it has. A running worker does the same by itself; this shows how "
        "far it is."
    )
    examples = ("reembed --status", "reembed")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--status", action="store_true", help="only say how far it is")
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        quiet = options["json"]
        if not options["status"]:
            try:
                self._all(quiet)
            except ModelError as error:
                raise CommandError(str(error)) from None
        now = embedding_selectors.standing()
        self.stdout.write(as_json(now.__dict__) if quiet else _line(now))

    def _all(self, quiet: bool) -> None:
        batches = 0
        while self._one():
            batches += 1
            if not quiet and batches % EVERY == 0:
                self.stdout.write(_line(embedding_selectors.standing()))
                self.stdout.flush()

    def _one(self) -> bool:
        """A batch of what waits, else of what is being built. False: nothing is left to do."""
        kept = embed.ready()
        if embed.work_off(kept):
            return True
        return bool(kept.building and embed.build(kept.building))


def _line(now: Standing) -> str:
    parts = [f"recall searches by {now.active}" if now.active else "recall searches by words alone"]
    if now.building:
        share = 100 * now.done // now.total if now.total else 0
        parts.append(f"{now.building}: {now.done:,} of {now.total:,} texts done ({share} %)")
    if now.waiting or now.dead:
        parts.append(f"{now.waiting:,} texts wait, {now.failing:,} of them after a failure; {now.dead:,} given up")
    if now.last_error and (now.failing or now.dead):
        parts.append(f"last failure: {now.last_error}")
    return "; ".join(parts) + "."
