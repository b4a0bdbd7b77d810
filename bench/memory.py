"""What the whole of `manage.py up` takes up when idle, after one chat, one reading and one vector."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil

from bench.footprint import family, megabytes
from bench.stack import ROOT, Stack, free_port, model_env, reachable, until
from bench.tables import table

PARTS = ("supervisor", "web", "worker", "beat", "postgres", "valkey")
MARKS = {
    " caesar worker": "worker",
    " caesar beat": "beat",
    "uvicorn": "web",
    "valkey": "valkey",
    "postgres": "postgres",
}
SETTLE_SECONDS = 10.0


def run(stack: Stack) -> None:
    """Once with `local` embeddings, once with `onnx`."""
    columns = {provider: _measured(stack, provider) for provider in ("local", "onnx")}
    rows = {part: [parts[part] for parts in columns.values()] for part in PARTS}
    rows["together"] = [sum(parts.values()) for parts in columns.values()]
    table("Memory of the idle stack after one chat and one reading, MB (shared pages counted once)", [*columns], rows)


def _measured(stack: Stack, provider: str) -> dict[str, float]:
    with stack.model() as model_url, _up(model_url, provider) as (home, url, process):
        auth = {"Authorization": f"Bearer {(home / 'api-key').read_text().strip()}"}
        body = {"messages": [{"role": "user", "content": "I play the viola, and my dog is called Beans."}]}
        httpx.post(f"{url}/v1/chat", json=body, headers=auth, timeout=60).raise_for_status()
        asked = {"query": "Which instrument do I play?"}
        until(lambda: _by_meaning(httpx.post(f"{url}/v1/recall", json=asked, headers=auth, timeout=60)), seconds=120)
        time.sleep(SETTLE_SECONDS)
        return megabytes({"supervisor": [process], **{_part(child): family(child) for child in process.children()}})


def _by_meaning(answer: httpx.Response) -> bool:
    """Whether what was read has its vector, and a question has one in time."""
    return any(one["scores"].get("semantic") for one in answer.raise_for_status().json()["results"])


def _part(process: psutil.Process) -> str:
    command = " ".join(process.cmdline())
    return next(name for mark, name in MARKS.items() if mark in command)


@contextmanager
def _up(model_url: str, provider: str) -> Iterator[tuple[Path, str, psutil.Process]]:
    """A stack of its own under a supervisor: (home, URL, supervisor)."""
    home, port = Path(tempfile.mkdtemp(prefix="caesar-bench-up-")), free_port()
    own = {name: value for name, value in os.environ.items() if not name.startswith(("CAESAR_", "DJANGO_"))}
    env = own | model_env(model_url) | {
        "CAESAR_HOME": str(home),
        "CAESAR_ENV_FILE": os.devnull,
        "CAESAR_PORT": str(port),
        "CAESAR_SEMANTIC__PROVIDER": provider,
        "CAESAR_MEMORY__FACTS_EXTRACT__INTERVAL_SECONDS": "1",
        "CAESAR_MEMORY__EPISODES_SUMMARISE__INTERVAL_SECONDS": "1",
    }  # fmt: skip
    with (home / "up.log").open("wb") as log:
        command = [sys.executable, "manage.py", "up"]
        child = subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            until(lambda: reachable(f"http://127.0.0.1:{port}/readyz") and (home / "api-key").exists(), seconds=180)
            yield home, f"http://127.0.0.1:{port}", psutil.Process(child.pid)
        finally:
            child.terminate()
            child.wait(60)
            shutil.rmtree(home, ignore_errors=True)
