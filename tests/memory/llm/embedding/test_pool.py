"""The pool has an end, and a call that hangs holds up nobody else."""

from __future__ import annotations

import subprocess
import sys
import threading

from memory.llm.embedding.pool import Pool


def test_it_takes_no_more_calls_than_it_can_hold() -> None:
    pool, gate, done = Pool("t", threads=2, waiting=1), threading.Event(), threading.Semaphore(0)

    def call() -> None:
        gate.wait(10)
        done.release()

    assert [pool.submit(call) for _ in range(4)] == [True, True, True, False]
    gate.set()
    for _ in range(3):
        assert done.acquire(timeout=5)
    ran = threading.Event()
    while not pool.submit(ran.set):  # the last one's thread may not be free yet
        pass
    assert ran.wait(5)


def test_a_hanging_call_does_not_hold_up_the_end_of_the_process() -> None:
    code = (
        "import threading; from memory.llm.embedding.pool import Pool\n"
        "begun = threading.Event()\n"
        "def hang():\n"
        "    begun.set(); threading.Event().wait()\n"
        "Pool('t', threads=1, waiting=0).submit(hang); begun.wait(5)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=30).returncode == 0
