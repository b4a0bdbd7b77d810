"""A file that is sent piece by piece."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import BinaryIO

PIECE = 64 * 1024


class Pieces:
    """Read by threads, so that a large file keeps nobody waiting and stands nowhere in memory as a whole.

    Whoever sends it closes it, also where not one piece was taken.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with self._file:
            while piece := await asyncio.to_thread(self._file.read, PIECE):
                yield piece

    def close(self) -> None:
        self._file.close()
