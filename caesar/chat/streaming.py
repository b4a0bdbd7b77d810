"""An answer that comes piece by piece, as OpenAI's server-sent events."""

from __future__ import annotations

import asyncio
import time

import structlog

from caesar.chat import errors, outcome, turn
from caesar.chat.builtin import BuiltinStream
from caesar.chat.leaving import ClientLeft
from caesar.chat.sink import Sink
from caesar.chat.tool_loop import Rounds
from caesar.chat.tool_offer import may_offer
from caesar.chat.tool_stream import ToolStream
from caesar.chat.turn import Opened
from caesar.metrics import UPSTREAM_SECONDS
from memory import tracing
from memory.chats import Answer
from memory.llm import gateway
from memory.llm.gateway import ChatStream

LOG = structlog.get_logger(__name__)
Stream = ChatStream | BuiltinStream | ToolStream


async def relay(opened: Opened, sink: Sink) -> str:
    """Pass the model's answer on as it comes, write the turn's row, end the stream. Returns the outcome.

    What fails before the first byte is raised; later it becomes an event, and the stream ends without [DONE].
    Cancelled (the client has left), it hangs up on the model and still writes what was received.
    """
    stream = None
    closing = False  # from then on the row is being written, whatever happens to this task
    started = time.perf_counter()
    try:
        async with sink.kept_alive():
            with tracing.span("model", model=opened.route.identity, task="chat"):
                async with await _open(opened) as stream:
                    async for chunk in stream:
                        await sink.event(chunk)
            UPSTREAM_SECONDS.observe(time.perf_counter() - started)
        closing = True
        await turn.finish(opened, _answer(opened, stream))
    except (asyncio.CancelledError, ClientLeft):
        if stream is not None and not closing:
            await _record_prefix(opened, stream)
        raise
    except Exception as error:
        if stream is not None and not closing:
            await _record_prefix(opened, stream)
        if not sink.started:
            raise
        outcome.log(error)
        await sink.write(b"data: " + errors.json_of(error) + b"\n\n", more=False)
        return outcome.BROKEN
    await sink.done()
    return outcome.ANSWERED


async def _open(opened: Opened) -> Stream:
    if opened.route.is_rule_based:
        return BuiltinStream(opened)
    if may_offer(opened):
        return ToolStream(Rounds(opened))
    return await gateway.chat_stream(opened.request)


async def _record_prefix(opened: Opened, stream: Stream) -> None:
    """Keep what the person said and what was answered so far; a turn without any answer leaves no row."""
    if stream.text or stream.message.get("tool_calls"):
        try:
            await turn.finish(opened, _answer(opened, stream))
        except Exception:
            # `finish` has logged it, and whoever called has a cause of its own to report.
            LOG.error("prefix_not_recorded", audit_id=opened.turn.audit_id)


def _answer(opened: Opened, stream: Stream) -> Answer:
    return Answer(
        text=stream.text,
        tool_calls=stream.message.get("tool_calls"),
        model=stream.model,
        provider=opened.route.provider,
        finish_reason=stream.finish_reasons.get(0) or "",
        usage=dict(stream.usage.as_dict()),
        streamed=True,
        complete=stream.finished,
        lookups=stream.rounds.lookups if isinstance(stream, ToolStream) else None,
    )
