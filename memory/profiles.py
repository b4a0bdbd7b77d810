"""The only writer of profiles and spaces: who is remembered, where, and with what consent."""

from __future__ import annotations

import uuid
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from memory import audit, consent
from memory.config import conf
from memory.db import profile_scope, user_scope
from memory.domain.sensitive import Policy
from memory.errors import BeingErased, InvalidInput, NotFound
from memory.models import Approval, Event, Profile, Space
from memory.models.profile import DEFAULT_SPACE

OPERATOR = "operator"
DEFAULT_PROFILE = "default"
MAX_NAME = 120
EDITABLE = ("memory_enabled", "summaries_enabled", "approval", "timezone", "language", "sensitive_policy")


@dataclass(frozen=True)
class Operator:
    """The account of whoever runs the installation. `made` says whether it was made now."""

    user_id: int
    profile_id: uuid.UUID
    made: bool


def ensure_operator() -> Operator:
    """The operator's account and default profile, with memory on: they chose to run it. Idempotent.

    A profile that is made anew, since the first one was erased, starts as all others do. The account has no
    password: it is entered by a one-time link or with `createsuperuser`-like commands.
    """
    user, made = User.objects.get_or_create(username=OPERATOR, defaults={"is_staff": True, "is_superuser": True})
    if made:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    profile = resolve(user_id=user.id, name=None, consent=True if made else None)
    return Operator(user_id=user.id, profile_id=profile.id, made=made)


def resolve(*, user_id: int, name: str | None, consent: bool | None = None) -> Profile:
    """The user's profile of that name (None: the default one), made where it was never seen.

    Raises InvalidInput for a name that cannot be one. Safe against a race of first chats.
    """
    wanted = DEFAULT_PROFILE if name is None else checked_name(name)
    with user_scope(user_id):
        query = Profile.objects.filter(user_id=user_id)
        found = query.filter(is_default=True).first() if name is None else query.filter(name=wanted).first()
        if found is not None:
            return found
    enabled = conf().memory.consent_default if consent is None else consent
    try:
        return _create(user_id=user_id, name=wanted, is_default=name is None, enabled=enabled)
    except IntegrityError:  # somebody's first chat came at the same moment
        with user_scope(user_id):
            return Profile.objects.get(user_id=user_id, name=wanted)


def _create(*, user_id: int, name: str, is_default: bool, enabled: bool) -> Profile:
    with user_scope(user_id):
        with transaction.atomic():
            profile = Profile.objects.create(
                user_id=user_id,
                name=name,
                is_default=is_default,
                memory_enabled=enabled,
                summaries_enabled=enabled,
                approval=conf().memory.approval_default,
            )
        Space.objects.create(profile=profile, slug=DEFAULT_SPACE, name="General")
    return profile


def checked_name(name: str) -> str:
    """A profile's name: any text of 1 to 120 characters in one line."""
    text = audit.storable_text(name).strip()
    if not text or len(text) > MAX_NAME or any(ord(c) < 32 or ord(c) == 127 for c in text):
        raise InvalidInput(f"A profile's name is 1 to {MAX_NAME} characters in one line.")
    return text


def bound(profile_id: uuid.UUID) -> Profile:
    """The profile that a key is bound to."""
    with profile_scope(profile_id):
        profile = Profile.objects.filter(id=profile_id).first()
    if profile is None:
        raise NotFound("There is no such profile.")
    return profile


def update(*, profile_id: uuid.UUID, changes: Mapping[str, Any], actor: str = "person") -> Profile:
    """Change consent, approval, zone or language; each change is an audit row."""
    unknown = sorted(set(changes) - set(EDITABLE))
    if unknown:
        raise InvalidInput(f"Not a setting of a profile: {', '.join(unknown)}. There are {', '.join(EDITABLE)}.")
    clean = {name: _checked(name, value) for name, value in changes.items()}
    with profile_scope(profile_id):
        # Without the lock on its key: whoever writes a row of this profile meanwhile need not wait.
        profile = Profile.objects.select_for_update(no_key=True).filter(id=profile_id).first()
        if profile is None:
            raise NotFound("There is no such profile.")
        before = {name: getattr(profile, name) for name in clean}
        if before == clean:
            return profile
        for name, value in clean.items():
            setattr(profile, name, value)
        also = consent.switch(profile, before, clean)
        profile.save(update_fields=[*clean, *also])
        audit.record(
            audit.Entry(
                Event.SETTINGS_CHANGED,
                profile_id,
                {"subject": "profile", "old": before, "new": clean},
                actor=actor,
            )
        )
    return profile


def _checked(name: str, value: Any) -> Any:
    if name in ("memory_enabled", "summaries_enabled"):
        if not isinstance(value, bool):
            raise InvalidInput(f"{name} is true or false.")
        return value
    if name == "sensitive_policy":
        return _policy(value)
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is a text.")
    if name == "approval" and value not in list(Approval):
        raise InvalidInput("approval is auto or review.")
    if name == "timezone":
        try:
            zoneinfo.ZoneInfo(value)
        except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
            raise InvalidInput("timezone is a name such as Europe/Tallinn.") from None
    if name == "language" and (len(value) > 35 or not all(c.isalnum() or c == "-" for c in value)):
        raise InvalidInput("language is a tag such as en, fi or pt-BR.")
    return value


def _policy(value: Any) -> dict[str, str]:
    """All classes with their handling; what is not named is never kept."""
    if not isinstance(value, Mapping) or not all(isinstance(v, str) for v in value.values()):
        raise InvalidInput('sensitive_policy is an object such as {"health": "review"}.')
    try:
        return Policy.parse(value).as_dict()
    except ValueError as error:
        raise InvalidInput(str(error)) from None


def space(*, profile_id: uuid.UUID, slug: str | None) -> Space:
    """The space of that name (None: general), with its profile. Call inside the profile's scope."""
    wanted = slug or DEFAULT_SPACE
    there = Space.objects.select_related("profile").filter(profile_id=profile_id, removed_at__isnull=True)
    found = there.filter(slug=wanted).first()
    if found is None:
        if not Profile.objects.filter(id=profile_id).exists():
            raise BeingErased
        raise NotFound(f"There is no space {wanted!r} in this profile; POST /v1/spaces makes one.")
    return found
