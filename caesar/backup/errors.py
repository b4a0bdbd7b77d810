"""What keeps a backup or a restore from being done."""

from __future__ import annotations

from memory.errors import CaesarError


class BackupFailed(CaesarError):
    """The sentence says what to do. Nothing was changed, and no half of a backup was left behind."""

    code = "backup_failed"
