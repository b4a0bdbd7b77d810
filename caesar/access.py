"""Who is calling and whose memory that opens: the same rules for the chat and for the REST API.

Blocks on the database; the chat calls it from its executor.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

import structlog

from caesar import rates
from memory import apikeys, audit, profiles
from memory.apikeys import KeyOwner
from memory.db import operator_scope
from memory.errors import CaesarError, InvalidInput
from memory.models import Event, Profile

LOG = structlog.get_logger(__name__)
# How Open WebUI says which of its users is asking (ENABLE_FORWARD_USER_INFO_HEADERS). The id stays when a name changes.
USER_HEADER = "x-openwebui-user-id"
TOLD_EVERY_SECONDS = 60.0
TOLD_AT_MOST = 60  # addresses within that time, together: a flood from everywhere cannot fill the log either
MOST_ADDRESSES = 10_000


class Unauthorized(CaesarError):
    """No key, or none that opens anything. The answer is the same for all of them."""

    code = "unauthorized"
    status = 401

    def __init__(self) -> None:
        super().__init__("Send a valid API key as `Authorization: Bearer KEY`.")


class OtherProfile(CaesarError):
    """The key is bound to one profile and the request names another."""

    code = "other_profile"
    status = 403

    def __init__(self) -> None:
        super().__init__(
            "This key is bound to one profile, and X-Caesar-Profile names another. "
            "Leave the header out, or use a key that may name profiles."
        )


def identify(authorization: str | None, address: str) -> KeyOwner:
    """Who the `Authorization` header speaks for.

    Raises Unauthorized, of which the audit log hears, and TooManyRequests.
    """
    scheme, _, key = (authorization or "").strip().partition(" ")
    owner = apikeys.authenticate(key.strip()) if scheme.lower() == "bearer" else None
    if owner is None:
        _tell(address)
        raise Unauthorized
    rates.check(owner.key_id)
    return owner


def profile_of(owner: KeyOwner, header: str | None, user_field: object = None) -> Profile:
    """The profile that a request is about: what X-Caesar-Profile names, else OpenAI's `user` (or the user whom Open
    WebUI names), else the default.

    A bound key opens its own profile alone; `user` then means nothing to us. `header` is taken as web
    frameworks give it (latin-1) or decoded. Raises OtherProfile, or InvalidInput for what cannot be a name.
    """
    named = None if header is None else _as_utf8(header).strip()
    if owner.profile_id is not None:
        profile = profiles.bound(owner.profile_id)
        if named is not None and named != profile.name:
            raise OtherProfile
        return profile
    if named is None and user_field is not None:
        if not isinstance(user_field, str):
            raise InvalidInput("user is a text: the name of a profile.")
        named = user_field
    # An empty name is refused, not taken for the default profile: it would mix up two people's memory.
    return profiles.resolve(user_id=owner.user_id, name=named)


def _as_utf8(header: str) -> str:
    try:
        return header.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return header


class _Quiet:
    """Lets one telling per address and minute through, and counts what it held back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._told: OrderedDict[str, tuple[float, int]] = OrderedDict()
        self._recent: list[float] = []

    def attempts(self, address: str) -> int | None:
        """How many attempts are to be told of now; None: keep quiet."""
        now = time.monotonic()
        with self._lock:
            at, held = self._told.get(address, (now - TOLD_EVERY_SECONDS, 0))
            self._recent = [t for t in self._recent if now - t < TOLD_EVERY_SECONDS]
            if now - at < TOLD_EVERY_SECONDS or len(self._recent) >= TOLD_AT_MOST:
                self._told[address] = (at, held + 1)
                told = None
            else:
                self._told[address] = (now, 0)
                self._recent.append(now)
                told = held + 1
            self._told.move_to_end(address)
            if len(self._told) > MOST_ADDRESSES:
                self._told.popitem(last=False)
        return told


_quiet = _Quiet()


def _tell(address: str) -> None:
    attempts = _quiet.attempts(address)
    if attempts is None:
        return
    LOG.warning("auth_failed", address=address, attempts=attempts)
    with operator_scope():
        audit.record(audit.Entry(Event.AUTH_FAILED, None, {"address": address[:100], "attempts": attempts}))
