"""The words of a deleted fact leave the quotes of the facts beside it: "I work at Kestrel in Bremen"."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable

from django.db.models import Q

from memory.domain.masking import masked
from memory.domain.types import Op
from memory.models import Fact, FactSource, FactState


def mask_beside(
    profile_id: uuid.UUID, gone: Iterable[Fact], audit_ids: Collection[int] = (), among: Iterable[Fact] = ()
) -> list[Fact]:
    """Mask the values of deleted facts in what other facts quote from the chats that taught them.

    `audit_ids` are more chats that may be quoted; `among` are rows in memory that the caller is about to save, in
    which it is done at once. Returns the other rows whose quote has changed, for the caller to save. One query, none
    for no facts. Call inside the profile's scope, under `lock`, while the rows still have their values.
    """
    rows = {row.id: row for row in gone}
    if not rows:
        return []
    norms = {row.value_norm for row in rows.values()}
    mine = [row for row in among if row.id not in rows]
    for row in mine:
        _mask(row, norms)
    first = {row.source_audit_id for row in rows.values() if row.source_audit_id is not None}
    more = FactSource.objects.filter(fact__in=rows).values("audit_id")
    taught = Q(source_audit_id__in=first | set(audit_ids)) | Q(source_audit_id__in=more)
    beside = Fact.objects.filter(taught, profile_id=profile_id).exclude(quote="").exclude(state=FactState.DELETED)
    others = beside.exclude(id__in=[*rows, *(row.id for row in mine)]).order_by("id").select_for_update(of=("self",))
    return [row for row in others if _mask(row, norms)]


def clear(made: Iterable[Fact], known: Iterable[Fact]) -> None:
    """Let new facts quote nothing of what was deleted of the chats that teach them.

    `known` are the rows of those chats, as `heard`. Of a purged fact nobody knows any more what its words were: its
    chat is quoted no more.
    """
    gone = [row for row in known if row.state == FactState.DELETED and row.op != Op.RETRACT]
    for row in made:
        told = [other for other in gone if row.source_audit_id in other.heard]  # type: ignore[attr-defined]
        if any(not other.value for other in told):
            row.quote = ""
        elif row.quote:
            _mask(row, {other.value_norm for other in told})


def _mask(row: Fact, norms: set[str]) -> bool:
    quote = row.quote
    for norm in norms - {row.value_norm}:
        quote = masked(quote, norm)
    changed, row.quote = quote != row.quote, quote
    return changed
