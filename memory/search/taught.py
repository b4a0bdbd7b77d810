"""Which pieces of chat taught the facts that a question is near to: another key to them.

Call inside the profile's scope.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from django.db import connection

from memory.domain.stating import states
from memory.models import OwnerKind
from memory.search import candidates, sizes
from memory.search.candidates import Scope
from memory.search.question import Question

NEAREST = 60
CHATS = 3  # of those that are evidence for one fact, the latest
PARTS = 50  # of one chat
# One by one, as elsewhere: else a plan may read all facts and pieces of the profile.
PIECES = """
SELECT c.cosine, f.value, f.quote, s.audit_id, p.id::text, p.text
  FROM unnest(%(ids)s::uuid[]) AS i (id)
 CROSS JOIN LATERAL (SELECT o.* FROM personal_facts o WHERE o.id = i.id LIMIT 1) f
  JOIN search_cosines('fact', %(identity)s, %(dim)s, %(vector)s, %(ids)s::uuid[]) c ON c.owner_id = f.id
 CROSS JOIN LATERAL (SELECT f.source_audit_id UNION SELECT e.audit_id FROM fact_sources e WHERE e.fact_id = f.id
                      ORDER BY 1 DESC NULLS LAST LIMIT %(chats)s) s (audit_id)
 CROSS JOIN LATERAL (SELECT o.id, o.text FROM passages o WHERE o.audit_id = s.audit_id AND o.role = 'user'
                      LIMIT %(parts)s) p"""
Piece = tuple[str, str]  # its id and its text


def by_facts(question: Question, scope: Scope) -> dict[str, float]:
    """The pieces that taught the nearest facts that hold, each with the cosine of the nearest fact it taught."""
    near = question.near
    if near is None or not sizes.rows(OwnerKind.FACT, scope.profile_id):
        return {}
    ids = candidates.nearest(OwnerKind.FACT, near, scope, most=NEAREST)
    if not ids:
        return {}
    pieces: dict[tuple[float, str, str, int], list[Piece]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(
            PIECES,
            {
                "ids": candidates.as_array(ids),
                "identity": near.identity,
                "dim": near.dim,
                "vector": near.text,
                "chats": CHATS,
                "parts": PARTS,
            },
        )
        for cosine, value, quote, audit_id, piece_id, text in cursor.fetchall():
            pieces[cosine, value, quote, audit_id].append((piece_id, text))
    keys: dict[str, float] = {}
    for (cosine, value, quote, _), of_chat in pieces.items():
        for piece_id in _that_say(of_chat, value, quote):
            keys[piece_id] = max(cosine, keys.get(piece_id, cosine))
    return keys


def _that_say(pieces: Sequence[Piece], value: str, quote: str) -> list[str]:
    """Of a chat's pieces those that say a value, in whatever words where there is but one."""
    if len(pieces) == 1:
        return [pieces[0][0]]
    quoted = [piece_id for piece_id, text in pieces if quote and quote in text]
    return quoted or [piece_id for piece_id, text in pieces if states(text, value, quote)]
