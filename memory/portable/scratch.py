"""Files that are there while a file is read, in the person's folder, which an erase may remove at any moment."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from memory.errors import BeingErased


def made(path: Path) -> BinaryIO:
    """A new file that its owner alone may read. Raises BeingErased where the person's folder is gone."""
    try:
        return open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))
    except FileNotFoundError:
        raise BeingErased from None


@contextmanager
def scratch(folder: Path, ending: str) -> Iterator[tuple[Path, BinaryIO]]:
    """A file for the length of the block."""
    path = folder / f"{uuid.uuid4()}.{ending}"
    try:
        with made(path) as file:
            yield path, file
    finally:
        path.unlink(missing_ok=True)
