"""Tables are brought up to date beside running work: nobody waits for long, and what is busy is tried again."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from caesar.config import ROOT
from caesar.embedded import postgres
from caesar.embedded.postgres import Postgres
from caesar.management.commands.migrate import LOCK_SECONDS

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Postgres]:
    """A cluster with the tables of before the sweep."""
    with postgres.running(tmp_path, fast=True) as cluster:
        assert migrate(cluster, "memory", "0014").returncode == 0
        yield cluster


def migrate(cluster: Postgres, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {"CAESAR_HOME": str(cluster.home), "CAESAR_DATABASE_URL": cluster.url("service")}
    env["CAESAR_DATABASE_OWNER_URL"] = cluster.url("owner")
    return subprocess.run(
        [sys.executable, "manage.py", "migrate", *arguments],
        cwd=ROOT,
        env=os.environ | env,
        capture_output=True,
        text=True,
        timeout=200,
    )


def test_a_long_transaction_holds_up_nobody_but_the_migration(old: Postgres) -> None:
    waits: list[float] = []
    over = threading.Event()

    def read() -> None:
        """Somebody's page, again and again."""
        with psycopg.connect(old.url("superuser"), autocommit=True) as link:
            while not over.is_set():
                begun = time.monotonic()
                link.execute("SELECT count(*) FROM audit_log").fetchone()
                waits.append(time.monotonic() - begun)
                time.sleep(0.05)

    reading = threading.Thread(target=read)
    with psycopg.connect(old.url("superuser")) as long:
        long.execute("SELECT count(*) FROM audit_log").fetchone()
        letting_go = threading.Thread(target=lambda: (_waited_for(old), long.rollback()))
        reading.start()
        letting_go.start()
        done = migrate(old)
        letting_go.join()
    over.set()
    reading.join()
    assert done.returncode == 0, done.stderr[-2000:]
    assert "trying again" in done.stderr
    assert max(waits) < LOCK_SECONDS + 1
    assert len(waits) > 50


def _waited_for(cluster: Postgres) -> None:
    """Until a migration has waited for the table, and longer than it may."""
    with psycopg.connect(cluster.url("superuser"), autocommit=True) as link:
        waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'"
        while link.execute(waits).fetchone() == (0,):
            time.sleep(0.05)
    time.sleep(1.5 * LOCK_SECONDS)


def test_an_index_that_was_broken_off_is_made_anew(old: Postgres) -> None:
    assert migrate(old, "memory", "0015").returncode == 0
    with psycopg.connect(old.url("superuser"), autocommit=True) as link:
        link.execute("CREATE INDEX audit_profile_age ON audit_log (profile_id, at)")
        link.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'audit_profile_age'::regclass")
    done = migrate(old)
    assert done.returncode == 0, done.stderr[-2000:]
    with psycopg.connect(old.url("superuser")) as link:
        invalid: Any = link.execute("SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid").fetchall()
    assert invalid == []
