"""The database that is backed up or restored, and PostgreSQL's own programs that reach it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from caesar.backup.errors import BackupFailed
from caesar.config import Config
from caesar.database import owner_url
from caesar.embedded import home, postgres

_VERSION = re.compile(r"\(PostgreSQL\) (\d+)")
# libpq reads what it needs from these, so that no password stands in a list of processes.
_FROM_ENVIRONMENT = {
    "host": "PGHOST",
    "hostaddr": "PGHOSTADDR",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE",
    "sslnegotiation": "PGSSLNEGOTIATION",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "connect_timeout": "PGCONNECT_TIMEOUT",
}


@dataclass(frozen=True)
class Server:
    """A PostgreSQL that answers, by the login that owns the tables."""

    url: str = field(repr=False)
    programs: Path

    def program(self, name: str) -> str:
        return str(self.programs / name)

    @property
    def environment(self) -> Mapping[str, str]:
        """What its programs are told of where it is."""
        given = conninfo_to_dict(self.url)
        found = {_FROM_ENVIRONMENT[name]: str(value) for name, value in given.items() if name in _FROM_ENVIRONMENT}
        return {**found, "PGAPPNAME": "caesar backup", "PATH": "/usr/bin:/bin", "LC_ALL": "C"}

    def connect(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(self.url, application_name="caesar backup", connect_timeout=5)


@contextmanager
def reached(config: Config, *, alone: bool) -> Iterator[Server]:
    """The installation's database; the embedded one is started for the time where it does not run.

    `alone`: nothing else of the installation may run meanwhile. Raises BackupFailed.
    """
    if config.database_url.get_secret_value():
        yield _given(owner_url(config), alone=alone)
        return
    with home.Lock(config.home / "lock") as lock:
        holder = lock.take("backup or restore")
        if holder is None:
            with postgres.running(config.home):
                yield Server(owner_url(config), postgres.programs())
            return
    if alone:
        raise BackupFailed(f"CAESAR runs in {config.home} (process {holder.pid}): end it first.")
    yield _given(owner_url(config), alone=False)


def _given(url: str, *, alone: bool) -> Server:
    try:
        with psycopg.connect(url, application_name="caesar backup", connect_timeout=5) as link:
            major = link.info.server_version // 10_000
            others = link.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                " AND application_name LIKE 'caesar%'"
            ).fetchone()
    except psycopg.Error as error:
        raise BackupFailed(f"The database cannot be reached: {' '.join(str(error).split())}") from error
    if alone and others and others[0]:
        raise BackupFailed(f"{others[0]} sessions of web or workers use that database: end them first.")
    return Server(url, _programs(major))


def _programs(major: int) -> Path:
    """Those of this machine where they are new enough (they speak TLS), else those that come along."""
    found = shutil.which("pg_dump")
    if found and all(shutil.which(name) for name in ("pg_restore", "psql")) and _major(found) >= major:
        return Path(found).parent
    return postgres.programs()


def _major(program: str) -> int:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    match = _VERSION.search(said)
    return int(match.group(1)) if match else 0
