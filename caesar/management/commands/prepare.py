"""`manage.py prepare`: what a first start makes inside the database, for installations that `up` does not run."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from caesar.management.command import Verb
from caesar.management.printing import add_json, as_json
from caesar.up import first_start


class Command(Verb):
    help = (
        "Make the operator, their profile and a first API key, as far as they are missing (CAESAR_API_KEY fixes the "
        "key). Run it after `migrate`. Prints a link into the dashboard that works once."
    )
    examples = ("prepare",)

    def add_arguments(self, parser: Any) -> None:
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        done = first_start.prepare(settings.CAESAR)
        if options["json"]:
            self.stdout.write(as_json({"key_file": done.key_file, "login_url": done.login_url}))
            return
        self.stdout.write(f"Dashboard  {done.login_url}\nAPI key    in {done.key_file}")
