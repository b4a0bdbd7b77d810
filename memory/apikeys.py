"""The only writer of API keys: made once, shown once, kept as a hash."""

from __future__ import annotations

import secrets
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import connection

from memory import audit, hashing
from memory.db import operator_scope, user_scope
from memory.errors import Conflict, NotFound
from memory.models import ApiKey, Event

PREFIX = "caesar_"
USED_AT_MOST_EVERY = timedelta(minutes=1)


@dataclass(frozen=True)
class KeyOwner:
    """Who a key speaks for. `profile_id` is None for an app's key, which may name any profile of its user."""

    key_id: uuid.UUID
    user_id: int
    profile_id: uuid.UUID | None


def create(
    *, user_id: int, name: str, profile_id: uuid.UUID | None = None, raw: str | None = None
) -> tuple[ApiKey, str]:
    """A new key and its secret, which is not kept. `raw` fixes the secret (at least 16 characters)."""
    secret = raw or PREFIX + secrets.token_urlsafe(32)
    with user_scope(user_id):
        if ApiKey.objects.filter(digest=hashing.key_digest(secret)).exists():
            raise Conflict("That key exists already.")
        key = ApiKey.objects.create(
            user_id=user_id,
            profile_id=profile_id,
            name=name.strip()[:120] or "key",
            hint=f"…{secret[-4:]}",
            digest=hashing.key_digest(secret),
        )
    _tell(key, "created")
    return key, secret


def authenticate(raw: str) -> KeyOwner | None:
    """Who the key belongs to, or None: unknown, revoked and malformed look alike."""
    if not raw or len(raw) > 200:
        return None
    digest = hashing.key_digest(raw)
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, user_id, profile_id, digest, last_used_at FROM api_key_owner(%s)", [digest])
        row = cursor.fetchone()
        if row is None or not hashing.same(row[3], digest):
            return None
        key_id, user_id, profile_id, _, used_at = row
        if used_at is None or datetime.now(UTC) - used_at > USED_AT_MOST_EVERY:
            cursor.execute("SELECT api_key_used(%s)", [key_id])
    return KeyOwner(key_id=key_id, user_id=user_id, profile_id=profile_id)


def all_of(user_id: int) -> list[ApiKey]:
    with user_scope(user_id):
        return list(ApiKey.objects.filter(user_id=user_id).select_related("profile").order_by("created_at"))


def revoke(*, user_id: int, key_id: uuid.UUID) -> ApiKey:
    """From now on the key opens nothing."""
    with user_scope(user_id):
        key = ApiKey.objects.select_for_update().filter(user_id=user_id, id=key_id).first()
        if key is None:
            raise NotFound("There is no such key.")
        if key.revoked_at is None:
            key.revoked_at = datetime.now(UTC)
            key.save(update_fields=["revoked_at"])
    _tell(key, "revoked")
    return key


def _tell(key: ApiKey, did: str) -> None:
    """In the log of the profile that the key is bound to, so that it goes where the person goes."""
    told = {"subject": "api_key", "id": str(key.id), "name": key.name, "did": did, "user_id": key.user_id}
    with operator_scope():
        audit.record(audit.Entry(Event.SETTINGS_CHANGED, key.profile_id, told, actor="operator"))
