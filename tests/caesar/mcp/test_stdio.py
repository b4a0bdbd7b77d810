"""`manage.py mcp`, started by the official client as an assistant starts it."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from caesar.config import ROOT
from memory import facts
from tests.people import person


def test_an_assistant_on_this_machine_knows_and_keeps(database):
    who = person("anna")
    facts.author(profile_id=who.profile_id, fields={"key": "dog.name", "value": "Beans"})
    command = ["manage.py", "mcp", "--user", "anna"]
    server = StdioServerParameters(command=sys.executable, args=command, cwd=str(ROOT), env=dict(os.environ))

    async def talk() -> Any:
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            kept = await session.call_tool("remember", {"key": "cat.name", "value": "Tom"})
            return kept, await session.call_tool("list_facts", {})

    kept, known = asyncio.run(talk())
    assert not kept.is_error
    assert "Beans" in known.content[0].text
    assert "Tom" in known.content[0].text
