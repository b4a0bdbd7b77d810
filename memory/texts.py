"""The texts that vectors stand for, by owner. Call inside a scope that sees the owners."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence

from django.db import connection

from memory import sentences
from memory.domain.ranking.embedded import passage_text
from memory.embeddings import Owner
from memory.models import EpisodeSummary, Fact, FactState, OwnerKind


def of(owners: Iterable[Owner], *, locked: bool = False) -> dict[uuid.UUID, str]:
    """What is to be embedded of each; owners that are gone, and facts that hold no longer, are left out.

    locked: they stay as they are until the transaction ends; what is changing now is left out, too.
    """
    ids: dict[OwnerKind, list[uuid.UUID]] = {}
    for owner in owners:
        ids.setdefault(owner.kind, []).append(owner.id)
    found: dict[uuid.UUID, str] = {}
    if facts := ids.get(OwnerKind.FACT):
        rows = Fact.objects.filter(id__in=facts, state=FactState.CURRENT).only("key", "value").order_by("id")
        if locked:
            rows = rows.select_for_update(skip_locked=True)
        found |= {row.id: sentences.to_embed(row) for row in rows}
    if episodes := ids.get(OwnerKind.EPISODE):
        summaries = EpisodeSummary.objects.filter(id__in=episodes).order_by("id")
        if locked:
            summaries = summaries.select_for_update(skip_locked=True)
        found |= dict(summaries.values_list("id", "summary"))
    if passages := ids.get(OwnerKind.PASSAGE):
        found |= _passages(passages, locked=locked)
    return found


# Each with who speaks in its conversation, and with the last part of the message before it if another one said that.
PASSAGES = """
SELECT p.id, p.text, s.names, CASE WHEN p.role <> 'assistant' THEN b.text END
  FROM passages p
  LEFT JOIN LATERAL (SELECT array_agg(DISTINCT o.speaker) AS names FROM passages o
                      WHERE o.conversation_id = p.conversation_id AND o.speaker > '') s ON true
  LEFT JOIN LATERAL (SELECT o.text FROM passages o
                      WHERE o.conversation_id = p.conversation_id AND o.position = p.position - 1 AND p.part = 0
                        AND (o.role, o.speaker) <> (p.role, p.speaker) ORDER BY o.part DESC LIMIT 1) b ON true
 WHERE p.id = ANY (%s)"""


def _passages(ids: Sequence[uuid.UUID], *, locked: bool) -> dict[uuid.UUID, str]:
    with connection.cursor() as cursor:
        cursor.execute(PASSAGES + (" ORDER BY p.id FOR KEY SHARE OF p SKIP LOCKED" if locked else ""), [list(ids)])
        return {
            owner: passage_text(text, names or (), asked=before or "")
            for owner, text, names, before in cursor.fetchall()
        }
