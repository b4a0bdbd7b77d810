"""CAESAR_HOME: where things lie in it, who may read them, and that only one installation runs in it.

lock            held while `up` runs; says its pid and its address
secret-key      signs sessions             (0600, like every secret here)
api-key         the operator's API key
postgres/       data, passwords, log
valkey/         append-only file, log
run/            unix sockets (see `sockets`)
logs/           what each process said
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from caesar.embedded.errors import CannotStart

# A unix socket's path has at most 107 bytes; the longest name in its folder is "/.s.PGSQL.5432.lock".
SOCKET_FOLDER_BYTES = 107 - len("/.s.PGSQL.5432.lock")
# Characters that need no quoting in a URL, in a libpq host list or in a server's configuration.
PLAIN_PATH = re.compile(r"[A-Za-z0-9_./+-]+")
SHORT_FOLDERS = Path("/tmp")


def folder(path: Path) -> Path:
    """Make `path` (and its parents) where missing; what is made is for this user alone."""
    missing = [p for p in (path, *path.parents) if not p.exists()]
    try:
        for p in reversed(missing):
            p.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise CannotStart(
            f"The folder {path} cannot be made ({error.strerror}): set CAESAR_HOME to a folder that you may write."
        ) from error
    return path


def write_private(path: Path, text: str) -> None:
    """Replace `path` by `text`, whole or not at all, readable by this user alone."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        folder(path.parent)
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise CannotStart(_cannot_write(path, error)) from error


def secret(home: Path, name: str, *, length: int = 32) -> str:
    """The secret kept in the file `name`; made of `length` random bytes when first asked for.

    Processes that ask at the same time get the same one.
    """
    path = home / name
    try:
        found = path.read_text().strip()
    except FileNotFoundError:
        found = ""
    except OSError as error:
        raise CannotStart(
            f"The file {path} cannot be read ({error.strerror}): run as the user it belongs to."
        ) from error
    if found:
        return found
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    write_private(draft, secrets.token_hex(length) + "\n")
    try:
        os.link(draft, path)  # unlike a rename, this fails where another process was first
    except FileExistsError:
        if not path.read_text().strip():  # left empty by a full disk
            draft.replace(path)
    except OSError as error:
        raise CannotStart(_cannot_write(path, error)) from error
    finally:
        draft.unlink(missing_ok=True)
    return path.read_text().strip()


def sockets(home: Path) -> Path:
    """The folder of the unix sockets of this home; nothing is made.

    `run/` in the home, or /tmp/caesar-<hash of the home> where that path is too long for a socket or holds
    characters that a URL would have to quote. It depends on nothing but the home, so that a process from cron
    or another login session finds the same one (XDG_RUNTIME_DIR differs there and is emptied at logout).
    """
    inside = home / "run"
    if len(os.fsencode(inside)) <= SOCKET_FOLDER_BYTES and PLAIN_PATH.fullmatch(str(inside)):
        return inside
    digest = hashlib.sha256(os.fsencode(home) + b"\0%d" % os.geteuid()).hexdigest()[:16]
    return SHORT_FOLDERS / f"caesar-{digest}"


def make_sockets(home: Path) -> Path:
    """Make the folder of `sockets` and prove that nobody else can enter it."""
    path = folder(sockets(home))
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise CannotStart(f"{path} belongs to somebody else: remove it, or set CAESAR_HOME to a shorter path.")
    if stat.S_IMODE(found.st_mode) & 0o077:
        path.chmod(0o700)
    return path


def drop_sockets(home: Path) -> None:
    """Remove a folder of sockets that lies outside the home, once nothing is left in it."""
    path = sockets(home)
    if path.parent == SHORT_FOLDERS:
        with contextlib.suppress(OSError):  # the other server's socket is still in it, or it is gone already
            path.rmdir()


def _cannot_write(path: Path, error: OSError) -> str:
    return f"{path} cannot be written ({error.strerror}): free some space there, or set CAESAR_HOME to another folder."


@dataclass(frozen=True)
class Holder:
    """Who holds a lock: its process id and what it said about itself."""

    pid: int
    note: str


class Lock:
    """At most one process holds the lock file; the kernel lets go when that process ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None

    def take(self, note: str = "") -> Holder | None:
        """None when it is ours now, else who holds it."""
        folder(self.path.parent)
        try:
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise CannotStart(_cannot_write(self.path, error)) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return self.holder()
        self._fd = fd
        self.say(note)
        return None

    def say(self, note: str) -> None:
        """Change what the lock says about us."""
        assert self._fd is not None, "say() needs the lock"
        text = json.dumps({"pid": os.getpid(), "note": note}).encode()
        try:
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, text, 0)
        except OSError as error:
            raise CannotStart(_cannot_write(self.path, error)) from error

    def holder(self) -> Holder:
        """What the lock file says; pid 0 where it says nothing yet."""
        try:
            said = json.loads(self.path.read_text())
            return Holder(int(said["pid"]), str(said["note"]))
        except (OSError, ValueError, KeyError, TypeError):
            return Holder(0, "")

    def release(self) -> None:
        """The file stays: a lock that is removed can be held twice."""
        if self._fd is not None:
            os.ftruncate(self._fd, 0)
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.release()
