"""Reads of profiles: those of one user, and the spaces of one of them."""

from __future__ import annotations

import uuid

from memory.db import profile_scope, user_scope
from memory.models import Profile, Space


def of_user(*, user_id: int) -> list[Profile]:
    """The user's own profiles, the default one first. Opens its scope."""
    with user_scope(user_id):
        return list(Profile.objects.filter(user_id=user_id).order_by("-is_default", "name"))


def spaces_of_user(*, user_id: int) -> dict[uuid.UUID, list[Space]]:
    """The spaces of all of the user's profiles, by profile, without those that were removed. Opens the user's scope."""
    found: dict[uuid.UUID, list[Space]] = {}
    with user_scope(user_id):
        rows = Space.objects.filter(profile__user_id=user_id, removed_at__isnull=True)
        for space in rows.order_by("created_at", "slug"):
            found.setdefault(space.profile_id, []).append(space)
    return found


def spaces(*, profile_id: uuid.UUID) -> list[Space]:
    """The profile's spaces, those that were removed left out. Opens its scope."""
    with profile_scope(profile_id):
        rows = Space.objects.filter(profile_id=profile_id, removed_at__isnull=True)
        return list(rows.order_by("created_at", "slug"))
