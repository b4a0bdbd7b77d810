"""Real processes of the product for tests: a worker, beat, the web server. Each in its own process group."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.environment import HOME

ROOT = Path(__file__).resolve().parent.parent


class Process:
    """A child whose output goes to a file in the tests' home."""

    def __init__(self, name: str, command: list[str], env: dict[str, str]) -> None:
        self.name = name
        self.log = Path(HOME) / f"{name}-{time.monotonic_ns()}.log"
        self._out = self.log.open("wb")
        self.popen = subprocess.Popen(
            command,
            cwd=ROOT,
            env=os.environ | env,
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def kill(self) -> None:
        """kill -9 for the whole group."""
        self._send(signal.SIGKILL)
        self.popen.wait(10)

    def stop(self, seconds: float = 20) -> None:
        self._send(signal.SIGTERM)
        try:
            self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
        self._out.close()

    def _send(self, number: int) -> None:
        if self.popen.poll() is None:
            os.killpg(self.popen.pid, number)

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def wait_for(self, words: str, seconds: float = 30) -> None:
        eventually(lambda: words in self.said(), seconds=seconds, what=lambda: f"{self.name}: {self.said()[-3000:]}")


@contextmanager
def worker(
    env: dict[str, str], *, threads: int = 4, queues: str = "extract,summarise,embed,maintenance"
) -> Iterator[Process]:
    """A Celery worker that is ready."""
    command = [sys.executable, "-m", "celery", "-A", "caesar", "worker", "-P", "threads", "-c", str(threads)]
    command += ["-Q", queues, "--without-gossip", "--without-mingle"]
    command += ["-n", f"test{time.monotonic_ns()}@%h", "-l", "INFO"]
    process = Process("worker", command, env | {"CAESAR_LOG_LEVEL": "INFO"})
    try:
        process.wait_for("worker_ready")
        yield process
    finally:
        process.stop()


@contextmanager
def beat(env: dict[str, str]) -> Iterator[Process]:
    schedule = str(Path(HOME) / f"beat-{time.monotonic_ns()}")
    command = [sys.executable, "-m", "celery", "-A", "caesar", "beat", "-s", schedule, "--pidfile="]
    process = Process("beat", command, env)
    try:
        yield process
    finally:
        process.stop()


def eventually(condition: Callable[[], Any], *, seconds: float = 30, what: Any = "it") -> None:
    """Wait until the condition holds; fails with what was seen."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.05)


def free_port() -> int:
    """One of this machine that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
