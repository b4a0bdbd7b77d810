"""Which chats say a value. Call inside the profile's scope."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.domain.terms import term_ids, tokens
from memory.models import EpisodeSummary, OwnerKind, Passage, Space
from memory.search import candidates
from memory.search.candidates import Holders, Scope

MOST = 2_000  # holders of a word that are looked at one by one
MODELS: dict[OwnerKind, Any] = {OwnerKind.EPISODE: EpisodeSummary, OwnerKind.PASSAGE: Passage}


@dataclass(frozen=True)
class Value:
    """A value and until when what says it is meant."""

    text: str
    until: datetime


def chats(*, profile_id: uuid.UUID, values: Sequence[Value]) -> set[int]:
    """The chats of the summaries and pieces of chat that hold all words of one of the values, in any space."""
    found: set[int] = set()
    wanted = [(value, term_ids(profile_id, tokens(value.text))) for value in values]
    terms = sorted({term for _, mine in wanted for term in mine})
    if not terms:
        return found
    for space_id in Space.objects.filter(profile_id=profile_id).values_list("id", flat=True):
        for kind in MODELS:
            held = candidates.holders(kind, terms, Scope(profile_id, space_id), most=MOST)
            by_term = dict(zip(terms, held, strict=True))
            for value, mine in wanted:
                rows = MODELS[kind].objects.filter(profile_id=profile_id, space_id=space_id, said_at__lte=value.until)
                found |= _chats(kind, rows, mine, [by_term[term] for term in mine])
    return found


def _chats(kind: OwnerKind, rows: Any, terms: Sequence[int], held: Sequence[Holders]) -> set[int]:
    if not terms or any(one.df == 0 for one in held):
        return set()
    named = [set(one.owners) for one in held if len(one.owners) == one.df]
    if named:  # of words that very many hold nobody is named
        rows = rows.filter(id__in=set.intersection(*named))
    rows = rows.filter(terms__contains=list(terms))
    if kind is OwnerKind.PASSAGE:
        return set(_known(rows.values_list("audit_id", flat=True)))
    return {audit for audits in rows.values_list("source_audit_ids", flat=True) for audit in audits}


def _known(audit_ids: Iterable[int | None]) -> list[int]:
    return [audit_id for audit_id in audit_ids if audit_id is not None]
