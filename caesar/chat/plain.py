"""An answer that comes as a whole, in OpenAI's dialect or our own."""

from __future__ import annotations

import time
from typing import Any

from starlette.responses import Response

from caesar.chat import builtin, tool_loop, turn, wire
from caesar.chat.tool_loop import Rounds
from caesar.chat.tool_offer import may_offer
from caesar.chat.turn import Opened
from caesar.metrics import UPSTREAM_SECONDS
from memory import tracing
from memory.chats import Answer
from memory.domain.text import text_of
from memory.llm import gateway
from memory.llm.usage import Usage


async def respond(opened: Opened) -> Response:
    """Ask the model, write the turn's row, answer. Nothing is answered that could not be written."""
    rounds = Rounds(opened) if may_offer(opened) else None
    body = await _body(opened, rounds)
    answer = _answer(opened, body, rounds)
    await turn.finish(opened, answer)
    shown = _native(opened, body, answer) if opened.call.native else {**body, "caesar": _extension(opened)}
    response = Response(wire.dumps(shown), media_type="application/json")
    response.raw_headers += opened.headers
    return response


async def _body(opened: Opened, rounds: Rounds | None) -> dict[str, Any]:
    if opened.route.is_rule_based:
        return builtin.response(opened)
    started = time.perf_counter()
    try:
        with tracing.span("model", model=opened.route.identity, task="chat"):
            return await (gateway.chat(opened.request) if rounds is None else tool_loop.whole(rounds))
    finally:
        UPSTREAM_SECONDS.observe(time.perf_counter() - started)


def _answer(opened: Opened, body: dict[str, Any], rounds: Rounds | None) -> Answer:
    choice = body["choices"][0]
    message = choice.get("message") or {}
    return Answer(
        text=text_of(message.get("content")),
        tool_calls=message.get("tool_calls"),
        model=str(body.get("model") or opened.route.model),
        provider=opened.route.provider,
        finish_reason=str(choice.get("finish_reason") or ""),
        usage=dict(Usage.of(body.get("usage")).as_dict()),
        lookups=None if rounds is None else rounds.lookups,
    )


def _extension(opened: Opened) -> dict[str, Any]:
    return {
        "conversation_id": opened.turn.conversation_id,
        "audit_id": str(opened.turn.audit_id),
        "memory": opened.memory,
    }


def _native(opened: Opened, body: dict[str, Any], answer: Answer) -> dict[str, Any]:
    known = opened.turn.recalled
    return {
        "message": body["choices"][0].get("message"),
        "model": answer.model,
        "finish_reason": answer.finish_reason,
        "decision_id": str(opened.turn.decision_id),
        "audit_log_id": str(opened.turn.audit_id),
        "usage": {name: count or 0 for name, count in answer.usage.items()},
        "conversation_id": opened.turn.conversation_id,
        "memory": {
            "facts": [{"id": fact_id, "text": text} for fact_id, text in known.facts],
            "episodes": [{"id": episode_id, "text": text} for episode_id, text in known.episodes],
        },
    }
