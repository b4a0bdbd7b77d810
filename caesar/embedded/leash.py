"""Run a command that cannot outlive its parent: python leash.py SIGNAL PARENT COMMAND...

The kernel sends SIGNAL to the command when PARENT ends, however it ends (Linux; elsewhere it just runs).
Started by path, so that nothing of the project is imported: it costs some ten milliseconds.

Trap: "parent" is the *thread* that started us. Start children from one that lives as long as the process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from signal import SIGKILL, Signals

PR_SET_PDEATHSIG = 1


def leashed(command: Sequence[str | os.PathLike[str]], death_signal: Signals = SIGKILL) -> list[str]:
    """`command`, to be started by this process, such that it gets `death_signal` when this process ends."""
    head = [sys.executable, "-I", "-S", __file__, str(int(death_signal)), str(os.getpid())]
    return [*head, *(os.fspath(part) for part in command)]


def main(argv: list[str]) -> None:
    import ctypes

    death_signal, parent, command = int(argv[0]), int(argv[1]), argv[2:]
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0) != 0:
            raise SystemExit(f"prctl: {os.strerror(ctypes.get_errno())}")
        if os.getppid() != parent:  # it ended before the kernel knew what to do
            raise SystemExit(1)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        raise SystemExit(f"{command[0]} cannot be run: {error.strerror}") from None


if __name__ == "__main__":
    main(sys.argv[1:])
