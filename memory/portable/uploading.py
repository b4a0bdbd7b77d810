"""Files that come over the wire: kept in the person's folder for as long as they are read."""

from __future__ import annotations

import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from memory import files
from memory.errors import NotFound
from memory.portable import importing, scratch
from memory.portable.importing import Report

PIECE = 1 << 16
LEFT_ALONE = 24 * 3_600.0  # seconds; what is older was left by a process that was killed


class Body(Protocol):
    def read(self, size: int, /) -> bytes: ...


def run(*, profile_id: uuid.UUID, body: Body, name: str, **options: Any) -> Report:
    """Import what the body holds; see `importing.run`."""
    token = keep(profile_id=profile_id, body=body)
    try:
        return run_kept(profile_id=profile_id, token=token, name=name, **options)
    finally:
        drop(profile_id=profile_id, token=token)


def keep(*, profile_id: uuid.UUID, body: Body) -> uuid.UUID:
    """Keep a file for a day. Returns by what it is found again."""
    folder = _folder(profile_id)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _tidy(folder)
    token = uuid.uuid4()
    with scratch.made(_path(profile_id, token)) as file:
        while piece := body.read(PIECE):
            file.write(piece)
    return token


def run_kept(*, profile_id: uuid.UUID, token: uuid.UUID, name: str, **options: Any) -> Report:
    """Import a file that was kept; see `importing.run`. Raises NotFound where it is not there any more."""
    path = _path(profile_id, token)
    if not path.is_file():
        raise NotFound("The file is not there any more: choose it again.")
    return importing.run(profile_id=profile_id, path=path, name=name, **options)


def drop(*, profile_id: uuid.UUID, token: uuid.UUID) -> None:
    """Keep the file no longer."""
    _path(profile_id, token).unlink(missing_ok=True)


def _folder(profile_id: uuid.UUID) -> Path:
    return files.folder_of(profile_id) / "imports"


def _path(profile_id: uuid.UUID, token: uuid.UUID) -> Path:
    return _folder(profile_id) / f"{token}.upload"


def _tidy(folder: Path) -> None:
    for path in folder.iterdir():
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - LEFT_ALONE:
                path.unlink()
