"""HTTP as uvicorn speaks it, but with an end to patience: whoever does not finish asking is hung up on."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

# From the connection, or the first byte of a further request on it, to the end of the headers.
HEADER_SECONDS = 30.0


class Protocol(H11Protocol):
    """Connections that say nothing, or never come to an end of their headers, would else be held for ever."""

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        else:
            self._stop()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._patience is None:
            self._patience = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
