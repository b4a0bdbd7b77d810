"""A whole installation in a temporary home, made of real processes, for one benchmark run."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
from pydantic import SecretStr

from bench.footprint import family, megabytes

ROOT = Path(__file__).resolve().parent.parent
REPLY = {"facts": [{"key": "instrument", "value": "viola", "confidence": 0.95}], "summary": "s"}


def use_home() -> Path:
    """A home of its own; must be called before Django is set up."""
    for name in [n for n in os.environ if n.startswith("CAESAR_")]:
        del os.environ[name]
    home = Path(tempfile.mkdtemp(prefix="caesar-bench-"))
    os.environ |= {"CAESAR_HOME": str(home), "CAESAR_ENV_FILE": os.devnull, "DJANGO_SETTINGS_MODULE": "caesar.settings"}
    return home


class Stack:
    """PostgreSQL (crash-safe, as in real use), the broker, and whatever processes a measurement starts.

    data: a folder with what a measurement reads that does not come along.
    """

    def __init__(self, home: Path, stack: ExitStack, data: Path | None = None) -> None:
        from caesar.embedded import postgres, valkey

        self.home, self.data, self._stack = home, data, stack
        self.postgres = stack.enter_context(postgres.running(home))
        self.valkey = stack.enter_context(valkey.running(home))
        subprocess.run([sys.executable, "manage.py", "migrate", "-v", "0"], cwd=ROOT, check=True)

    def database_megabytes(self) -> float:
        """What all processes of the database hold now, the pages that they share counted once."""
        postmaster = psutil.Process(int((self.postgres.data / "postmaster.pid").read_text().split()[0]))
        return megabytes({"postgres": family(postmaster)})["postgres"]

    @contextmanager
    def process(self, name: str, command: list[str], env: dict[str, str] | None = None) -> Iterator[psutil.Process]:
        log = (self.home / f"{name}.log").open("ab")
        child = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=os.environ | (env or {}),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        try:
            yield psutil.Process(child.pid)
        finally:
            child.terminate()
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
            log.close()

    @contextmanager
    def model(self, *, seconds: float = 0.0, interval: float = 0.0) -> Iterator[str]:
        """A scripted model that answers after so many seconds, streams with a pause between words. Gives its URL."""
        port = free_port()
        with self.process("model", ["-m", "tests.scripted_model", "--port", str(port), "--record-limit", "1"]):
            url = f"http://127.0.0.1:{port}"
            until(lambda: reachable(url))
            # Streams must outlast the time that it takes to open five hundred of them.
            words = "word " * 120 if interval else json.dumps(REPLY)
            reply = {"kind": "text", "text": words, "delay": seconds, "interval": interval}
            httpx.post(f"{url}/__script", json={"default": reply, "extraction": reply}).raise_for_status()
            yield f"{url}/v1"

    @contextmanager
    def web(self, model_url: str) -> Iterator[tuple[str, psutil.Process]]:
        port = free_port()
        command = ["-m", "uvicorn", "caesar.asgi:application", "--port", str(port), "--http", "h11", "--loop", "uvloop"]
        with self.process("web", [*command, "--no-access-log"], model_env(model_url)) as process:
            url = f"http://127.0.0.1:{port}"
            until(lambda: reachable(f"{url}/healthz"))
            yield url, process

    @contextmanager
    def worker(self, model_url: str, *, threads: int, env: dict[str, str] | None = None) -> Iterator[psutil.Process]:
        command = ["-m", "celery", "-A", "caesar", "worker", "-P", "threads", "-c", str(threads), "-Q"]
        command += ["extract,summarise,embed,maintenance", "--without-gossip", "--without-mingle"]
        mark = (self.home / "worker.log").stat().st_size if (self.home / "worker.log").exists() else 0
        with self.process("worker", command, model_env(model_url) | (env or {})) as process:
            until(lambda: "worker_ready" in (self.home / "worker.log").read_text()[mark:])
            yield process


@contextmanager
def semantic(**values: Any) -> Iterator[None]:
    """Other settings of semantic recall in this process."""
    from django.conf import settings

    before = settings.CAESAR
    changed = before.semantic.model_copy(update=values)
    settings.CAESAR = before.model_copy(update={"semantic": changed})
    try:
        yield
    finally:
        settings.CAESAR = before


@contextmanager
def model_in_force(url: str) -> Iterator[None]:
    """A scripted model for what runs in this process."""
    from django.conf import settings

    before = settings.CAESAR
    served = before.llm.openai.model_copy(update={"api_key": SecretStr("sk-not-a-real-key"), "base_url": url})
    llm = before.llm.model_copy(update={"provider": "openai", "model": "scripted", "openai": served})
    settings.CAESAR = before.model_copy(update={"llm": llm})
    try:
        yield
    finally:
        settings.CAESAR = before


def person(name: str) -> tuple[int, uuid.UUID, str]:
    """(user, profile, API key) of a person whose memory is on."""
    from django.contrib.auth.models import User

    from memory import apikeys, profiles

    user = User.objects.create_user(name)
    profile = profiles.resolve(user_id=user.id, name=None, consent=True)
    return user.id, profile.id, apikeys.create(user_id=user.id, name="bench")[1]


def model_env(url: str) -> dict[str, str]:
    return {
        "CAESAR_LLM__PROVIDER": "openai",
        "CAESAR_LLM__MODEL": "scripted",
        "CAESAR_LLM__OPENAI__API_KEY": "sk-not-a-real-key",
        "CAESAR_LLM__OPENAI__BASE_URL": url,
    }


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def reachable(url: str) -> bool:
    try:
        httpx.get(url, timeout=2)
    except httpx.HTTPError:
        return False
    return True


def until(condition: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("a process of the benchmark did not become ready; its log lies in CAESAR_HOME")
        time.sleep(0.05)


def reserved() -> float:
    """Megabytes of memory that this process has for itself alone."""
    return float(psutil.Process().memory_full_info().uss) / 2**20
