"""The steps of an import: each is one batch, written in one transaction."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable

from memory import profiles
from memory.errors import BeingErased
from memory.models import Space
from memory.portable.found import Skipped

# What became of a batch, what of it could not be taken, and how many records of the file it ends.
Taken = tuple[Counter[str], list[Skipped], int]
Step = Callable[[], Taken]


def default_space(profile_id: uuid.UUID) -> Space:
    """Raises BeingErased."""
    space = profiles.space(profile_id=profile_id, slug=None)
    if space.profile.erasing_at is not None:
        raise BeingErased
    return space
