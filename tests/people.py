"""The cast: Anna has a profile with memory on; Bert is another user; a stranger has nothing."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.contrib.auth.models import User

from memory import apikeys, profiles


@dataclass(frozen=True)
class Person:
    user_id: int
    profile_id: uuid.UUID
    key: str

    @property
    def auth(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}


def person(name: str, *, memory: bool = True, approval: str = "auto", app_key: bool = True) -> Person:
    """A user with a default profile and a key (an app's key, unless it is to be bound to the profile)."""
    user = User.objects.create_user(name)
    profile = profiles.resolve(user_id=user.id, name=None, consent=memory)
    if approval != "auto":
        profiles.update(profile_id=profile.id, changes={"approval": approval})
    _, key = apikeys.create(user_id=user.id, name="test", profile_id=None if app_key else profile.id)
    return Person(user_id=user.id, profile_id=profile.id, key=key)
