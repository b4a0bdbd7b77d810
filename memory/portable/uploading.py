"""Files that come over the wire: kept in the person's folder for as long as they are read."""

from __future__ import annotations

import tempfile
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from memory import files
from memory.portable import importing
from memory.portable.importing import Report

PIECE = 1 << 16
LEFT_ALONE = 24 * 3_600.0  # seconds; what is older was left by a process that was killed


class Body(Protocol):
    def read(self, size: int, /) -> bytes: ...


def run(*, profile_id: uuid.UUID, body: Body, name: str, **options: Any) -> Report:
    """Import what the body holds; see `importing.run`."""
    folder = files.folder_of(profile_id) / "imports"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _tidy(folder)
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".upload") as file:
        while piece := body.read(PIECE):
            file.write(piece)
        file.flush()
        return importing.run(profile_id=profile_id, path=Path(file.name), name=name, **options)


def _tidy(folder: Path) -> None:
    for path in folder.iterdir():
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - LEFT_ALONE:
                path.unlink()
