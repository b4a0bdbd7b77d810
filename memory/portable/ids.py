"""Ids in files. A file's ids are a profile's own under a mask that belongs to the profile.

So the same file names the same rows again in the profile that it is from, and rows that nobody else has in any other:
what an import writes never touches or tells of a row of somebody else. Exporting what was imported gives the file's
ids back.
"""

from __future__ import annotations

import uuid

from memory import hashing

# The random part of a UUID version 7: its time and version stay readable, and rows stay in order of time.
RANDOM = (1 << 62) - 1


class Mask:
    """Turns a profile's ids into those of a file, and back: the same step."""

    def __init__(self, profile_id: uuid.UUID) -> None:
        self._mask = int.from_bytes(hashing.profile_digest(profile_id)) & RANDOM

    def swap(self, one: uuid.UUID) -> uuid.UUID:
        return uuid.UUID(int=one.int ^ self._mask)
