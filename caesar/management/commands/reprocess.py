"""`manage.py reprocess`: read again what was read before."""

from __future__ import annotations

import uuid
from typing import Any

from django.core.management.base import CommandParser

from caesar.management.command import Verb, whose
from caesar.management.printing import add_json, as_json
from memory import reprocess
from memory.errors import InvalidInput
from memory.models import WorkKind


class Command(Verb):
    help = (
        "Let all summaries be written anew, or a range of chats be read again. Workers do it in the background; "
        "`work --once` does it now. Nothing is doubled by it, and what was deleted does not come back."
    )
    examples = ("reprocess --episodes --profile anna", "reprocess --from 1200 --to 1250 --kind extract")

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--episodes", action="store_true", help="delete the summaries and write them anew")
        what.add_argument("--from", dest="first", type=int, metavar="ID", help="first chat, by its id in the log")
        parser.add_argument("--to", dest="last", type=int, metavar="ID", help="last chat (default: the first alone)")
        parser.add_argument(
            "--kind", choices=[kind.value for kind in WorkKind], help="what a range is read for (default: both)"
        )
        parser.add_argument("--profile", metavar="NAME", help="whose (default: everyone's)")
        parser.add_argument("--user", help="whose profile it is (default: the operator's)")
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        profile_ids = self._profiles(options)
        if options["episodes"]:
            if options["last"] is not None or options["kind"]:
                raise InvalidInput("--to and --kind go with --from.")
            again = reprocess.summaries(profile_ids=profile_ids)
        else:
            last = options["first"] if options["last"] is None else options["last"]
            if last < options["first"]:
                raise InvalidInput("--to is not before --from.")
            kinds = [WorkKind(options["kind"])] if options["kind"] else list(WorkKind)
            again = reprocess.chats(first=options["first"], last=last, kinds=kinds, profile_ids=profile_ids)
        if options["json"]:
            self.stdout.write(as_json({"episodes_deleted": again.episodes, "items": again.items}))
            return
        if options["episodes"]:
            self.stdout.write(f"Summaries deleted to be written anew: {again.episodes}.")
        self.stdout.write(f"Items of work that wait: {again.items}.")

    @staticmethod
    def _profiles(options: dict[str, Any]) -> list[uuid.UUID] | None:
        if options["profile"] is None and options["user"] is None:
            return None
        return [whose(options).id]
