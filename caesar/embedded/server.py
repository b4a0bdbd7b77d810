"""Running one embedded server for a `with` block: leashed to this process, ready inside, ended after."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import Signals

from caesar.embedded.errors import CannotStart
from caesar.embedded.leash import leashed

# A crashed server may stay in the process table for a second or more, and a new one refuses to start.
RETRY_FOR = 10.0
ANSWER_WITHIN = 60.0


def _nothing(_last_words: str) -> None:
    return None


@dataclass(frozen=True)
class Server:
    """How to run a server in the foreground.

    mend: given the last words of one that ended, repairs what it ended of; says what it did, None if nothing.
    """

    name: str
    command: Sequence[str]
    ready: Callable[[], bool]
    log: Path
    stop_signal: Signals
    mend: Callable[[str], str | None] = _nothing


@contextmanager
def serving(server: Server) -> Iterator[None]:
    """Run it until the block is left. Raises CannotStart, with the end of its log, if it does not come up."""
    process = _start(server)
    try:
        yield
    finally:
        _stop(process, server.stop_signal)


def _start(server: Server) -> subprocess.Popen[bytes]:
    deadline = time.monotonic() + RETRY_FOR
    while True:
        process = _spawn(server)
        try:
            if _comes_up(server, process):
                return process
        except BaseException:
            _stop(process, server.stop_signal)
            raise
        words = last_words(server.log)
        if server.mend(words) is None:
            if time.monotonic() > deadline:
                raise CannotStart(f"{server.name} does not start. Its last words: {words} (more in {server.log})")
            time.sleep(0.5)


def _spawn(server: Server) -> subprocess.Popen[bytes]:
    with server.log.open("ab") as output:
        return subprocess.Popen(
            leashed(server.command, server.stop_signal),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _comes_up(server: Server, process: subprocess.Popen[bytes]) -> bool:
    """True when it answers, False when it ended first."""
    deadline = time.monotonic() + ANSWER_WITHIN
    while process.poll() is None:
        if server.ready():
            return True
        if time.monotonic() > deadline:
            raise CannotStart(f"{server.name} did not answer within {ANSWER_WITHIN:.0f} s (see {server.log}).")
        time.sleep(0.02)
    return False


def _stop(process: subprocess.Popen[bytes], stop_signal: Signals) -> None:
    if process.poll() is None:
        process.send_signal(stop_signal)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def last_words(log: Path) -> str:
    """The last three lines of a log."""
    try:
        text = log.read_bytes()[-4000:].decode(errors="replace").strip()
    except OSError:
        return ""
    return " / ".join(text.splitlines()[-3:])
