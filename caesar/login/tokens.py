"""One-time links into the dashboard: random, kept as a hash, used once, dead after a quarter of an hour."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models.functions import Now

from caesar.login.models import LoginToken
from memory import operations

LIFETIME = timedelta(minutes=15)
KEPT = timedelta(days=1)


def make(user_id: int | None = None) -> str:
    """A path such as /login/?token=… that lets its holder in as this user (None: the operator)."""
    user_id = operations.user_named(None).id if user_id is None else user_id
    LoginToken.objects.filter(expires_at__lt=Now() - KEPT).delete()
    token = secrets.token_urlsafe(32)
    LoginToken.objects.create(digest=_digest(token), user_id=user_id, expires_at=Now() + LIFETIME)
    return f"/login/?token={token}"


def consume(token: str) -> User | None:
    """Whom the link lets in, or None: unknown, used and expired look alike. The next call with it gets None."""
    fresh = LoginToken.objects.filter(digest=_digest(token), used_at__isnull=True, expires_at__gt=Now())
    # One statement over one table decides, so that of two clicks at once one wins: with a join the conditions
    # would stand in a subquery, which PostgreSQL does not look at again after waiting for the other click.
    if not fresh.update(used_at=Now()):
        return None
    user_id = LoginToken.objects.get(digest=_digest(token)).user_id
    return User.objects.filter(id=user_id, is_active=True).first()


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
