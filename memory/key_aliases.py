"""Reads of which spellings of keys are one, for those who write facts. Call inside the profile's scope."""

from __future__ import annotations

import uuid

from memory.domain import keys
from memory.models import AliasState, KeyAlias


def active(profile_id: uuid.UUID) -> dict[str, str]:
    """Spelling -> the key that it is read as."""
    rows = KeyAlias.objects.filter(profile_id=profile_id, state=AliasState.ACTIVE)
    return dict(rows.order_by("alias").values_list("alias", "key"))


def both(profile_id: uuid.UUID) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """What `active` and `alike` say, in one query."""
    rows = KeyAlias.objects.filter(profile_id=profile_id).exclude(state=AliasState.DISMISSED).order_by("alias")
    found = list(rows.values_list("alias", "key", "state"))
    named = {alias: key for alias, key, state in found if state == AliasState.ACTIVE}
    return named, keys.alike((alias, key) for alias, key, _ in found)


def alike(profile_id: uuid.UUID) -> dict[str, frozenset[str]]:
    """For each key with aliases, all that are or once were one with it: a value deleted under one stays deleted."""
    rows = KeyAlias.objects.filter(profile_id=profile_id).exclude(state=AliasState.DISMISSED)
    return keys.alike(rows.values_list("alias", "key"))
