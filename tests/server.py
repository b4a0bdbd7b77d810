"""The web process as `up` runs it: a real uvicorn on a free port of loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

MODEL = "scripted-1"
UPSTREAM_KEY = "upstream-key-that-must-not-show"


@dataclass(frozen=True)
class Web:
    """A running web process."""

    url: str
    pid: int
    log: Path

    @property
    def openai_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def threads(self) -> int:
        return psutil.Process(self.pid).num_threads()

    @property
    def said(self) -> str:
        """What it logged."""
        return self.log.read_text()


def with_model(url: str) -> dict[str, str]:
    """The settings that send chats to a scripted model."""
    return {
        "CAESAR_LLM__PROVIDER": "openai",
        "CAESAR_LLM__MODEL": MODEL,
        "CAESAR_LLM__OPENAI__BASE_URL": url,
        "CAESAR_LLM__OPENAI__API_KEY": UPSTREAM_KEY,
    }


@contextmanager
def running(settings: dict[str, str] | None = None) -> Iterator[Web]:
    """A web process with these settings beside the tests' own home and database."""
    from caesar.config import config
    from caesar.up import children

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    spec = children.web(config().model_copy(update={"host": "127.0.0.1", "port": port}))
    log = Path(tempfile.mkstemp(prefix="web-", suffix=".log", dir=config().home)[1])
    with log.open("wb") as out:
        process = subprocess.Popen(
            spec.command, env={**os.environ, **spec.env, **(settings or {})}, stdout=out, stderr=out
        )
    try:
        _wait(spec.ready, process, log)
        yield Web(f"http://127.0.0.1:{port}", process.pid, log)
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(ready: object, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 90
    while not (callable(ready) and ready()):
        if process.poll() is not None or time.monotonic() > end:
            raise AssertionError(f"the web process does not answer: {log.read_text()[-4000:]}")
        time.sleep(0.05)
