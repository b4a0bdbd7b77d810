"""The only writer of vectors and of the queue of what waits for one (which triggers fill)."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from pgvector import HalfVector

from memory.db import claim_scope, operator_scope, profile_scope
from memory.models import (
    EmbeddingIdentity,
    EmbedQueue,
    EpisodeSummary,
    Fact,
    FactState,
    IdentityState,
    OwnerKind,
    Passage,
)

LEASE_SECONDS = 10.0  # renewed while the embedder answers; a worker that died with a batch gives it back by itself
Vector = NDArray[np.float32]
FIRST = uuid.UUID(int=0)


@dataclass(frozen=True)
class Owner:
    """Whose text a vector stands for."""

    kind: OwnerKind
    id: uuid.UUID


@dataclass(frozen=True)
class Waiting:
    """A text of one profile that waits for its vector, taken by somebody for a while."""

    id: int
    owner: Owner
    profile_id: uuid.UUID
    attempts: int
    token: uuid.UUID


# The next profiles that have something due, and of each its first; so many of them that others who take at the same
# moment find some as well.
TAKE = """
WITH RECURSIVE turn (profile_id, n) AS (
  (SELECT q.profile_id, 1 FROM embed_queue q WHERE q.profile_id > %(after)s AND q.not_before <= now()
    ORDER BY q.profile_id LIMIT 1)
  UNION ALL
  SELECT (SELECT q.profile_id FROM embed_queue q WHERE q.profile_id > t.profile_id AND q.not_before <= now()
           ORDER BY q.profile_id LIMIT 1), t.n + 1
    FROM turn t WHERE t.profile_id IS NOT NULL AND t.n < 16
),
offered AS MATERIALIZED (
  SELECT w.id, t.n, row_number() OVER (PARTITION BY t.n ORDER BY w.priority, w.not_before, w.id) AS place
    FROM turn t CROSS JOIN LATERAL (
      SELECT q.id, q.priority, q.not_before FROM embed_queue q
       WHERE q.profile_id = t.profile_id AND q.not_before <= now()
       ORDER BY q.priority, q.not_before, q.id LIMIT 4 * %(most)s) w
),
due AS (
  SELECT q.id, o.n FROM offered o JOIN embed_queue q USING (id)
   WHERE q.not_before <= now() ORDER BY o.place, o.n LIMIT %(most)s FOR UPDATE OF q SKIP LOCKED
)
UPDATE embed_queue q SET token = %(token)s, not_before = now() + make_interval(secs => %(lease)s)
  FROM due WHERE q.id = due.id
RETURNING q.id, q.owner_kind, q.owner_id, q.profile_id, q.attempts"""


def take(most: int, *, after: uuid.UUID = FIRST) -> list[Waiting]:
    """What is due, in turn over profiles from the one after `after` on; of each its facts and episodes first."""
    token = uuid.uuid4()
    rows: list[Any] = []
    with claim_scope(), connection.cursor() as cursor:
        for start in dict.fromkeys((after, FIRST)):
            wanted: dict[str, Any] = {"most": most - len(rows), "after": start, "token": token, "lease": LEASE_SECONDS}
            cursor.execute(TAKE, wanted)
            rows += cursor.fetchall()
            if len(rows) == most:
                break
    return [Waiting(r[0], Owner(OwnerKind(r[1]), r[2]), r[3], r[4], token) for r in sorted(rows)]


def renew(tokens: Sequence[uuid.UUID]) -> None:
    """Hold on to what was taken while the embedder answers."""
    with claim_scope(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE embed_queue SET not_before = now() + make_interval(secs => %s) WHERE id IN"
            " (SELECT id FROM embed_queue WHERE token = ANY (%s) ORDER BY id FOR UPDATE SKIP LOCKED)",
            [LEASE_SECONDS, list(tokens)],
        )


def give_back(tokens: Sequence[uuid.UUID]) -> int:
    """Let others take these texts at once, but for those that are just being written. Returns how many."""
    with claim_scope(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE embed_queue SET token = NULL, not_before = now() WHERE id IN"
            " (SELECT id FROM embed_queue WHERE token = ANY (%s) ORDER BY id FOR UPDATE SKIP LOCKED)",
            [list(tokens)],
        )
        return int(cursor.rowcount)


def due() -> bool:
    """Whether anything waits that could be taken now."""
    with claim_scope(), connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM embed_queue WHERE not_before <= now())")
        return bool(cursor.fetchone()[0])


def store(
    *, profile_id: uuid.UUID, waiting: Sequence[Waiting], vectors: Mapping[str, Mapping[uuid.UUID, Vector]]
) -> int:
    """Write the vectors of one profile's texts, by identity and owner, and take the texts off the queue.

    What has changed or gone since it was taken, or is changing now, is left alone: its new text waits already. So is
    everything where recall has gone over to another embedder meanwhile. Returns how many were done.
    """
    with profile_scope(profile_id):
        kept = dict(EmbeddingIdentity.objects.exclude(state=IdentityState.RETIRED).values_list("name", "state"))
        if not any(kept.get(identity) == IdentityState.ACTIVE for identity in vectors):
            return 0
        mine = EmbedQueue.objects.filter(id__in=[w.id for w in waiting], token__in={w.token for w in waiting})
        held = set(mine.order_by("id").select_for_update(skip_locked=True).values_list("id", flat=True))
        made = {owner for by_owner in vectors.values() for owner in by_owner}
        there = _there(w.owner for w in waiting if w.id in held and w.owner.id in made)
        done = [w for w in waiting if w.id in held and (w.owner.id in there or w.owner.id not in made)]
        for identity, by_owner in vectors.items():
            if identity not in kept:
                continue
            put(
                profile_id=profile_id,
                identity=identity,
                vectors=[(w.owner, by_owner[w.owner.id]) for w in done if w.owner.id in by_owner],
            )
        EmbedQueue.objects.filter(id__in=[w.id for w in done]).delete()
    return len(done)


def _there(owners: Iterable[Owner]) -> set[uuid.UUID]:
    """Those that still have a text, and keep it until the transaction ends.

    `queue_missing` may have queued what somebody was taking away, whose own transaction did not see the row yet.
    """
    ids: dict[OwnerKind, list[uuid.UUID]] = {}
    for owner in owners:
        ids.setdefault(owner.kind, []).append(owner.id)
    rows = {
        OwnerKind.FACT: Fact.objects.filter(state=FactState.CURRENT),
        OwnerKind.EPISODE: EpisodeSummary.objects.all(),
        OwnerKind.PASSAGE: Passage.objects.all(),
    }
    found: set[uuid.UUID] = set()
    for kind, mine in ids.items():
        locked = rows[kind].filter(id__in=mine).order_by("id").select_for_update(skip_locked=True, no_key=True)
        found.update(locked.values_list("id", flat=True))
    return found


def put(*, profile_id: uuid.UUID, identity: str, vectors: Sequence[tuple[Owner, Vector]]) -> None:
    """Write vectors over what was there under this identity. Call inside the profile's scope."""
    if not vectors:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO embeddings (profile_id, owner_kind, owner_id, identity, vector)"
            " SELECT %s, v.kind, v.owner, %s, v.vector::halfvec"
            " FROM unnest(%s::text[], %s::uuid[], %s::text[]) AS v (kind, owner, vector)"
            " ON CONFLICT (owner_kind, owner_id, identity) DO UPDATE SET vector = excluded.vector",
            [
                profile_id,
                identity,
                [owner.kind.value for owner, _ in vectors],
                [owner.id for owner, _ in vectors],
                [as_text(vector) for _, vector in vectors],
            ],
        )


def put_back(waiting: Sequence[Waiting], *, at: datetime | None, error: str, counts: bool) -> None:
    """Let texts wait until a time, or (None) until a person retries; the row says why.

    counts: whether it is held against the text (its own fault) or not (nobody could be asked).
    """
    by_profile: dict[uuid.UUID, list[Waiting]] = {}
    for one in waiting:
        by_profile.setdefault(one.profile_id, []).append(one)
    for profile_id, mine in by_profile.items():
        with profile_scope(profile_id), connection.cursor() as cursor:
            cursor.execute(
                "UPDATE embed_queue SET token = NULL, not_before = %s, attempts = attempts + %s, error = %s"
                " WHERE id IN (SELECT id FROM embed_queue WHERE id = ANY (%s) AND token = ANY (%s)"
                " FOR UPDATE SKIP LOCKED)",  # what is changing now waits anyway
                [at, int(counts), error[:500], [w.id for w in mine], list({w.token for w in mine})],
            )


def retry_dead() -> int:
    """Let every text that was given up be tried again now, whosever it is. Returns how many."""
    with operator_scope(), connection.cursor() as cursor:
        cursor.execute("UPDATE embed_queue SET not_before = now(), attempts = 0 WHERE not_before IS NULL")
        return int(cursor.rowcount)


MISSING = """
INSERT INTO embed_queue (profile_id, owner_kind, owner_id, priority)
SELECT o.profile_id, o.kind, o.id, o.priority FROM (
  SELECT profile_id, 'fact' AS kind, id, 0 AS priority FROM personal_facts WHERE state = 'current'
  UNION ALL SELECT profile_id, 'episode', id, 0 FROM episode_summaries
  UNION ALL SELECT profile_id, 'passage', id, 1 FROM passages) o
 WHERE NOT EXISTS (SELECT FROM embeddings e
                    WHERE e.owner_kind = o.kind AND e.owner_id = o.id AND e.identity = %s)
ON CONFLICT (owner_kind, owner_id) DO NOTHING"""


def queue_missing(identity: str) -> int:
    """Put every text that has no vector of this embedder on the queue. Returns how many. Call in the operator's scope.

    While embedders change, a worker that does not know of it yet may have made a vector of the old one alone.
    """
    with connection.cursor() as cursor:
        cursor.execute(MISSING, [identity])
        return int(cursor.rowcount)


def as_text(vector: Vector) -> str:
    """As PostgreSQL reads it."""
    return HalfVector(vector).to_text()
