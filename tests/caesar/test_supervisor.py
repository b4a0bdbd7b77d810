"""The supervisor with small real children: restarts, and none left behind, however it ends."""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from signal import SIGKILL, SIGTERM

import psutil
import pytest

from caesar.embedded.errors import CannotStart
from caesar.up.child import Spec
from caesar.up.console import Console
from caesar.up.supervisor import Patience, Supervisor, ending

QUICK = Patience(first_delay=0.05, longest_delay=0.2, calm_after=5.0, tries=3, ready_within=5.0)
SLEEP = "import time; print('here', flush=True); time.sleep(60)"
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('deaf', flush=True); time.sleep(60)"
# Ends at SIGTERM, leaves a helper behind that does not.
PARENT = (
    "import subprocess, sys, time\n"
    "helper = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    "print('helper', helper.pid, flush=True); time.sleep(60)"
)


def python(name: str, code: str, **more: object) -> Spec:
    return Spec(name, [sys.executable, "-c", code], **more)  # type: ignore[arg-type]


class Watched:
    """A supervisor and what it printed."""

    def __init__(self, patience: Patience = QUICK, logs: Path | None = None) -> None:
        self.out = io.StringIO()
        self.console = Console(self.out, logs)
        self.supervisor = Supervisor(self.console, patience)

    async def until(self, condition: Callable[[str], bool], within: float = 5.0) -> str:
        deadline = time.monotonic() + within
        while not condition(self.out.getvalue()):
            assert time.monotonic() < deadline, self.out.getvalue()
            await asyncio.sleep(0.01)
        return self.out.getvalue()


@asynccontextmanager
async def watched(patience: Patience = QUICK, logs: Path | None = None) -> AsyncIterator[Watched]:
    it = Watched(patience, logs)
    try:
        yield it
    finally:
        await it.supervisor.stop()
        it.console.close()


def test_it_puts_the_name_before_each_line_and_keeps_a_file_of_all_of_them(tmp_path: Path) -> None:
    async def scene() -> str:
        async with watched(logs=tmp_path) as it:
            code = "print('loud', flush=True); print('quiet detail', flush=True); import time; time.sleep(60)"
            await it.supervisor.start(python("web", code, shown=lambda line: "quiet" not in line))
            return await it.until(lambda out: "loud" in out and "quiet" in _read(tmp_path / "web.log"))

    out = asyncio.run(scene())
    assert "web      | loud\n" in out
    assert "quiet" not in out
    assert "\x1b" not in out
    assert (tmp_path / "web.log").read_text().count("\n") == 2


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def test_it_colours_names_on_a_terminal_unless_told_not_to(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured, plain = Terminal(), Terminal()
    Console(coloured).line("web", "text")
    monkeypatch.setenv("NO_COLOR", "1")
    Console(plain).line("web", "text")
    assert coloured.getvalue() == "\x1b[32mweb      |\x1b[0m text\n"
    assert plain.getvalue() == "web      | text\n"


def test_it_goes_on_when_nobody_reads_its_output_any_more(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        console = Console(stream, tmp_path)
        console.line("web", "text")
        console.close()
    assert "text" in _read(tmp_path / "web.log")


def test_it_restarts_what_dies_with_growing_pauses_and_says_so_in_one_line() -> None:
    async def scene() -> str:
        async with watched() as it:
            await it.supervisor.start(python("worker", SLEEP))
            for times in range(1, 5):
                await it.until(lambda out, n=times: out.count("worker   | here") == n)  # type: ignore[misc]
                os.kill(it.supervisor.pids()["worker"], SIGKILL)
            return await it.until(lambda out: out.count("worker   | here") == 5)

    said = [line for line in asyncio.run(scene()).splitlines() if line.startswith("up ")]
    assert said == [
        f"up       | worker ended (killed by SIGKILL); starting it again in {pause} s"
        for pause in ("0.05", "0.1", "0.2", "0.2")
    ]


def test_it_forgets_the_pauses_once_a_child_has_been_calm() -> None:
    async def scene() -> str:
        async with watched(Patience(first_delay=0.05, calm_after=0.2)) as it:
            await it.supervisor.start(python("worker", "import time; print('here', flush=True); time.sleep(0.3)"))
            return await it.until(lambda out: out.count("here") == 4)

    assert asyncio.run(scene()).count("again in 0.05 s") == 3


def test_it_gives_up_a_child_that_never_comes_up_and_shows_its_last_words(tmp_path: Path) -> None:
    async def scene() -> None:
        async with watched(logs=tmp_path) as it:
            await it.supervisor.start(python("web", "raise SystemExit('no such setting')", ready=lambda: False))

    with pytest.raises(CannotStart, match=r"web does not start\. Its last words: no such setting .*web\.log"):
        asyncio.run(scene())
    assert _read(tmp_path / "up.log").count("web ended (exit code 1)") == 2


def test_it_says_what_is_not_ready_in_time() -> None:
    async def scene() -> None:
        async with watched(Patience(ready_within=0.1)) as it:
            await it.supervisor.start(python("web", SLEEP, ready=lambda: False))

    with pytest.raises(CannotStart, match=r"web is not ready after 0\.1 s"):
        asyncio.run(scene())


def test_it_reports_a_command_that_is_not_there() -> None:
    async def scene() -> None:
        async with watched() as it:
            await it.supervisor.start(Spec("web", ["/no/such/program"], ready=lambda: False))

    with pytest.raises(CannotStart, match="/no/such/program cannot be run: No such file or directory"):
        asyncio.run(scene())


def test_it_lets_a_child_be_mended_before_it_is_started_again(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.touch()
    code = f"import os, time\nif os.path.exists({str(broken)!r}): raise SystemExit('broken file')\n" + SLEEP

    def mend(last_words: str) -> str | None:
        if "broken file" not in last_words:
            return None
        broken.unlink()
        return "its file was set aside"

    async def scene() -> str:
        async with watched() as it:
            await it.supervisor.start(python("valkey", code, mend=mend, ready=lambda: not broken.exists()))
            return await it.until(lambda out: "here" in out)

    assert "up       | valkey: its file was set aside\n" in asyncio.run(scene())


def test_it_ends_children_in_reverse_order() -> None:
    code = (
        "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: (print('bye', flush=True), sys.exit()))\n"
    )

    async def scene() -> str:
        async with watched() as it:
            await it.supervisor.start(python("postgres", code + SLEEP))
            await it.supervisor.start(python("web", code + SLEEP), python("worker", code + SLEEP))
            await it.until(lambda out: out.count("here") == 3)
        return it.out.getvalue()

    byes = [line.split()[0] for line in asyncio.run(scene()).splitlines() if line.endswith("bye")]
    assert set(byes[:2]) == {"web", "worker"}
    assert byes[2] == "postgres"


def test_it_kills_what_does_not_end_in_its_grace_and_what_that_left_behind() -> None:
    async def scene() -> tuple[str, list[int]]:
        async with watched() as it:
            await it.supervisor.start(python("web", DEAF, grace=0.2), python("worker", PARENT))
            out = await it.until(lambda out: "deaf" in out and "helper" in out)
            helper = int(out.split("helper ")[1].split()[0])
            pids = [*it.supervisor.pids().values(), helper]
        return it.out.getvalue(), pids

    out, pids = asyncio.run(scene())
    assert "up       | web does not end by itself; killing it\n" in out
    assert len(pids) == 3
    gone(pids)


def test_it_waits_no_longer_when_it_is_told_to_hurry() -> None:
    async def scene() -> float:
        async with watched() as it:
            await it.supervisor.start(python("web", DEAF, grace=30.0))
            await it.until(lambda out: "deaf" in out)
            it.supervisor.hurry()
            begun = time.monotonic()
        return time.monotonic() - begun

    assert asyncio.run(scene()) < 5


def test_it_runs_a_command_once_and_tells_why_it_failed() -> None:
    async def scene() -> None:
        async with watched() as it:
            await it.supervisor.run(python("migrate", "pass"))
            await it.supervisor.run(python("migrate", "raise SystemExit('the table is gone')"))

    with pytest.raises(CannotStart, match=r"migrate failed \(exit code 1\): the table is gone"):
        asyncio.run(scene())


def test_it_keeps_ctrl_c_in_the_terminal_away_from_children() -> None:
    async def scene() -> None:
        async with watched() as it:
            await it.supervisor.start(python("web", SLEEP))
            await it.until(lambda out: "here" in out)
            pid = it.supervisor.pids()["web"]
            assert os.getsid(pid) == pid

    asyncio.run(scene())


def test_it_cuts_lines_without_end() -> None:
    async def scene() -> str:
        async with watched() as it:
            await it.supervisor.start(python("web", "print('x' * 50_000, flush=True)\n" + SLEEP))
            return await it.until(lambda out: "here" in out)

    assert max(map(len, asyncio.run(scene()).splitlines())) < 8_100


SUPERVISOR = """
import asyncio, signal, sys
from caesar.up.child import Spec
from caesar.up.console import Console
from caesar.up.supervisor import Supervisor

async def main():
    supervisor = Supervisor(Console(sys.stdout))
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    for name in ("web", "worker"):
        await supervisor.start(Spec(name, [sys.executable, "-c", "import time; time.sleep(60)"]))
    print("pids", *supervisor.pids().values(), flush=True)
    await stop.wait()
    await supervisor.stop()

asyncio.run(main())
"""


@pytest.mark.parametrize("signal", [SIGTERM, SIGKILL])
def test_it_leaves_no_child_behind(signal: int) -> None:
    process = subprocess.Popen([sys.executable, "-c", SUPERVISOR], stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        pids = [int(word) for word in process.stdout.readline().split()[1:]]
        assert len(pids) == 2
        assert all(map(psutil.pid_exists, pids))
        process.send_signal(signal)
        assert process.wait(10) == (0 if signal == SIGTERM else -SIGKILL)
    gone(pids)


def gone(pids: list[int]) -> None:
    """All have ended, or do within a moment (the kernel needs one)."""
    deadline = time.monotonic() + 5
    while any(psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie" for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_it_tells_how_a_process_ended() -> None:
    assert ending(3) == "exit code 3"
    assert ending(-SIGTERM) == "killed by SIGTERM"
    assert ending(-99) == "killed by signal 99"
