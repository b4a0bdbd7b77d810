"""When a model is offered the tool that looks up what was said in earlier chats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caesar.chat.turn import Opened
from memory import semantic_tool
from memory.config import conf
from memory.llm import quirks
from memory.llm.routing import Route

# With any of these set, a tool the client knows nothing of could change the answer's form, or have it refused.
_ALONE = ("functions", "function_call", "prediction")
# What a model thought goes back to it with its calls, and litellm does not give that out whole.
_THINKING = ("thinking", "reasoning_effort")


def may_offer(opened: Opened) -> bool:
    """Where the operator has it, memory is on, there is a model that takes tools, and the request leaves room."""
    return (
        conf().semantic.enabled
        and opened.turn.mine_facts
        and not opened.route.is_rule_based
        and quirks.takes(opened.route, quirks.TOOLS) is not False
        and leaves_room(opened.call.body, opened.route)
    )


def leaves_room(body: Mapping[str, Any], route: Route) -> bool:
    """Whether the client's request is as good with one more tool.

    It is not where the client says which tool is to be called or none, has a tool of the same name, wants several
    answers or an answer of a fixed form.
    """
    if any(body.get(name) is not None for name in _ALONE):
        return False
    if not route.speaks_openai and any(body.get(name) is not None for name in _THINKING):
        return False
    wanted = body.get("response_format")
    if wanted is not None and wanted != {"type": "text"}:
        return False
    tools = body.get("tools")
    return (
        body.get("tool_choice") in (None, "auto")
        and body.get("n") in (None, 1)
        and isinstance(tools, list | None)
        and not any(_name(tool) == semantic_tool.NAME for tool in tools or ())
    )


def with_tool(body: Mapping[str, Any]) -> dict[str, Any]:
    """The request with our tool after the client's own."""
    return {**body, "tools": [*(body.get("tools") or ()), semantic_tool.DEFINITION]}


def parted(calls: Any) -> tuple[list[dict[str, Any]], list[Any]]:
    """A message's tool calls: those of ours, and the client's."""
    listed = calls if isinstance(calls, list) else []
    mine = [call for call in listed if _name(call) == semantic_tool.NAME]
    return mine, [call for call in listed if _name(call) != semantic_tool.NAME]


def _name(tool: Any) -> Any:
    function = tool.get("function") if isinstance(tool, dict) else None
    return function.get("name") if isinstance(function, dict) else None
