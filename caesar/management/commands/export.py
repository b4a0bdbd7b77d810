"""`manage.py export`: a person's memory as a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from caesar.management.command import Verb, add_whose, whose
from caesar.management.printing import add_json, as_json
from memory.errors import InvalidInput
from memory.portable import exporting
from memory.portable.exporting import Form


class Command(Verb):
    help = (
        "Write a person's memory to a file: everything as JSON Lines, which `import` takes, facts and summaries as "
        "Markdown, or facts as CSV."
    )
    examples = ("export", "export --profile anna --format markdown --output anna.md")

    def add_arguments(self, parser: CommandParser) -> None:
        add_whose(parser)
        parser.add_argument(
            "--format", choices=[f.value for f in Form], default=Form.JSONL.value, help="default: jsonl"
        )
        parser.add_argument(
            "--output",
            metavar="FILE",
            help="where to write it, - for standard output (default: a new file in the person's folder in the home)",
        )
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["json"] and options["output"] == "-":
            raise InvalidInput("--json tells of the file that was written; --output - writes none.")
        profile = whose(options)
        form = Form(options["format"])
        if options["output"] == "-":
            with exporting.spooled(profile_id=profile.id, form=form, actor="operator") as file:
                while piece := file.read(1 << 16):
                    sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
            return
        path = Path(options["output"]) if options["output"] else None
        try:
            written, counts = exporting.to_file(profile_id=profile.id, form=form, path=path, actor="operator")
        except OSError as error:
            raise CommandError(f"{path or error.filename}: {error.strerror}.") from None
        if options["json"]:
            self.stdout.write(as_json({"profile": profile.name, "file": str(written), "rows": dict(counts)}))
            return
        rows = ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "nothing"
        self.stdout.write(f"Exported {profile.name!r} to {written}: {rows}.")
