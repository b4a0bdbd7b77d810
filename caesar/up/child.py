"""One child process of the supervisor: on a leash, its output passed on line by line, ended for certain."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from signal import SIGKILL, SIGTERM, Signals
from typing import IO

from caesar.embedded.leash import leashed
from caesar.up.console import Console

LONGEST_LINE = 8_000


def _everything(_line: str) -> bool:
    return True


@dataclass(frozen=True)
class Spec:
    """How a child is run.

    stop_signal: how it is asked to end; after `grace` seconds it is killed.
    death_signal: what the kernel sends it when the supervisor itself is gone.
    ready: whether it does its work; may block. before: run before each start; may block.
    mend: given its last words when it ended, repairs the cause; says what it did, None if nothing.
    shown: which of its lines reach the console.
    """

    name: str
    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    stop_signal: Signals = SIGTERM
    death_signal: Signals = SIGKILL
    grace: float = 10.0
    ready: Callable[[], bool] | None = None
    before: Callable[[], object] | None = None
    mend: Callable[[str], str | None] | None = None
    shown: Callable[[str], bool] = _everything


class Child:
    """One process at a time of a spec."""

    def __init__(self, spec: Spec, console: Console) -> None:
        self.spec = spec
        self._console = console
        self._process: asyncio.subprocess.Process | None = None
        self._output: asyncio.Task[None] | None = None
        self._said: deque[str] = deque(maxlen=3)

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process and self._process.returncode is None else None

    @property
    def last_words(self) -> str:
        return " / ".join(self._said)

    async def start(self) -> None:
        """In a session of its own, so that Ctrl-C in the terminal reaches the supervisor alone."""
        self._said.clear()
        # A pipe of our own: with asyncio's, waiting for a process includes its helpers that hold the pipe.
        reading, writing = os.pipe()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *leashed(self.spec.command, self.spec.death_signal),
                env={**os.environ, **self.spec.env},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                start_new_session=True,
            )
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        self._output = asyncio.create_task(self._pass_on(os.fdopen(reading, "rb", 0)))

    async def wait(self) -> int:
        """Until it has ended and all that it said is passed on; its exit code (minus the signal)."""
        assert self._process is not None
        assert self._output is not None
        code = await self._process.wait()
        self._kill_group(self._process.pid)  # helpers that it left behind; they also hold its output open
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._output, 1.0)
        return code

    def ask(self) -> None:
        """Send the stop signal."""
        if self.pid is not None and self._process is not None:
            self._process.send_signal(self.spec.stop_signal)

    def kill(self) -> None:
        if self.pid is not None:
            self._kill_group(self.pid)

    @staticmethod
    def _kill_group(pid: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # PermissionError: macOS, for zombies
            os.killpg(pid, SIGKILL)

    async def _pass_on(self, pipe: IO[bytes]) -> None:
        reader = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), pipe
        )
        rest = b""
        try:
            while chunk := await reader.read(65_536):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    self._line(line)
                if len(rest) > LONGEST_LINE:
                    self._line(rest)
                    rest = b""
            if rest:
                self._line(rest)
        finally:
            transport.close()

    def _line(self, raw: bytes) -> None:
        text = raw[:LONGEST_LINE].decode(errors="replace").rstrip()
        if text:
            self._said.append(text)
            self._console.line(self.spec.name, text, shown=self.spec.shown(text))
