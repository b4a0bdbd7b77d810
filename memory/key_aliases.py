"""Reads of which spellings of keys are one, for those who write facts. Call inside the profile's scope."""

from __future__ import annotations

import uuid
from typing import Any

from memory.compiled import Compiled
from memory.domain import keys
from memory.models import AliasState, KeyAlias


def active(profile_id: uuid.UUID) -> dict[str, str]:
    """Spelling -> the key that it is read as."""
    return {alias: key for alias, key, state in _NAMED.rows(profile_id=profile_id) if state == AliasState.ACTIVE}


def both(profile_id: uuid.UUID) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """What `active` and `alike` say, in one query."""
    found = _NAMED.rows(profile_id=profile_id)
    named = {alias: key for alias, key, state in found if state == AliasState.ACTIVE}
    return named, keys.alike((alias, key) for alias, key, _ in found)


def alike(profile_id: uuid.UUID) -> dict[str, frozenset[str]]:
    """For each key with aliases, all that are or once were one with it: a value deleted under one stays deleted."""
    return keys.alike((alias, key) for alias, key, _ in _NAMED.rows(profile_id=profile_id))


def _named(*, profile_id: uuid.UUID) -> Any:
    rows = KeyAlias.objects.filter(profile_id=profile_id).exclude(state=AliasState.DISMISSED)
    return rows.order_by("alias").values_list("alias", "key", "state")


_NAMED = Compiled(_named)
