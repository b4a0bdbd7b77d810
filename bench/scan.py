"""The baseline of search: load every row of the profile, index their words anew, score them one by one."""

from __future__ import annotations

import math
import uuid
from collections import Counter

import numpy as np

from bench.corpus import Asked

LEAST_MEANING, LEXICAL, MOST = 0.25, 0.45, 3
ROWS = """
SELECT f.value, halfvec_send(e.vector) FROM personal_facts f
  JOIN embeddings e ON e.owner_id = f.id AND e.profile_id = f.profile_id
 WHERE f.profile_id = %s AND f.state = 'current'"""
HEADER = 4  # bytes before the numbers of a vector


def scan(profile_id: uuid.UUID, asked: Asked) -> list[str]:
    """The best three facts: by meaning, and by the rarity of the words that they share with the question."""
    from django.db import connection

    from memory.db import profile_scope
    from memory.domain.terms import query_tokens, tokens

    with profile_scope(profile_id), connection.cursor() as cursor:
        cursor.execute(ROWS, [profile_id])
        rows = cursor.fetchall()
    held = [frozenset(tokens(value)) for value, _ in rows]
    df = Counter(word for words in held for word in words)
    weight = {word: math.log1p(len(held) / df[word]) for word in query_tokens(asked.words) if df[word]}
    most = sum(weight.values()) or 1.0
    scores = []
    for words, (_, sent) in zip(held, rows, strict=True):
        meaning = float(np.frombuffer(sent, ">f2", offset=HEADER).astype(np.float32) @ asked.vector)
        lexical = sum(share for word, share in weight.items() if word in words) / most
        scores.append((meaning if meaning >= LEAST_MEANING else 0.0) + LEXICAL * lexical)
    return [rows[n][0] for n in np.argsort(scores)[: -MOST - 1 : -1]]
