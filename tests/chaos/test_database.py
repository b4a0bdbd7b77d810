"""The database is restarted, goes away for a minute, or has no room left: chats fail with a reason, none is lost."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest

from caesar.embedded import postgres
from tests.chaos import site as sites
from tests.chaos.site import WITHIN, Site
from tests.chaos.state import State
from tests.chaos.telling import Told, reading
from tests.processes import eventually
from tests.scripted_model import Text

pytestmark = pytest.mark.timeout(400)
AWAY = 60.0


@pytest.mark.long
def test_it_goes_on_after_the_database_was_restarted(site: Site, facts: Iterator[Told]) -> None:
    """In an orderly way: all sessions end, some in the middle of what they do."""
    site.normal(facts, seconds=60)
    site.model.extraction(lambda r: Text(reading(r), delay=1))
    for _ in range(4):
        site.tell(next(facts))
    database = site.process("database")
    assert database is not None
    database.send_signal(postgres.STOP_SIGNAL)
    site.normal(facts, seconds=90)
    assert site.wrongs() == []


@pytest.mark.long
def test_it_goes_on_after_the_database_was_away_for_a_minute(tmp_path: Path, facts: Iterator[Told]) -> None:
    with ExitStack() as stack:
        with postgres.running(tmp_path / "database") as first:
            env = {"CAESAR_DATABASE_URL": first.url(), "CAESAR_DATABASE_OWNER_URL": first.url("owner")}
            site = stack.enter_context(sites.running(tmp_path / "home", **env))
            site.state = State(first.url("superuser"))
            site.normal(facts, seconds=60)
            site.model.extraction(lambda r: Text(reading(r), delay=2))
            for _ in range(4):
                site.tell(next(facts))
        end = time.monotonic() + AWAY
        while time.monotonic() < end:
            body = {"messages": [{"role": "user", "content": "Are you there?"}]}
            answer = site.http.post("/v1/chat", json=body)
            assert answer.status_code == 503
            assert answer.json()["error"]["code"] == "database_unavailable"
            assert site.http.get("/healthz").status_code == 200
            time.sleep(2)
        with postgres.running(tmp_path / "database"):
            took = site.normal(facts, seconds=60)
            print(f"after the database was away: {took:.1f} s")
            assert site.wrongs() == []
            assert took < WITHIN


@contextmanager
def small_disk(path: Path, megabytes: int) -> Iterator[Path]:
    path.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(path)], capture_output=True)
    if done.returncode:
        pytest.skip(f"NOT TESTED: a full disk. A small file system cannot be mounted here: {done.stderr.decode()}")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


@pytest.mark.long
def test_a_full_disk_loses_nothing_that_was_answered(tmp_path: Path, facts: Iterator[Told]) -> None:
    with small_disk(tmp_path / "disk", 500) as disk, sites.running(disk / "home") as site:
        site.normal(facts, seconds=60)
        ballast = disk / "ballast"
        fill(ballast, site)
        refused = 0
        for _ in range(30):
            refused += not site.tell(next(facts), stream=refused % 2 == 0)
            time.sleep(0.2)
        assert refused > 0
        ballast.unlink()
        site.normal(facts, seconds=90)
        assert site.wrongs() == []


def fill(ballast: Path, site: Site) -> None:
    """No byte is left, neither on the disk nor in what the database had set aside."""
    with ballast.open("wb", buffering=0) as file:
        for size in (2**20, 4096):
            try:
                while True:
                    file.write(os.urandom(size))
            except OSError:
                continue

    def full() -> bool:
        try:
            site.state.run("CREATE TABLE IF NOT EXISTS ballast (filler text)")
            site.state.run("INSERT INTO ballast SELECT repeat(md5(n::text), 100) FROM generate_series(1, 5000) n")
        except psycopg.Error:
            return True
        return False

    eventually(full, seconds=60, what="the disk does not get full")
