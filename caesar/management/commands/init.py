"""`manage.py init`: the same as `make init`."""

from __future__ import annotations

import runpy
import sys
from typing import Any

from caesar.config import ROOT
from caesar.management.command import Verb


class Command(Verb):
    help = "Make .env and fresh secrets in deploy/secrets, as far as they are missing."
    examples = ("init",)

    def handle(self, *args: Any, **options: Any) -> None:
        script = runpy.run_path(str(ROOT / "deploy" / "init.py"))
        if code := script["main"]():
            sys.exit(code)
