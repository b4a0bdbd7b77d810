"""A turn's two visits to the database: before the model is called, and when it has answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import structlog

from caesar import access
from caesar.chat import inject, wire
from caesar.chat.db import run_in_db, run_to_the_end
from caesar.chat.request import Call
from caesar.metrics import MEMORY_SECONDS, RECALL_FAILURES
from memory import chats
from memory.config import conf
from memory.llm.gateway import ChatRequest
from memory.llm.routing import Route, route_for
from memory.models import Profile

LOG = structlog.get_logger(__name__)
MOST_FACT_IDS = 100  # in a header, which clients bound
_open: set[asyncio.Task[Any]] = set()
_closing: set[asyncio.Task[None]] = set()


class Caller(Protocol):
    """Who sends a request."""

    def identify(self) -> Callable[[Call], Profile]:
        """Whose memory each call of theirs is about. Raises typed errors for who is nobody. Asks the database."""


@dataclass(frozen=True)
class KeyCaller:
    """What a request's headers say about who sends it."""

    authorization: str | None
    profile: str | None
    address: str
    user: str | None = None

    def identify(self) -> Callable[[Call], Profile]:
        owner = access.identify(self.authorization, self.address)
        return lambda call: access.profile_of(owner, self.profile, self.user if call.user is None else call.user)


@dataclass(frozen=True)
class Opened:
    """A turn that waits for its model."""

    call: Call
    turn: chats.Turn
    route: Route

    @property
    def memory(self) -> str:
        """on, off (the request, the person or the space wants none), or failed."""
        if self.turn.recalled.failed:
            return "failed"
        return "on" if self.turn.mine_facts else "off"

    @property
    def request(self) -> ChatRequest:
        """What the model is asked."""
        messages = inject.with_memory(
            self.call.messages, system_prompt=conf().llm.system_prompt, block=self.turn.recalled.block
        )
        return ChatRequest(body={**self.call.body, "messages": messages}, route=self.route)

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """What every answer of this turn tells in its headers."""
        turn = self.turn
        found = {
            "x-caesar-audit-id": str(turn.audit_id),
            "x-caesar-memory": self.memory,
            "x-caesar-model": self.route.identity,
            "x-caesar-conversation-id": turn.conversation_id or "",
            "x-caesar-facts": ",".join(fact_id for fact_id, _ in turn.recalled.facts[:MOST_FACT_IDS]),
        }
        return [(name.encode(), value.encode()) for name, value in found.items() if value]


async def begin(raw: bytes, *, read: Callable[[Mapping[str, Any]], Call], caller: Caller) -> Opened:
    """Who asks, what for, and what memory has to give. Raises typed errors for all that is wrong with it."""
    started = time.perf_counter()
    opened = await run_in_db(_begin, raw, read, caller)
    MEMORY_SECONDS.labels("begin").observe(time.perf_counter() - started)
    if opened.turn.recalled.failed:
        RECALL_FAILURES.inc()
    return opened


def _begin(raw: bytes, read: Callable[[Mapping[str, Any]], Call], caller: Caller) -> Opened:
    profile_of = caller.identify()
    call = read(wire.parse(raw))
    route = route_for("chat", requested_model=call.model)
    profile = profile_of(call)
    turn = chats.begin(
        profile_id=profile.id,
        messages=call.messages,
        space=call.space,
        conversation_id=call.conversation_id,
        memory_on=call.memory_on,
    )
    return Opened(call, turn, route)


async def finish(opened: Opened, answer: chats.Answer) -> None:
    """Write the turn's row. Goes on to the end even where the caller is cancelled meanwhile."""
    task = asyncio.create_task(_finish(opened, answer))
    _closing.add(task)
    task.add_done_callback(_closing.discard)
    await asyncio.shield(task)


async def _finish(opened: Opened, answer: chats.Answer) -> None:
    started = time.perf_counter()
    try:
        await run_to_the_end(chats.finish, opened.turn, answer)
    except Exception as error:
        LOG.error("chat_not_recorded", audit_id=opened.turn.audit_id, reason=type(error).__name__)
        raise
    MEMORY_SECONDS.labels("finish").observe(time.perf_counter() - started)


@contextmanager
def waited_for() -> Iterator[None]:
    """The process does not end before this task is done with its chat: cancelled, it has a row to write yet."""
    task = asyncio.current_task()
    assert task is not None
    _open.add(task)
    try:
        yield
    finally:
        _open.discard(task)


async def all_finished(seconds: float) -> None:
    """Wait for chats that are being broken off and for rows that are still being written, when the process ends."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while (waiting := _open | _closing) and (left := end - loop.time()) > 0:
        await asyncio.wait(waiting, timeout=left)
