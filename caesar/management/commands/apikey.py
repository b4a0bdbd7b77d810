"""`manage.py apikey create|list|revoke`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from caesar.management.command import Verb, add_verb
from caesar.management.printing import add_json, as_json, as_table
from memory import apikeys, operations, profiles
from memory.models import ApiKey


class Command(Verb):
    help = "Make, list and revoke API keys. A key is shown once, when it is made; only its hash is kept."
    examples = ("apikey create --name phone --profile anna", "apikey list", "apikey revoke 0198c1")

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="create|list|revoke")
        create = add_verb(verbs, "create", "make a key and print it")
        create.add_argument("--name", default="key", help="what it is for")
        create.add_argument("--user", help="whose key (default: the operator's)")
        create.add_argument(
            "--profile", help="bind it to this profile, made where there is none; else it may name any of its user's"
        )
        listed = add_verb(verbs, "list", "list the keys, without their secrets")
        listed.add_argument("--user", help="only this user's")
        revoke = add_verb(verbs, "revoke", "from now on the key opens nothing")
        revoke.add_argument("id", help="its id, or how that begins")
        for verb in (create, listed, revoke):
            add_json(verb)

    def handle(self, *args: Any, **options: Any) -> None:
        getattr(self, f"_{options['verb']}")(options)

    def _create(self, options: dict[str, Any]) -> None:
        user = operations.user_named(options["user"])
        named = options["profile"]
        profile = profiles.resolve(user_id=user.id, name=named) if named is not None else None
        key, secret = apikeys.create(user_id=user.id, name=options["name"], profile_id=profile.id if profile else None)
        if options["json"]:
            self.stdout.write(as_json({"id": key.id, "name": key.name, "key": secret}))
        else:
            self.stdout.write(secret)
            self.stderr.write(f"This is key {key.id}. It is shown this once.")

    def _list(self, options: dict[str, Any]) -> None:
        user_id = operations.user_named(options["user"]).id if options["user"] else None
        keys = operations.all_keys(user_id=user_id)
        if options["json"]:
            self.stdout.write(as_json([_shown(key) for key in keys]))
            return
        head = ("ID", "USER", "PROFILE", "NAME", "ENDS", "LAST USED", "STATE")
        rows = [
            (
                key.id,
                key.user.get_username(),
                key.profile.name if key.profile else "any",
                key.name,
                key.hint,
                f"{key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never",
                "revoked" if key.revoked_at else "works",
            )
            for key in keys
        ]
        self.stdout.write(as_table(head, rows) if rows else "There is no key yet: `apikey create` makes one.")

    def _revoke(self, options: dict[str, Any]) -> None:
        key = operations.revoke_key(options["id"])
        self.stdout.write(as_json({"id": key.id, "revoked_at": key.revoked_at}) if options["json"] else "Revoked.")


def _shown(key: ApiKey) -> dict[str, Any]:
    return {
        "id": str(key.id),
        "user": key.user.get_username(),
        "profile": key.profile.name if key.profile else None,
        "name": key.name,
        "hint": key.hint,
        "created_at": key.created_at.isoformat(),
        "last_used_at": key.last_used_at.isoformat() if key.last_used_at else None,
        "revoked_at": key.revoked_at.isoformat() if key.revoked_at else None,
    }
