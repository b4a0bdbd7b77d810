"""Servers that a previous run left behind, found by their working folder.

A pid file proves nothing: after a crash its number may belong to any other program. A server that lives in
our folder does. Only for whoever holds the lock of that folder.
"""

from __future__ import annotations

import os
from pathlib import Path
from signal import SIGKILL, Signals

import psutil


def living_in(path: Path, program: str) -> list[psutil.Process]:
    """This user's processes of `program` whose working folder is `path`, oldest first."""
    where = os.path.realpath(path)
    found = []
    for process in psutil.process_iter():
        try:
            # A zombie has no working folder any more; neither is it in anybody's way.
            if process.name() == program and process.uids().effective == os.geteuid() and process.cwd() == where:
                found.append(process)
        except (psutil.Error, OSError):
            continue  # it ended meanwhile, or is somebody else's
    return sorted(found, key=lambda p: p.create_time())


def end(path: Path, program: str, signal: Signals, *, within: float = 10.0) -> int:
    """End `program` in `path`: asked with `signal`, killed after `within` seconds. How many there were."""
    processes = living_in(path, program)
    for process in processes[:1]:  # the server itself; it ends its own helpers
        _send(process, signal)
    _, stubborn = psutil.wait_procs(processes, timeout=within)
    for process in stubborn:
        _send(process, SIGKILL)
    psutil.wait_procs(stubborn, timeout=2)
    return len(processes)


def _send(process: psutil.Process, signal: Signals) -> None:
    try:
        process.send_signal(signal)
    except psutil.NoSuchProcess:
        return
