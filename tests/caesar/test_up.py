"""`manage.py up` for real: from an empty folder to the first answered chat, and down again."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM

import psutil
import pytest

from caesar.config import ROOT
from caesar.up import banner, children
from tests.caesar.test_preflight import settings
from tests.processes import free_port

READY = "ready after"


class Up:
    """One `manage.py up` and what it printed so far."""

    def __init__(self, home: Path, port: int, **env: str) -> None:
        self.home = home
        self.env = {**os.environ, "CAESAR_HOME": str(home), "CAESAR_PORT": str(port), **env}
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "up"],
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.out = ""
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.out += line

    def until(self, text: str, within: float = 90.0, times: int = 1) -> str:
        deadline = time.monotonic() + within
        while self.out.count(text) < times:
            assert time.monotonic() < deadline, self.out
            assert self.process.poll() is None, self.out
            time.sleep(0.02)
        return self.out

    def children(self) -> dict[str, psutil.Process]:
        """The running children by a word of their command line."""
        found = {}
        for process in psutil.Process(self.process.pid).children():
            line = " ".join(process.cmdline())
            for word in ("uvicorn", "caesar worker", "caesar beat", "bin/postgres", "valkey-server"):
                if word in line:
                    found[word] = process
        return found

    def end(self, signal: int = SIGINT) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal)
        code = self.process.wait(60)
        self._reader.join(10)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


@contextmanager
def running(home: Path, port: int, **env: str) -> Iterator[Up]:
    up = Up(home, port, **env)
    try:
        yield up
    finally:
        up.end(SIGTERM)


def nobody_lives_in(home: Path) -> bool:
    """Whether no process has this home in its environment any more."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if not any(_home_of(process) == str(home) for process in psutil.process_iter()):
            return True
        time.sleep(0.05)
    return False


def _home_of(process: psutil.Process) -> str:
    try:
        return "" if process.pid == os.getpid() else process.environ().get("CAESAR_HOME", "")
    except psutil.Error:
        return ""


def manage(up: Up, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    return subprocess.run(command, env=up.env, capture_output=True, text=True, timeout=120)


def demo(up: Up, *arguments: str) -> subprocess.CompletedProcess[str]:
    return manage(up, "demo", *arguments)


def shell(line: str) -> str:
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, cwd="/").stdout


def test_it_goes_from_an_empty_folder_to_the_first_answer_and_back(tmp_path: Path) -> None:
    home, port = tmp_path / "a home", free_port()
    with running(home, port) as up:
        out = up.until(READY)
        curl = next(line for line in out.splitlines() if line.startswith("curl "))
        answer = shell(curl)
        assert '"audit_log_id"' in answer, (answer, up.out)
        assert shell(f"stat -c %a {shlex.quote(str(home / 'api-key'))}").strip() == "600"
        assert (home / "api-key").read_text().strip() not in out

        second = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), "up"], env=up.env, capture_output=True, text=True
        )
        assert second.returncode == 1
        assert re.fullmatch(
            rf"CAESAR already runs in .* \(pid {up.process.pid}\), dashboard at http://127\.0\.0\.1:{port}/: .*\n",
            second.stderr,
        )

        other = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), "up"],
            env={**up.env, "CAESAR_HOME": str(tmp_path / "other")},
            capture_output=True,
            text=True,
        )
        assert other.returncode == 1
        assert other.stderr.startswith(f"Port {port} on 127.0.0.1 is taken by")
        assert other.stderr.count("\n") == 1

        assert up.end(SIGINT) == 0
    assert nobody_lives_in(home)

    begun = time.monotonic()
    with running(home, port) as up:
        up.until(READY)
        took = time.monotonic() - begun
        for step in ("making the database", "bringing the tables up to date"):
            assert (step in out, step in up.out) == (True, False)  # done once and for all
        assert '"audit_log_id"' in shell(curl)  # the same key still opens it
        for more in ([], ["--keep"]):
            story = demo(up, *more)
            assert (story.returncode, "Told on Monday, known on Thursday." in story.stdout) == (0, True), story
        profiles = manage(up, "profile", "list").stdout
        assert (profiles.count("\noperator"), profiles.count(" demo ")) == (2, 1), profiles
        assert up.end(SIGTERM) == 0
    assert nobody_lives_in(home)
    assert took < 30, took  # 4 to 6 s where the tests are alone on the machine


def test_it_restarts_whatever_is_killed_and_leaves_nothing_behind_when_it_is_killed_itself(
    tmp_path: Path,
) -> None:
    port = free_port()
    with running(tmp_path, port) as up:
        out = up.until(READY)
        curl = next(line for line in out.splitlines() if line.startswith("curl "))
        assert set(up.children()) == {"uvicorn", "caesar worker", "caesar beat", "bin/postgres", "valkey-server"}
        for process in up.children().values():
            process.send_signal(SIGKILL)
        up.until("ended (killed by SIGKILL); starting it again in", times=5)
        deadline = time.monotonic() + 60
        while '"audit_log_id"' not in shell(curl):
            assert time.monotonic() < deadline, up.out
            time.sleep(0.2)
        up.end(SIGKILL)
        assert nobody_lives_in(tmp_path)


def test_it_ends_while_it_is_still_starting(tmp_path: Path) -> None:
    with running(tmp_path, free_port()) as up:
        up.until("making the database")
        assert up.end(SIGINT) == 0
    assert nobody_lives_in(tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("CAESAR_PORT", "eighty", "CAESAR_PORT: "),
        ("CAESAR_SECRET_KEY", "change-me", "CAESAR_SECRET_KEY: "),
        ("CAESAR_MEMORY__FACTS_EXTRACT__BATCHSIZE", "3", "CAESAR_MEMORY__FACTS_EXTRACT__BATCHSIZE is not a setting"),
        (
            "CAESAR_LLM__PROVIDER",
            "antropic",
            "CAESAR_LLM__PROVIDER: there is no provider 'antropic': did you mean anthropic",
        ),
        ("CAESAR_DATABASE_URL", "mysql://x", "CAESAR_DATABASE_URL: must look like"),
        ("CAESAR_HOME", "/proc/caesar", "The folder /proc/caesar cannot be made"),
    ],
)
def test_it_answers_a_wrong_setting_with_a_sentence(tmp_path: Path, name: str, value: str, sentence: str) -> None:
    env = {**os.environ, "CAESAR_HOME": str(tmp_path), name: value}
    done = subprocess.run([sys.executable, str(ROOT / "manage.py"), "up"], env=env, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith(sentence)
    assert "Traceback" not in done.stderr


def test_it_gives_a_link_that_a_browser_on_this_machine_can_open(tmp_path: Path) -> None:
    def address(host: str) -> str:
        return banner.address(settings(tmp_path, host=host))

    assert address("127.0.0.1").startswith("http://127.0.0.1:")
    assert address("0.0.0.0").startswith("http://127.0.0.1:")
    assert address("::").startswith("http://[::1]:")


def test_it_does_not_take_a_silent_port_for_a_server() -> None:
    assert not children.answers("127.0.0.1", free_port(), "/healthz")()
