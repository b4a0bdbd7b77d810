"""The file of a backup: a tar with a manifest, pg_dump's own archive of the database, and people's files.

manifest.json   what was counted when it was made
database.dump   what `pg_restore` reads
people/         files that belong to people
"""

from __future__ import annotations

import hashlib
import json
import tarfile
from dataclasses import asdict, dataclass
from pathlib import Path

from caesar.backup.errors import BackupFailed

FORMAT = 1
MANIFEST, DUMP, PEOPLE = "manifest.json", "database.dump", "people"
_MANIFEST_BYTES = 10_000_000


@dataclass(frozen=True)
class Manifest:
    """`rows`: how many each table had, in the very state that was dumped. `migrations`: app.name of all applied."""

    made_at: str
    release: str
    server: str
    owner: str
    migrations: list[str]
    rows: dict[str, int]
    sha256: str
    format: int = FORMAT


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write(path: Path, manifest: Manifest, dump: Path, people: Path) -> None:
    """Make the file. Raises OSError."""
    described = path.with_name("manifest.json.part")
    described.write_text(json.dumps(asdict(manifest), indent=2) + "\n")
    try:
        with tarfile.open(path, "w") as tar:
            tar.add(described, MANIFEST)
            tar.add(dump, DUMP)
            if people.is_dir():
                tar.add(people, PEOPLE)
    finally:
        described.unlink()


def unpack(path: Path, into: Path) -> Manifest:
    """Unpack a backup and check that it is whole. Raises BackupFailed."""
    try:
        with tarfile.open(path, "r:") as tar:
            tar.extractall(into, filter="data")
        with (into / MANIFEST).open("rb") as file:
            described = json.loads(file.read(_MANIFEST_BYTES))
        manifest = Manifest(**described)
    except (OSError, tarfile.TarError, ValueError, TypeError) as error:
        raise BackupFailed(f"{path} is no backup that can be read ({error}).") from error
    if manifest.format != FORMAT:
        raise BackupFailed(f"{path} was made by another release ({manifest.release}): restore it with that one.")
    if not (into / DUMP).is_file() or sha256_of(into / DUMP) != manifest.sha256:
        raise BackupFailed(f"{path} is damaged: its database.dump is not the one that was written.")
    return manifest
