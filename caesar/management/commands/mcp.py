"""`manage.py mcp`: the protocol over standard input and output, for an assistant on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from django.core.management.base import CommandParser
from django.db import connection

from caesar.management.command import Verb, add_whose, whose
from memory import profiles
from memory.models import Profile

EXAMPLE = """
An assistant starts it by itself. In Claude Desktop's or Cursor's list of servers:

  {"mcpServers": {"memory": {"command": "/path/to/caesar/.venv/bin/python",
                             "args": ["/path/to/caesar/manage.py", "mcp"]}}}
"""


class Command(Verb):
    help = "Serve the Model Context Protocol over standard input and output, for one profile, until input ends."

    def create_parser(self, *args: Any, **kwargs: Any) -> CommandParser:
        return super().create_parser(*args, epilog=EXAMPLE.strip("\n"), **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        add_whose(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        from caesar.mcp.server import made

        profile_id = whose(options).id

        async def caller() -> Profile:
            # Anew each time: what the person has chosen may have changed since.
            return await asyncio.to_thread(_with_db, profiles.bound, profile_id)

        async def run(deed: Callable[..., Any], *given: Any, **named: Any) -> Any:
            return await asyncio.to_thread(_with_db, deed, *given, **named)

        asyncio.run(made(caller, run).run_stdio_async())


def _with_db(job: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    try:
        return job(*args, **kwargs)
    finally:
        connection.close()
