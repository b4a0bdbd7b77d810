"""The lists of servers in the documentation, used as an assistant uses them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.docs import reading
from tests.docs.product import Product
from tests.docs.reading import Block

OUTPUTS = {id(block.shown) for d in reading.documents() for block in reading.blocks(d) if block.shown}
LISTS = [block for block in reading.of_language("json") if id(block) not in OUTPUTS and "mcpServers" in block.text]
TOOLS = {"recall", "remember", "list_facts", "update_fact", "forget", "recent_conversations"}


def test_there_is_one_for_each_way():
    assert {next(iter(json.loads(block.text)["mcpServers"].values())).keys() >= {"url"} for block in LISTS} == {
        True,
        False,
    }


@pytest.mark.parametrize("block", LISTS, ids=lambda block: block.name)
def test_an_assistant_finds_the_tools(product: Product, block: Block) -> None:
    text = product.here(block.text).replace("Bearer KEY", f"Bearer {product.key}")
    (server,) = json.loads(text)["mcpServers"].values()
    assert asyncio.run(tools(product, server)) == TOOLS


async def tools(product: Product, server: dict[str, Any]) -> set[str]:
    if "url" in server:
        async with (
            httpx2.AsyncClient(headers=server["headers"], timeout=30) as client,
            streamable_http_client(server["url"], http_client=client) as (read, write, *_),
            ClientSession(read, write) as session,
        ):
            return await named(session)
    started = StdioServerParameters(**server, cwd=str(product.clone), env=product.environment)
    async with stdio_client(started) as (read, write), ClientSession(read, write) as session:
        return await named(session)


async def named(session: ClientSession) -> set[str]:
    await session.initialize()
    return {tool.name for tool in (await session.list_tools()).tools}
