"""Which keys are perhaps one: by their form, and by what they mean to the embedder that recall searches by.

Nothing is merged here: the person is asked.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence

import numpy as np

from memory import identities, key_selectors
from memory.db import profile_scope
from memory.domain.near_keys import ALIKE, Meant
from memory.errors import ModelError
from memory.key_selectors import Proposed
from memory.llm import embedding
from memory.models import Profile

MOST_MEANT = 300  # keys whose meaning is compared, those used last
BUDGET_SECONDS = 1.5  # for all of them; what comes too late is there the next time


def proposed(*, profile_id: uuid.UUID) -> list[Proposed]:
    """The merges to propose, but for those that the person has answered. Opens its own scopes.

    What the embedder does not answer in time is left out: it may be somebody else's, and nobody waits for it long.
    """
    with profile_scope(profile_id):
        on = Profile.objects.filter(id=profile_id, memory_enabled=True).exists()
        names = key_selectors.names(profile_id=profile_id, most=MOST_MEANT) if on else []
    meant = _meant(names)
    with profile_scope(profile_id):
        return key_selectors.merges(profile_id=profile_id, meant=meant)


def _meant(names: Sequence[str]) -> list[Meant]:
    """Pairs of keys of like meaning."""
    vectors = _vectors(names)
    if len(vectors) < 2:
        return []
    there = list(vectors)
    matrix = np.stack([vectors[name] for name in there])
    cosines = np.triu(matrix @ matrix.T, k=1)
    pairs = zip(*np.nonzero(cosines >= ALIKE), strict=True)
    return [Meant(there[i], there[j], float(cosines[i, j])) for i, j in pairs]


def _vectors(names: Sequence[str]) -> dict[str, np.ndarray]:
    active = identities.kept().active
    deadline = time.monotonic() + BUDGET_SECONDS
    found: dict[str, np.ndarray] = {}
    try:
        embedder = embedding.for_identity(active) if active else None
    except ModelError:  # the settings no longer reach it
        embedder = None
    for name in names if embedder else ():
        left = deadline - time.monotonic()
        vector = embedder.query(name.replace(".", " ").replace("_", " "), left) if embedder and left > 0 else None
        if vector is None:
            break
        found[name] = vector
    return found
