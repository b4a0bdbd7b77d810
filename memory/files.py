"""Where files about one person lie, so that they go where the person goes."""

from __future__ import annotations

import shutil
import uuid
from contextlib import suppress
from pathlib import Path

from django.conf import settings


def folder_of(profile_id: uuid.UUID) -> Path:
    """The folder for files that are made of a profile's memory (exports, documents); not made here."""
    home: Path = settings.CAESAR.home
    return home / "people" / str(profile_id)


def drop(profile_id: uuid.UUID) -> None:
    """Remove the profile's folder with all that is in it. Raises OSError where that cannot be done."""
    with suppress(FileNotFoundError):
        shutil.rmtree(folder_of(profile_id))
