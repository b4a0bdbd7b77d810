"""A chat in which the model may look things up: it is asked, what it wants to know is looked up, it is asked again."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

import structlog

from caesar.chat import tool_offer
from caesar.chat.db import run_in_db
from caesar.chat.errors import DatabaseAway
from caesar.chat.turn import Opened
from caesar.metrics import RECALL_FAILURES
from memory import semantic_tool
from memory.chats import Lookups
from memory.domain.text import text_of
from memory.errors import ModelError, ModelRefusedRequest
from memory.llm import gateway, quirks
from memory.llm.gateway import ChatRequest
from memory.llm.usage import added

LOG = structlog.get_logger(__name__)
MOST_ROUNDS = 3
T = TypeVar("T")
Message = dict[str, Any]


class Rounds:
    """What a chat's model is asked, one call after the other, and what it was given in between.

    The tool is offered for at most `MOST_ROUNDS` rounds, and only while the chat is younger than the longest wait
    for one answer. What the model asked for and was given stays between it and us.
    """

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self._count = 0
        self._failed = False
        self._passages: dict[str, None] = {}
        self._exchange: list[Message] = []
        self._offering = True
        self._end = time.monotonic() + opened.route.timeout_seconds

    @property
    def lookups(self) -> Lookups:
        """What was looked up, for the turn's row."""
        return Lookups(self._count, tuple(self._passages), self._failed)

    async def ask(self, call: Callable[[ChatRequest], Awaitable[T]]) -> T:
        """The model's next answer. One that refuses what is ours in the request is asked once more without it."""
        plain, route = self.opened.request, self.opened.route
        self._offering = self._offering and self._count < MOST_ROUNDS and time.monotonic() < self._end
        body: Mapping[str, Any] = {**plain.body, "messages": [*plain.body["messages"], *self._exchange]}
        try:
            answer = await call(ChatRequest(tool_offer.with_tool(body) if self._offering else body, route))
            if self._offering:
                quirks.remember(route, quirks.TOOLS, taken=True)
            return answer
        except ModelError as error:
            if not self._may_be_ours(error):
                raise
        answer = await call(plain)
        if not self._exchange:
            quirks.remember(route, quirks.TOOLS, taken=False)
        self._offering = False
        self._exchange.clear()
        self._passages.clear()
        return answer

    def goes_on(self, mine: Sequence[Any], theirs: Sequence[Any]) -> bool:
        """Whether these calls are to be answered by us. With the client's among them it is the client's turn."""
        return self._offering and bool(mine) and not theirs

    async def look_up(self, message: Message, calls: Sequence[Message]) -> None:
        """Look up what the model's message asks for, and have it ready for the next call."""
        calls = [_answerable(call) for call in calls]
        found = await self._found([call["function"].get("arguments") for call in calls])
        said = {name: value for name, value in message.items() if value is not None or name == "content"}
        self._exchange.append({**said, "tool_calls": [_valid(call) for call in calls]})
        for call, answer in zip(calls, found, strict=True):
            self._exchange.append({"role": "tool", "tool_call_id": call["id"], "content": answer.text})
            self._passages |= dict.fromkeys(answer.passages)
        self._count += 1
        if any(answer.failed for answer in found):
            self._failed = True
            RECALL_FAILURES.inc()

    def _may_be_ours(self, error: ModelError) -> bool:
        """Whether it may be for what is ours that the model does not take the request."""
        # Servers that know no tools say so with all kinds of statuses.
        if not isinstance(error, ModelRefusedRequest) and "tool" not in str(error).lower():
            return False
        return bool(self._exchange) or (self._offering and not quirks.takes(self.opened.route, quirks.TOOLS))

    async def _found(self, arguments: list[Any]) -> list[semantic_tool.Found]:
        turn = self.opened.turn
        try:
            async with asyncio.timeout(semantic_tool.MOST_SECONDS):
                return await run_in_db(
                    semantic_tool.look_up,
                    profile_id=turn.profile_id,
                    space_id=turn.space_id,
                    timezone=turn.timezone,
                    arguments=arguments,
                )
        except (DatabaseAway, TimeoutError) as error:
            LOG.warning("tool_recall_failed", reason=type(error).__name__)
            return [semantic_tool.FAILED] * len(arguments)


async def whole(rounds: Rounds) -> dict[str, Any]:
    """The answer as OpenAI's response: the last round's, with the text and the token counts of all of them."""
    text = ""
    counted: dict[str, Any] = {}
    while True:
        body = await rounds.ask(gateway.chat)
        if isinstance(body.get("usage"), dict):
            counted = added(counted, body["usage"])
        message = body["choices"][0]["message"]
        mine, theirs = tool_offer.parted(message.get("tool_calls"))
        said = text_of(message.get("content"))
        if text:
            message = {**message, "content": text + gap(text, said) + said}
        if not rounds.goes_on(mine, theirs):
            break
        await rounds.look_up(body["choices"][0]["message"], mine)
        text = text_of(message.get("content"))
    choice = {**body["choices"][0], "message": message}
    if mine:
        choice |= _without(message, theirs, choice.get("finish_reason"))
    answer = {**body, "choices": [choice, *body["choices"][1:]]}
    return {**answer, "usage": counted} if counted else answer


def _without(message: Message, theirs: list[Any], reason: Any) -> dict[str, Any]:
    """A choice's message without our calls, and its finish reason."""
    if theirs:
        return {"message": {**message, "tool_calls": theirs}}
    shown = {name: value for name, value in message.items() if name != "tool_calls"}
    shown["content"] = shown.get("content") or ""
    return {"message": shown, "finish_reason": without_calls(reason)}


def without_calls(reason: Any) -> Any:
    """Why an answer ended of which no call is left."""
    return "stop" if reason == "tool_calls" else reason


def gap(before: str, text: str) -> str:
    """What stands between the text of two rounds, which knew nothing of each other."""
    return "" if not before or not text or before[-1].isspace() or text[0].isspace() else "\n\n"


def _answerable(call: Message) -> Message:
    """The call with an id, which some servers leave out."""
    given = call.get("id")
    return call if isinstance(given, str) and given else {**call, "id": f"call_{uuid.uuid4().hex[:24]}"}


def _valid(call: Message) -> Message:
    """The call as providers take it back: with arguments that can be read."""
    if semantic_tool.parsed(call["function"].get("arguments")) is not None:
        return call
    return {**call, "function": {**call["function"], "arguments": "{}"}}
