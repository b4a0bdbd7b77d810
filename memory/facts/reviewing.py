"""Answers to proposals: approve, reject. What was answered is not asked again."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory import audit, sensitive
from memory.db import profile_scope
from memory.domain import review
from memory.domain.review import Effect
from memory.errors import Conflict
from memory.facts import checking, rows
from memory.facts.editing import correct
from memory.facts.locking import lock, now_of
from memory.models import Event, Fact, FactState, TombstoneKind


@dataclass(frozen=True)
class Answered:
    """What an answer did: `fact` is what holds (or was turned down), `old` what was replaced or closed.

    `folded` are other proposals that said the same.
    """

    fact: Fact
    did: str
    old: tuple[Fact, ...] = ()
    folded: tuple[Fact, ...] = ()


def approve(
    *,
    profile_id: uuid.UUID,
    fact_id: uuid.UUID,
    changes: Mapping[str, Any] | None = None,
    version: int | None = None,
    actor: str = "person",
) -> Fact:
    """Let a proposal become a fact, perhaps corrected first. Returns the fact that holds now.

    A new value of a key with one value replaces it, one that is known confirms it, a retraction closes what it is
    about. Only a correction makes the fact the person's own word. Raises NotFound; InvalidInput; Conflict where
    it does not wait for review or `version` is no longer its version.
    """
    value = (changes or {}).get("value")
    sensitive.check_own_words(profile_id=profile_id, value=value, fact_id=fact_id, actor=actor)
    with profile_scope(profile_id):
        lock(profile_id)
        fact = accept(profile_id, fact_id, changes=changes, version=version, actor=actor).fact
        fact.refresh_from_db()
    return fact


def reject(*, profile_id: uuid.UUID, fact_id: uuid.UUID, version: int | None = None, actor: str = "person") -> Fact:
    """Turn a proposal down: that claim is not raised again. Raises NotFound; Conflict as `approve` does."""
    with profile_scope(profile_id):
        lock(profile_id)
        return refuse(profile_id, fact_id, version=version, actor=actor).fact


def accept(
    profile_id: uuid.UUID,
    fact_id: uuid.UUID,
    *,
    changes: Mapping[str, Any] | None = None,
    version: int | None = None,
    actor: str,
) -> Answered:
    """`approve`, inside the profile's scope and under `lock`."""
    checking.refuse_unknown(changes or {})
    fact = _waiting(profile_id, fact_id, version)
    now = now_of(profile_id)
    new = checking.columns(profile_id, changes or {})
    corrected = {name: value for name, value in new.items() if value != getattr(fact, name)}
    payload: dict[str, Any] = {"fact_id": str(fact.id), "key": fact.key, "value": fact.value}
    if corrected:
        payload |= {"proposed": {"value": fact.value}, "new": corrected}
        if (kept := correct(fact, corrected, now)) is not None:
            payload["kept"] = str(kept.id)
    fact.cardinality = rows.kind_of(fact)
    held = {row.id: row for row in rows.held(profile_id, fact.key, fact.space_id, fact.value_norm)}
    change = review.change(rows.known(fact), [rows.known(row) for row in held.values()])
    met = [held[each.id] for each in change.facts]
    answered = _settle(fact, change.effect, met, now)
    payload |= {"did": answered.did, "value": fact.value}
    if answered.old:
        payload["old"] = rows.mentioned(answered.old)
    payload |= rows.named(answered.folded)
    audit.record(audit.Entry(Event.FACT_APPROVED, profile_id, payload, actor, space_id=fact.space_id))
    return answered


def _settle(fact: Fact, effect: Effect, met: list[Fact], now: datetime) -> Answered:
    """Write what the approved proposal does."""
    fact.reasons, fact.version = [], fact.version + 1
    if effect in (Effect.CLOSES, Effect.NOTHING):
        later = max((row.said_at for row in met), default=fact.said_at)
        at = fact.said_at if fact.said_at > later else now
        rows.close(met, state=FactState.RETRACTED, at=at)
        fact.state, fact.valid_to = FactState.RETRACTED, at
        fact.save()
        return Answered(met[0] if met else fact, effect.value, tuple(met))
    rows.forgive(fact)
    if effect is Effect.CONFIRMS:
        (known,) = met
        if fact.pinned:
            known.pinned, known.edit_count = True, known.edit_count + 1
            known.save(update_fields=["pinned", "edit_count"])
        fact.save()
        rows.fold(fact, known, now)
        return Answered(known, effect.value)
    if met:
        # Where the old value was said later, the new one holds from the person's answer on.
        in_order = fact.said_at > max(row.said_at for row in met)
        at = fact.said_at if in_order else now
        fact.valid_from = fact.valid_from if in_order else now
        fact.edit_count += max(row.edit_count for row in met)
        rows.close(met, state=FactState.SUPERSEDED, at=at, by=fact.id)
    fact.state, fact.valid_to, fact.superseded_by = FactState.CURRENT, None, None
    fact.last_confirmed_at = max(fact.last_confirmed_at, now)
    fact.save()
    return Answered(fact, effect.value, tuple(met), tuple(rows.fold_waiting(fact, now)))


def refuse(profile_id: uuid.UUID, fact_id: uuid.UUID, *, version: int | None = None, actor: str) -> Answered:
    """`reject`, inside the profile's scope and under `lock`."""
    fact = _waiting(profile_id, fact_id, version)
    fact.state, fact.version = FactState.REJECTED, fact.version + 1
    fact.save(update_fields=["state", "version"])
    rows.answer(fact, TombstoneKind.REJECTED, now_of(profile_id))
    payload = {"fact_id": str(fact.id), "key": fact.key, "value": fact.value}
    audit.record(audit.Entry(Event.FACT_REJECTED, profile_id, payload, actor, space_id=fact.space_id))
    return Answered(fact, "rejected")


def _waiting(profile_id: uuid.UUID, fact_id: uuid.UUID, version: int | None) -> Fact:
    fact = rows.locked(profile_id, fact_id, version)
    if fact.state != FactState.PENDING:
        raise Conflict("It does not wait for review: it was answered already, or holds anyway.")
    return fact
