"""`manage.py forget`: erase a person everywhere."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser

from caesar.management.command import Verb, whose
from caesar.management.printing import add_json, as_json, as_table
from memory import erase, operations
from memory.models import Profile

NOT_SURE = "nothing was erased. Add --yes to say that it is meant."


class Command(Verb):
    help = (
        "Erase a person everywhere: facts and their history, conversations, work that waits, the log, keys, files "
        "and the profile itself. Broken off, it goes on where it stopped when it is started again."
    )
    examples = ("forget --list", "forget --profile anna")

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--profile", metavar="NAME", help="whom to erase")
        what.add_argument("--list", action="store_true", help="list who could be erased, and who is being erased")
        parser.add_argument("--user", help="whose profile it is (default: the operator's)")
        parser.add_argument("--yes", action="store_true", help="do not ask")
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["list"]:
            self._list(options)
            return
        profile = whose(options)
        if not options["yes"] and not self._is_sure(profile):
            raise CommandError(NOT_SURE, returncode=2)
        rows = erase.erase_profile(profile_id=profile.id, actor="operator")
        if options["json"]:
            self.stdout.write(as_json({"profile": profile.name, "erased": rows}))
            return
        gone = ", ".join(f"{table} {count}" for table, count in sorted(rows.items())) or "there was nothing"
        self.stdout.write(f"Erased {profile.name!r}: {gone}.")

    def _is_sure(self, profile: Profile) -> bool:
        if not sys.stdin.isatty():
            return False
        self.stdout.write(f"Everything that is known about {profile.name!r} will be gone, for good.")
        return input("Type the profile's name to go on: ") == profile.name

    def _list(self, options: dict[str, Any]) -> None:
        lines = [
            {
                "user": line.username,
                "profile": line.profile.name,
                "facts": line.facts,
                "made": line.profile.created_at.isoformat(timespec="seconds"),
                "being_erased": line.profile.erasing_at is not None,
            }
            for line in operations.all_profiles()
        ]
        if options["json"]:
            self.stdout.write(as_json(lines))
            return
        rows = [(*list(line.values())[:4], "is being erased" if line["being_erased"] else "") for line in lines]
        self.stdout.write(as_table(("USER", "PROFILE", "FACTS", "MADE", ""), rows))
