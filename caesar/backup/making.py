"""Makes a backup and checks it: every row that was counted must come back out of the file."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from psycopg import sql

from caesar.backup import archive
from caesar.backup.archive import Manifest
from caesar.backup.errors import BackupFailed
from caesar.backup.server import Server, reached
from caesar.config import Config
from caesar.embedded import home
from memory.db import OPERATOR
from memory.version import VERSION

# Who is logged in is nobody's memory, and opens doors.
WITHOUT_ROWS = ("django_session", "login_tokens")
NAME = re.compile(r"caesar-\d{8}T\d{6}Z\.tar")
_COPY = re.compile(rb"COPY public\.(\w+|\"[^\"]+\") \(.*\) FROM stdin;\n")


def backup(config: Config, path: Path | None = None, *, keep: int | None = None) -> tuple[Path, Manifest]:
    """Write a backup to a file, by default one with the time in its name under `backups/` in the home.

    The installation may go on working meanwhile. `keep`: only so many of those named by us stay in that folder.
    Raises BackupFailed; then there is no file.
    """
    made_at = datetime.now(UTC)
    target = (path or config.home / "backups" / f"caesar-{made_at:%Y%m%dT%H%M%SZ}.tar").absolute()
    if target.exists():
        raise BackupFailed(f"{target} exists already.")
    home.folder(target.parent)
    os.umask(0o077)
    try:
        with (
            reached(config, alone=False) as server,
            tempfile.TemporaryDirectory(prefix=".backup-", dir=target.parent) as folder,
        ):
            manifest = _dumped(server, Path(folder) / archive.DUMP, made_at)
            draft = Path(folder) / "backup.tar"
            archive.write(draft, manifest, Path(folder) / archive.DUMP, config.home / "people")
            _check(server, draft, Path(folder))
            draft.rename(target)
    except OSError as error:
        raise BackupFailed(f"The backup cannot be written to {target.parent}: {error}.") from error
    if keep is not None:
        _drop_old(target.parent, keep)
    return target, manifest


def _dumped(server: Server, path: Path, made_at: datetime) -> Manifest:
    try:
        with server.connect() as link:
            # All that is counted and dumped is one state, that of this transaction.
            link.execute("SET transaction_timeout = 0; SET idle_in_transaction_session_timeout = 0")
            link.commit()
            link.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            link.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(OPERATOR)))
            snapshot = str(_one(link, "SELECT pg_export_snapshot()"))
            rows = _counted(link)
            migrations = [str(name) for (name,) in link.execute("SELECT app || '.' || name FROM django_migrations")]
            version, owner = _one(link, "SHOW server_version"), _one(link, "SELECT session_user")
            _run(server, _pg_dump(server, snapshot, path))
    except psycopg.Error as error:
        raise BackupFailed(f"The database cannot be read: {' '.join(str(error).split())}") from error
    return Manifest(
        made_at=made_at.isoformat(timespec="seconds"),
        release=VERSION,
        server=str(version),
        owner=str(owner),
        migrations=sorted(migrations),
        rows=rows,
        sha256=archive.sha256_of(path),
    )


def _pg_dump(server: Server, snapshot: str, path: Path) -> list[str]:
    without = [f"--exclude-table-data=public.{table}" for table in WITHOUT_ROWS]
    # Row-level security holds for the owner as well; the operator's role sees all rows.
    reading = [f"--role={OPERATOR}", "--enable-row-security", f"--snapshot={snapshot}"]
    return [server.program("pg_dump"), "--format=custom", "--schema=public", *reading, *without, f"--file={path}"]


def _counted(link: psycopg.Connection[tuple[object, ...]]) -> dict[str, int]:
    tables = [str(name) for (name,) in link.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
    counts = {}
    for table in sorted(set(tables) - set(WITHOUT_ROWS)):
        row = link.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))).fetchone()
        counts[table] = int(str(row[0])) if row else 0
    return counts


def _check(server: Server, path: Path, folder: Path) -> None:
    """Read the file back as a restore would, and count what comes."""
    with tempfile.TemporaryDirectory(prefix="check-", dir=folder) as unpacked:
        manifest = archive.unpack(path, Path(unpacked))
        command = [server.program("pg_restore"), "--data-only", "--file=-", str(Path(unpacked) / archive.DUMP)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as reading:
            assert reading.stdout is not None
            found = count_rows(reading.stdout)
        if reading.returncode != 0:
            raise BackupFailed("The backup cannot be read back: pg_restore refuses it. The disk may be failing.")
    wrong = sorted(table for table, count in manifest.rows.items() if found[table] != count)
    if wrong:
        raise BackupFailed(f"The backup does not hold all rows of {', '.join(wrong)}: nothing was kept of it.")


def count_rows(script: Iterable[bytes]) -> Counter[str]:
    """How many rows each table has in pg_restore's script."""
    found: Counter[str] = Counter()
    table = ""
    for line in script:
        if not table:
            match = _COPY.fullmatch(line)
            table = match.group(1).decode().strip('"') if match else ""
        elif line == b"\\.\n":
            table = ""
        else:
            found[table] += 1
    return found


def _drop_old(folder: Path, keep: int) -> None:
    ours = sorted(path for path in folder.iterdir() if NAME.fullmatch(path.name))
    for path in ours[: max(0, len(ours) - keep)]:
        path.unlink(missing_ok=True)


def _run(server: Server, command: Sequence[str]) -> None:
    done = subprocess.run(command, env=dict(server.environment), capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise BackupFailed(f"pg_dump did not work: {' '.join(done.stderr.split())[-500:]}")


def _one(link: psycopg.Connection[tuple[object, ...]], query: str) -> object:
    row = link.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]
