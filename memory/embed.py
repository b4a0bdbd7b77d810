"""Makes the vectors that wait: takes a batch, embeds it with no transaction open, writes it, tells of what failed."""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import structlog
from django.db.models import Model

from memory import embeddings, identities, leases, texts, work
from memory.config import conf
from memory.db import claim_scope, now, operator_scope, profile_scope
from memory.domain import retry
from memory.embeddings import Owner, Vector, Waiting
from memory.errors import ModelError
from memory.llm import embedding
from memory.llm.embedding import BadTexts, Identity
from memory.models import EpisodeSummary, Fact, FactState, OwnerKind, Passage

LOG = structlog.get_logger(__name__)
BATCH = 64
_served = embeddings.FIRST  # the last profile in turn of the last batch


def ready() -> identities.Kept:
    """The embedders in use, after the settings were looked at. Raises ModelError where they name none that works."""
    return identities.ensure(embedding.embedder().identity)


def work_off(kept: identities.Kept, *, most: int = BATCH) -> int:
    """Embed what is due, one batch. Returns how many texts were taken: none means that nothing is due."""
    global _served
    taken = embeddings.take(most, after=_served)
    if not taken:
        return 0
    _served = max(one.profile_id for one in taken)
    with leases.BATCHES.holding(taken[0].token):
        return _work_off(kept, taken)


def _work_off(kept: identities.Kept, taken: Sequence[Waiting]) -> int:
    found: dict[uuid.UUID, str] = {}
    for profile_id, mine in _by_profile(taken).items():
        with profile_scope(profile_id):
            found |= texts.of(one.owner for one in mine)
    vectors: dict[str, dict[uuid.UUID, Vector]] = {}
    failed: dict[uuid.UUID, ModelError] = {}
    for identity in kept.all:
        try:
            vectors[identity.name], bad = _embedded(identity, found)
        except ModelError as error:
            if identity != kept.active:  # what is being built comes to it again
                LOG.warning("not_embedded", embedder=identity.name, reason=str(error))
                continue
            _all_wait(taken, error)
            return len(taken)
        if identity == kept.active:
            failed = bad
    done = 0
    for profile_id, mine in _by_profile(taken).items():
        fine = [one for one in mine if one.owner.id not in failed]
        done += embeddings.store(profile_id=profile_id, waiting=fine, vectors=vectors)
    for one in taken:
        if one.owner.id in failed:
            _waits(one, failed[one.owner.id])
    LOG.info("embedded", texts=done, failed=len(failed))
    return len(taken)


def _by_profile(taken: Sequence[Waiting]) -> dict[uuid.UUID, list[Waiting]]:
    found: dict[uuid.UUID, list[Waiting]] = {}
    for one in taken:
        found.setdefault(one.profile_id, []).append(one)
    return found


def _embedded(
    identity: Identity, found: Mapping[uuid.UUID, str]
) -> tuple[dict[uuid.UUID, Vector], dict[uuid.UUID, ModelError]]:
    """The vectors, and what is wrong with the texts that got none. Raises ModelError where nobody could be asked."""
    ids = [owner for owner, text in found.items() if text.strip()]
    if not ids:
        return {}, {}
    try:
        rows = embedding.for_identity(identity).documents([found[i] for i in ids])
    except BadTexts as bad:
        good = {ids[n]: vector for n, vector in bad.vectors.items()}
        return good, {ids[n]: error for n, error in bad.errors.items()}
    return dict(zip(ids, rows, strict=True)), {}


def _all_wait(taken: Sequence[Waiting], error: ModelError) -> None:
    """Nobody could be asked: not the texts' fault."""
    tries = retry.Tries(0, min(one.attempts for one in taken), None)
    decision = retry.decide(
        retry.Failure.OUTAGE,
        tries,
        now=_now(),
        max_attempts=conf().memory.max_attempts,
        retry_after=error.retry_after,
        dice=random.random(),
    )
    LOG.warning("not_embedded", texts=len(taken), reason=str(error))
    embeddings.put_back(taken, at=decision.at, error=str(error), counts=False)


def _now() -> datetime:
    with claim_scope():
        return now()


def _waits(one: Waiting, error: ModelError) -> None:
    decision = retry.decide(
        work.kind_of(error),
        retry.Tries(one.attempts, 0, None),
        now=_now(),
        max_attempts=conf().memory.max_attempts,
        retry_after=error.retry_after,
        dice=random.random(),
    )
    embeddings.put_back([one], at=decision.at, error=str(error), counts=True)


KINDS = (OwnerKind.FACT, OwnerKind.EPISODE, OwnerKind.PASSAGE)
MODELS: dict[OwnerKind, type[Model]] = {
    OwnerKind.FACT: Fact,
    OwnerKind.EPISODE: EpisodeSummary,
    OwnerKind.PASSAGE: Passage,
}


def build(identity: Identity, *, most: int = BATCH) -> int:
    """Embed the next texts that have no vector of an embedder that is being built; goes over to it after the last.

    Returns how many were looked at. What is written meanwhile gets both vectors by `work_off`. Two workers at once do
    the same texts twice, and nothing else. Raises ModelError.
    """
    with operator_scope():
        row = identities.building(identity.name)
        if row is None:
            return 0
        batch = _after(row.place_kind, row.place_id, most)
        total = row.total or sum(_rows(kind).count() for kind in KINDS)
        found = texts.of(owner for _, owner in batch)
    if not batch:
        identities.activate(identity.name)
        return 0
    vectors, bad = _embedded(identity, found)
    for owner_id, error in bad.items():
        LOG.warning("not_embedded", owner=str(owner_id), embedder=identity.name, reason=str(error))
    by_profile: dict[uuid.UUID, list[tuple[Owner, Vector]]] = {}
    for profile_id, owner in batch:
        if owner.id in vectors:
            by_profile.setdefault(profile_id, []).append((owner, vectors[owner.id]))
    for profile_id, mine in by_profile.items():
        with profile_scope(profile_id):
            still = texts.of((owner for owner, _ in mine), locked=True)
            same = [(owner, v) for owner, v in mine if still.get(owner.id) == found[owner.id]]
            embeddings.put(profile_id=profile_id, identity=identity.name, vectors=same)
    last = batch[-1][1]
    done = row.done + len(batch)
    identities.progress(identity.name, place_kind=last.kind, place_id=last.id, done=done, total=max(total, done))
    return len(batch)


def _after(kind: str, place: uuid.UUID | None, most: int) -> list[tuple[uuid.UUID, Owner]]:
    """The next owners behind a place, in order of kind and id. Call inside the operator's scope."""
    start = KINDS.index(OwnerKind(kind)) if kind else 0
    for each in KINDS[start:]:
        rows = _rows(each)
        if place is not None and each == kind:
            rows = rows.filter(id__gt=place)
        batch = list(rows.order_by("id").values_list("profile_id", "id")[:most])
        if batch:
            return [(profile_id, Owner(each, owner_id)) for profile_id, owner_id in batch]
    return []


def _rows(kind: OwnerKind) -> Any:
    rows = MODELS[kind]._default_manager.all()
    return rows.filter(state=FactState.CURRENT) if kind is OwnerKind.FACT else rows
