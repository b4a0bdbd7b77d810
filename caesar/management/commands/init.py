"""`manage.py init`: the same as `make init`."""

from __future__ import annotations

import runpy
import sys
from typing import Any

from django.core.management.base import BaseCommand

from caesar.config import ROOT


class Command(BaseCommand):
    help = "Make .env and fresh secrets in deploy/secrets, as far as they are missing."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        script = runpy.run_path(str(ROOT / "deploy" / "init.py"))
        if code := script["main"]():
            sys.exit(code)
