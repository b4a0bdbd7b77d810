"""The words of a deleted fact leave the quotes of the facts beside it: "I work at Kestrel in Bremen"."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable

from memory import bulk
from memory.domain.masking import masked
from memory.models import Fact, FactSource, FactState


def mask_beside(profile_id: uuid.UUID, gone: Iterable[Fact], audit_ids: Collection[int] = ()) -> set[int]:
    """Mask the values of deleted facts in what other facts quote from the chats that taught them.

    `audit_ids` are more chats that may be quoted. Returns the chats that were looked at. Two queries, three where
    something is masked; none for no facts. Call inside the profile's scope, under `lock`, while the rows still have
    their values.
    """
    rows = {row.id: row for row in gone}
    if not rows:
        return set()
    taught = set(FactSource.objects.filter(fact__in=rows).values_list("audit_id", flat=True)) | set(audit_ids)
    taught |= {row.source_audit_id for row in rows.values() if row.source_audit_id is not None}
    norms = {row.value_norm for row in rows.values()}
    changed = []
    beside = Fact.objects.filter(profile_id=profile_id, source_audit_id__in=taught).exclude(quote="")
    for row in beside.exclude(id__in=rows).exclude(state=FactState.DELETED).order_by("id").select_for_update():
        quote = row.quote
        for norm in norms - {row.value_norm}:
            quote = masked(quote, norm)
        if quote != row.quote:
            row.quote = quote
            changed.append(row)
    bulk.update(changed, ("quote",))
    return taught
