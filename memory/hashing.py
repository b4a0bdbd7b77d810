"""Keyed hashes: recognise a message or a deleted value again without keeping it."""

from __future__ import annotations

import hashlib
import hmac
import json
import uuid
from functools import cache
from typing import Any

from memory.domain import answers
from memory.models import Installation

DIGEST_BYTES = 20


@cache
def _key() -> bytes:
    return bytes(Installation.objects.get(name="hash_key").value)


def message_digest(role: str, text: str, tool_calls: Any = None, tool_call_id: str | None = None) -> bytes:
    """What identifies a message, however its white space was changed on the way back to us."""
    parts = [role, " ".join(text.split()), tool_calls or None, tool_call_id]
    return _digest("message", json.dumps(parts, sort_keys=True, default=str))


def value_digest(key: str | None, value_norm: str, *, closing: bool = False) -> bytes:
    """What identifies a value of a key, or the claim that it holds no longer, for tombstones: in whatever space."""
    return _digest("closing" if closing else "value", json.dumps([key, answers.form(value_norm)]))


def anywhere_digest(value_norm: str) -> bytes | None:
    """What identifies a value under whatever key; None where it says too little for that."""
    return _digest("anywhere", answers.form(value_norm)) if answers.is_telling(value_norm) else None


def document_digest(data: bytes) -> bytes:
    """What tells whether a document was given before."""
    return _digest("document", hashlib.sha256(data).hexdigest())


def profile_digest(profile_id: uuid.UUID) -> bytes:
    """What is a profile's own and nobody can work out: for the ids in its files."""
    return _digest("profile", str(profile_id))


def installation_digest() -> str:
    """What tells whether two keyed hashes were made here, without telling the key."""
    return _digest("installation", "").hex()


def _digest(purpose: str, text: str) -> bytes:
    message = f"{purpose}\0{text}".encode("utf-8", "surrogatepass")
    return hmac.new(_key(), message, hashlib.sha256).digest()[:DIGEST_BYTES]


def key_digest(raw: str) -> bytes:
    """How an API key is kept. Its 256 random bits need no slow hash."""
    return hashlib.sha256(raw.encode("utf-8", "surrogatepass")).digest()


def same(one: bytes, other: bytes) -> bool:
    """Compares in constant time."""
    return hmac.compare_digest(bytes(one), bytes(other))
