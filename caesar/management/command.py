"""What our commands have in common: help that ends with examples, and no check of what they do not need."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, DjangoHelpFormatter

from memory import operations
from memory.models import Profile

RUN = "python3 manage.py"


class _Formatter(DjangoHelpFormatter):
    """Examples keep their lines."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text:
            return "\n".join(indent + line for line in text.splitlines())
        return super()._fill_text(text, width, indent)


class Verb(BaseCommand):
    """One verb of `manage.py`. `examples` are lines for a shell, each without `python3 manage.py` in front."""

    _called_from_command_line: bool  # Django's own, of which its stubs do not tell
    requires_system_checks: list[str] = []
    examples: tuple[str, ...] = ()
    # Django's own, which are in the way of what a reader of the help looks for. They work all the same.
    suppressed_base_arguments = {
        "--version",
        "--verbosity",
        "--settings",
        "--pythonpath",
        "--no-color",
        "--force-color",
    }

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        kwargs.setdefault("epilog", shown(self.examples))
        return super().create_parser(prog_name, subcommand, formatter_class=_Formatter, **kwargs)

    def execute(self, *args: Any, **options: Any) -> str | None:
        """A shell is told what is wrong without the name of Django's exception in front."""
        try:
            return super().execute(*args, **options)
        except CommandError as error:
            if not self._called_from_command_line or options["traceback"]:
                raise
            self.stderr.write(str(error))
            sys.exit(error.returncode)


def shown(examples: tuple[str, ...]) -> str:
    return "\n".join([f"example{'s' if len(examples) > 1 else ''}:", *(f"  {RUN} {line}" for line in examples)])


def add_verb(verbs: Any, name: str, told: str) -> CommandParser:
    """A verb of a verb: `told` is its line in the list, and its help."""
    parser: CommandParser = verbs.add_parser(name, help=told, description=f"{told[0].upper()}{told[1:]}.")
    return parser


def whose(options: Mapping[str, Any]) -> Profile:
    """The profile that `add_whose`'s options name. Raises NotFound."""
    return operations.profile_named(user_id=operations.user_named(options["user"]).id, name=options["profile"])


def add_whose(parser: CommandParser) -> None:
    """Whose memory it is about."""
    parser.add_argument("--profile", metavar="NAME", help="whose (default: the user's default profile)")
    parser.add_argument("--user", help="whose profile it is (default: the operator's)")
