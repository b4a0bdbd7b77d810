"""One LISTEN connection for all pages of this process that watch a log; open while there is such a page."""

from __future__ import annotations

import asyncio
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import psycopg
import structlog
from django.conf import settings

from caesar.database import service_url

LOG = structlog.get_logger(__name__)
CHANNEL = "caesar_audit"
TICK_SECONDS = 0.25
RETRY_SECONDS = 2.0
_WATCH = "SELECT pg_try_advisory_lock_shared(hashtextextended('caesar.live ' || %s, 0))"
_LEAVE = "SELECT pg_advisory_unlock_shared(hashtextextended('caesar.live ' || %s, 0))"


class Hub:
    """Who watches what. Lives on one event loop."""

    def __init__(self) -> None:
        self._pages: dict[uuid.UUID, set[asyncio.Event]] = defaultdict(set)
        self._watched: set[uuid.UUID] = set()  # those that the connection hears of
        self._listening: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def watching(self, profile_id: uuid.UUID) -> AsyncIterator[asyncio.Event]:
        """An event that is set whenever the person's log has grown, and once when the watch begins."""
        grown = asyncio.Event()
        self._pages[profile_id].add(grown)
        if profile_id in self._watched:
            grown.set()
        if self._listening is None or self._listening.done():
            self._listening = asyncio.create_task(self._listen())
        try:
            yield grown
        finally:
            self._pages[profile_id].discard(grown)
            if not self._pages[profile_id]:
                del self._pages[profile_id]

    @property
    def pages(self) -> int:
        return sum(len(pages) for pages in self._pages.values())

    async def _listen(self) -> None:
        """Until nobody watches any more. A lost connection is made anew; what was missed meanwhile is looked for."""
        while self._pages:
            try:
                async with await psycopg.AsyncConnection.connect(
                    service_url(settings.CAESAR), autocommit=True, connect_timeout=5, application_name="caesar live"
                ) as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    await self._hear(connection)
            except psycopg.Error as error:
                self._watched.clear()
                LOG.warning("live_pages_wait", reason=str(error).strip().partition("\n")[0])
                await asyncio.sleep(RETRY_SECONDS)

    async def _hear(self, connection: psycopg.AsyncConnection[tuple[object, ...]]) -> None:
        self._watched.clear()
        while self._pages:
            for profile_id in self._pages.keys() - self._watched:
                # A writer may be at work: then it is tried again at the next tick.
                row = await (await connection.execute(_WATCH, [str(profile_id)])).fetchone()
                if row and row[0]:
                    self._watched.add(profile_id)
                    self._tell(profile_id)
            for profile_id in self._watched - self._pages.keys():
                await connection.execute(_LEAVE, [str(profile_id)])
                self._watched.discard(profile_id)
            async for notice in connection.notifies(timeout=TICK_SECONDS, stop_after=1):
                with suppress(ValueError):
                    self._tell(uuid.UUID(notice.payload))

    def _tell(self, profile_id: uuid.UUID) -> None:
        for grown in self._pages.get(profile_id, ()):
            grown.set()


hub = Hub()
