"""`manage.py profile list|show|set`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from caesar.management.command import Verb, add_verb
from caesar.management.printing import add_json, as_json, as_table, on_off
from memory import operations, profiles
from memory.models import Approval, Profile

SWITCHES = {"on": True, "off": False}


class Command(Verb):
    help = "Show and change whose memory there is, and whether it is on."
    examples = ("profile list", "profile set anna --memory on --timezone Europe/Tallinn")

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="list|show|set")
        listed = add_verb(verbs, "list", "list all profiles")
        show = add_verb(verbs, "show", "show the settings of one")
        change = add_verb(verbs, "set", "change the settings of one")
        for verb in (show, change):
            verb.add_argument("name", nargs="?", help="the profile (default: the user's default one)")
            verb.add_argument("--user", help="whose (default: the operator's)")
        change.add_argument("--memory", choices=SWITCHES, help="is anything remembered and recalled")
        change.add_argument("--summaries", choices=SWITCHES, help="are conversations summarised")
        change.add_argument("--approval", choices=[a.value for a in Approval], help="who accepts what was learned")
        change.add_argument("--timezone", help="such as Europe/Tallinn")
        change.add_argument("--language", help="such as en, fi or pt-BR")
        for verb in (listed, show, change):
            add_json(verb)

    def handle(self, *args: Any, **options: Any) -> None:
        getattr(self, f"_{options['verb']}")(options)

    def _list(self, options: dict[str, Any]) -> None:
        lines = operations.all_profiles()
        if options["json"]:
            shown = [{"user": line.username, "facts": line.facts, **_settings(line.profile)} for line in lines]
            self.stdout.write(as_json(shown))
            return
        head = ("USER", "PROFILE", "MEMORY", "SUMMARIES", "APPROVAL", "FACTS")
        rows = [
            (
                line.username,
                line.profile.name,
                on_off(line.profile.memory_enabled),
                on_off(line.profile.summaries_enabled),
                line.profile.approval,
                line.facts,
            )
            for line in lines
        ]
        self.stdout.write(as_table(head, rows))

    def _show(self, options: dict[str, Any]) -> None:
        self._print(_found(options), options)

    def _set(self, options: dict[str, Any]) -> None:
        given = {
            "memory_enabled": SWITCHES.get(options["memory"]),
            "summaries_enabled": SWITCHES.get(options["summaries"]),
            "approval": options["approval"],
            "timezone": options["timezone"],
            "language": options["language"],
        }
        changes = {name: value for name, value in given.items() if value is not None}
        if not changes:
            raise CommandError(
                "say what to change: --memory, --summaries, --approval, --timezone, --language.", returncode=2
            )
        profile = profiles.update(profile_id=_found(options).id, changes=changes, actor="operator")
        self._print(profile, options)

    def _print(self, profile: Profile, options: dict[str, Any]) -> None:
        settings = _settings(profile)
        if options["json"]:
            self.stdout.write(as_json(settings))
            return
        shown = {name: on_off(value) if isinstance(value, bool) else value for name, value in settings.items()}
        self.stdout.write("\n".join(f"{name:18} {value}" for name, value in shown.items()))


def _found(options: dict[str, Any]) -> Profile:
    user = operations.user_named(options["user"])
    return operations.profile_named(user_id=user.id, name=options["name"])


def _settings(profile: Profile) -> dict[str, Any]:
    return {"name": profile.name, **{name: getattr(profile, name) for name in profiles.EDITABLE}}
