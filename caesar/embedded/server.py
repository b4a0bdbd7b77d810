"""Running one embedded server for a `with` block: leashed to this process, ready inside, ended after."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from signal import Signals

from caesar.embedded.errors import CannotStart
from caesar.embedded.leash import leashed

# A crashed server may stay in the process table for a second or more, and a new one refuses to start.
RETRY_FOR = 10.0


@contextmanager
def serving(
    name: str,
    *,
    command: Sequence[str],
    ready: Callable[[], bool],
    log: Path,
    stop_signal: Signals,
    timeout: float = 60.0,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run `command` until the block is left. Raises CannotStart, with the end of its log, if that fails."""
    process = _started(name, command=command, ready=ready, log=log, stop_signal=stop_signal, timeout=timeout)
    try:
        yield process
    finally:
        _stop(process, stop_signal)


def _started(
    name: str,
    *,
    command: Sequence[str],
    ready: Callable[[], bool],
    log: Path,
    stop_signal: Signals,
    timeout: float,
) -> subprocess.Popen[bytes]:
    begun = time.monotonic()
    while True:
        with log.open("ab") as output:
            process = subprocess.Popen(
                leashed(command, stop_signal),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            while process.poll() is None and time.monotonic() - begun < timeout:
                if ready():
                    return process
                time.sleep(0.02)
        except BaseException:
            _stop(process, stop_signal)
            raise
        if process.poll() is None:
            _stop(process, stop_signal)
            raise CannotStart(f"{name} did not answer within {timeout:.0f} s. {tail(log)}")
        if time.monotonic() - begun > RETRY_FOR:
            raise CannotStart(f"{name} does not start. {tail(log)}")
        time.sleep(0.5)


def _stop(process: subprocess.Popen[bytes], stop_signal: Signals) -> None:
    if process.poll() is None:
        process.send_signal(stop_signal)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def tail(log: Path, lines: int = 3) -> str:
    """The last lines of a log as one sentence, with where the rest is."""
    try:
        text = log.read_bytes()[-4000:].decode(errors="replace").strip()
    except OSError:
        text = ""
    return f"Its last words: {' / '.join(text.splitlines()[-lines:]) or 'none'} (all of them: {log})"
