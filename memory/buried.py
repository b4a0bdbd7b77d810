"""What a text says that the person has deleted, also when nobody knows the words any more: keyed hashes tell.

Call inside the profile's scope.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from memory import hashing
from memory.domain.stating import spans, telling
from memory.domain.text import same_form
from memory.models import Fact, FactSource, FactState, Tombstone, TombstoneKind


@dataclass(frozen=True)
class Buried:
    """Words of a text that say a deleted value, and when it was deleted."""

    words: str
    at: datetime


def said(*, profile_id: uuid.UUID, texts: Sequence[str], chats: Collection[int]) -> list[Buried]:
    """What the texts say of all that was deleted, where it is told by itself, and of what their own chats taught."""
    deleted = Tombstone.objects.filter(profile_id=profile_id, kind=TombstoneKind.DELETED)
    if not deleted.exists():
        return []
    keys = _keys(profile_id, chats)
    words: dict[bytes, set[str]] = {}
    for span in {span for text in texts for span in spans(text)}:
        for digest in _digests(span, keys):
            words.setdefault(digest, set()).add(span)
    found = deleted.filter(digest__in=list(words)).values_list("digest", "at")
    return [Buried(span, at) for digest, at in found for span in words[bytes(digest)]]


def _keys(profile_id: uuid.UUID, chats: Collection[int]) -> set[str | None]:
    evidence = FactSource.objects.filter(audit_id__in=chats).values("fact_id")
    taught = Fact.objects.filter(Q(id__in=evidence) | Q(source_audit_id__in=chats), profile_id=profile_id)
    return set(taught.filter(state=FactState.DELETED).values_list("key", flat=True))


def _digests(span: str, keys: Collection[str | None]) -> set[bytes]:
    norm = same_form(span)
    found = {hashing.value_digest(key, norm) for key in keys}
    anywhere = hashing.anywhere_digest(norm) if telling(span) else None
    return found | ({anywhere} if anywhere else set())
