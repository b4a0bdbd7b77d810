"""Server-sent events, decoded from bytes as they arrive."""

from __future__ import annotations

from collections.abc import Iterator

# An event that never ends must not fill the memory.
MAX_EVENT_BYTES = 32 * 1024 * 1024


class EventTooLarge(ValueError):
    """One event is longer than any answer could be."""


class SseDecoder:
    """Feed it bytes, get the `data` of each event that is complete. Comments and other fields are skipped.

    Lines may end in LF, CRLF or CR, and a piece may end anywhere, also inside a character.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, piece: bytes) -> Iterator[str]:
        self._rest += piece
        # A CR at the very end may be the first half of a CRLF.
        whole, self._rest = _whole_lines(self._rest)
        for line in whole:
            yield from self._line(line)
        if len(self._rest) + self._size > MAX_EVENT_BYTES:
            raise EventTooLarge

    def finish(self) -> Iterator[str]:
        """What is left when the stream ended without its last blank line."""
        if self._rest:
            yield from self._line(self._rest.rstrip(b"\r"))
            self._rest = b""
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[str]:
        if not line:
            if self._data:
                yield b"\n".join(self._data).decode("utf-8", "replace")
                self._data, self._size = [], 0
        elif line.startswith(b"data:"):
            value = line[5:].removeprefix(b" ")
            self._data.append(value)
            self._size += len(value)


def _whole_lines(buffer: bytes) -> tuple[list[bytes], bytes]:
    if b"\r" not in buffer:
        *lines, rest = buffer.split(b"\n")
        return lines, rest
    held = b""
    if buffer.endswith(b"\r"):
        buffer, held = buffer[:-1], b"\r"
    *lines, rest = buffer.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return lines, rest + held
