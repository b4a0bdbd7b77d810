"""What `up` shows: the lines of each child with its name in front; a file per child keeps all of them."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TextIO

COLOURS: Mapping[str, int] = {
    "up": 1,
    "postgres": 34,
    "valkey": 35,
    "migrate": 33,
    "web": 32,
    "worker": 36,
    "beat": 94,
    "llama": 95,
}
NAME_WIDTH = max(len(name) for name in COLOURS)
FILE_BYTES, OLD_FILES = 5_000_000, 2


class Console:
    """Writes to `stream` (in colours on a terminal, unless NO_COLOR is set) and to `logs/<name>.log`."""

    def __init__(self, stream: TextIO, logs: Path | None = None) -> None:
        self._stream = stream
        self._logs = logs
        self._files: dict[str, RotatingFileHandler] = {}
        self._colours = stream.isatty() and not os.environ.get("NO_COLOR")

    def line(self, name: str, text: str, *, shown: bool = True) -> None:
        """One line of `name`; with `shown` false it goes to its file only."""
        self._keep(name, text)
        if shown:
            label = f"{name:<{NAME_WIDTH}} |"
            self._write(
                f"\x1b[{COLOURS.get(name, 37)}m{label}\x1b[0m {text}\n" if self._colours else f"{label} {text}\n"
            )

    def say(self, text: str) -> None:
        """A line of the supervisor's own."""
        for line in text.splitlines():
            self.line("up", line)

    def plain(self, text: str) -> None:
        """Text without a name in front, to be copied from."""
        self._write(text + "\n")

    def log_path(self, name: str) -> Path | None:
        return self._logs / f"{name}.log" if self._logs else None

    def close(self) -> None:
        for file in self._files.values():
            file.close()
        self._files.clear()

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except BlockingIOError:
            return  # a reader that is too slow and does not let us wait; the files have it all
        except OSError:
            # Whoever read it is gone (a closed terminal, `| head`). The files go on, and so does the service;
            # what stands in the stream's buffer must not fail again when it is closed.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)

    def _keep(self, name: str, text: str) -> None:
        path = self.log_path(name)
        if path is None:
            return
        if name not in self._files:
            try:
                file = _LogFile(path, maxBytes=FILE_BYTES, backupCount=OLD_FILES, encoding="utf-8", errors="replace")
            except OSError:
                return  # a full disk stops the database, which says so; not the one who passes it on
            file.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
            self._files[name] = file
        self._files[name].emit(logging.LogRecord(name, logging.INFO, "", 0, text, None, None))


class _LogFile(RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:
        """A line that cannot be kept (the disk is full) was still shown."""
