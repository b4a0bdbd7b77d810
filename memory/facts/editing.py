"""What a person writes themselves: author, edit. Their word is pinned and never overwritten silently."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory import audit, entities, sensitive
from memory.db import profile_scope
from memory.domain.cardinality import cardinality_of
from memory.domain.text import same_form
from memory.domain.types import Cardinality, Category, Op
from memory.errors import Conflict, InvalidInput
from memory.facts import assistants, checking, rows
from memory.facts.locking import lock, now_of
from memory.models import Event, Fact, FactSource, FactState, SourceKind, TombstoneKind
from memory.models.fields import new_id


def author(
    *, profile_id: uuid.UUID, fields: Mapping[str, Any], actor: str = "person", by_assistant: bool = False
) -> Fact:
    """Save a fact that a person wrote, as current and pinned; a single value that it replaces becomes history.

    by_assistant: one writes it in their name, which may do less (`assistants.check`).
    """
    unknown = sorted(set(fields) - {"key", "value", "category", "space", "importance", "expires_at"})
    if unknown:
        raise InvalidInput(f"Not a field of a new fact: {', '.join(unknown)}.")
    value = checking.checked_value(fields.get("value"))
    sensitive.check_own_words(profile_id=profile_id, value=value, key=fields.get("key"), actor=actor)
    norm = same_form(value)
    with profile_scope(profile_id):
        lock(profile_id)
        now = now_of(profile_id)
        key = checking.checked_key(profile_id, fields.get("key"))
        space_id = checking.space_id(profile_id, fields.get("space"))
        held = rows.held(profile_id, key, space_id, norm)
        if any(row.value_norm == norm for row in held):
            raise Conflict("That is known already.")
        fact = Fact(
            id=new_id(),
            profile_id=profile_id,
            space_id=space_id,
            key=key,
            value=value,
            value_norm=norm,
            category=checking.checked_category(fields.get("category", Category.FACT.value)),
            state=FactState.CURRENT,
            cardinality=cardinality_of(key, None, None).value,
            confidence=1.0,
            importance=checking.checked_share("importance", fields.get("importance", 0.5)),
            source_kind=SourceKind.AUTHORED,
            pinned=True,
            sensitive=sensitive.is_sensitive(value, key),
            said_at=now,
            first_seen_at=now,
            last_confirmed_at=now,
            valid_from=now,
            expires_at=checking.checked_time("expires_at", fields.get("expires_at")),
        )
        fact.cardinality = rows.kind_of(fact)
        replaced = held if fact.cardinality == Cardinality.ONE else []
        if by_assistant:
            assistants.check(fact, replaced)
        fact.edit_count = max((row.edit_count for row in replaced), default=0)
        rows.close(replaced, state=FactState.SUPERSEDED, at=now, by=fact.id)
        entities.place(profile_id=profile_id, facts=[fact])
        fact.save(force_insert=True)
        folded = rows.fold_waiting(fact, now)
        rows.forgive(fact)
        payload: dict[str, Any] = {"fact_id": str(fact.id), "key": key, "value": value, "authored": True}
        if replaced:
            payload["old"] = rows.mentioned(replaced)
        payload |= rows.named(folded)
        event = Event.FACT_UPDATED if replaced else Event.FACT_ADDED
        audit.record(audit.Entry(event, profile_id, payload, actor, space_id=space_id))
    return fact


def edit(
    *,
    profile_id: uuid.UUID,
    fact_id: uuid.UUID,
    changes: Mapping[str, Any],
    version: int | None = None,
    actor: str = "person",
    by_assistant: bool = False,
) -> Fact:
    """Correct a fact; what it said before stays as history, and extraction can only propose a change from now on.

    The fact keeps its id. Raises NotFound; InvalidInput; Conflict where it is history, where `version` is no
    longer its version (somebody edited it meanwhile), where another fact says the same, or where an assistant would
    bring back what the person has deleted.
    """
    checking.refuse_unknown(changes)
    if "value" in changes:
        sensitive.check_own_words(profile_id=profile_id, value=changes["value"], fact_id=fact_id, actor=actor)
    with profile_scope(profile_id):
        lock(profile_id)
        fact = rows.locked(profile_id, fact_id, version)
        if fact.state not in (FactState.CURRENT, FactState.PENDING):
            raise Conflict("Only a fact that holds now or waits for review can be edited.")
        new = checking.columns(profile_id, changes)
        old = {name: getattr(fact, name) for name in new}
        if old == new:
            return fact
        _refuse_double(fact, new)
        now = now_of(profile_id)
        payload: dict[str, Any] = {"fact_id": str(fact.id), "key": fact.key, "old": old, "new": new}
        if (kept := correct(fact, new, now)) is not None:
            payload["kept"] = str(kept.id)
        if by_assistant:
            assistants.check_value(fact)
        fact.save()
        payload |= rows.named(rows.fold_waiting(fact, now))
        rows.forgive(fact)
        audit.record(audit.Entry(Event.FACT_USER_EDITED, profile_id, payload, actor, space_id=fact.space_id))
    return fact


def correct(fact: Fact, new: Mapping[str, Any], now: datetime) -> Fact | None:
    """Set the columns, which makes the fact the person's own word. Returns the row that keeps the old value.

    The caller saves the fact.
    """
    kept = None
    if new.get("value", fact.value) != fact.value:
        kept = _keep_as_history(fact, now)
        fact.value_norm = same_form(new["value"])
        fact.sensitive = sensitive.is_sensitive(new["value"], fact.key)
        fact.quote, fact.source_kind = "", SourceKind.AUTHORED
        fact.said_at = fact.valid_from = now
    for name, value in new.items():
        setattr(fact, name, value)
    fact.pinned, fact.edit_count, fact.version = True, fact.edit_count + 1, fact.version + 1
    fact.last_confirmed_at = now
    if kept is not None:
        entities.place(profile_id=fact.profile_id, facts=[kept, fact])
    return kept


def _keep_as_history(fact: Fact, now: datetime) -> Fact:
    """A closed copy of what the fact said; its evidence goes with it, since it was evidence for that value.

    A proposal that is corrected was turned down in the words that it had.
    """
    copy = Fact.objects.get(id=fact.id)
    copy.id = new_id()
    copy.state = FactState.SUPERSEDED if fact.state == FactState.CURRENT else FactState.REJECTED
    copy.valid_to, copy.superseded_by_id = now, fact.id
    copy._state.adding = True
    copy.save(force_insert=True)
    if copy.state == FactState.REJECTED and copy.op != Op.RETRACT:
        rows.answer(copy, TombstoneKind.REJECTED, now)
    FactSource.objects.filter(fact_id=fact.id).update(fact_id=copy.id)
    return copy


def _refuse_double(fact: Fact, new: Mapping[str, Any]) -> None:
    if fact.state != FactState.CURRENT or fact.op == Op.RETRACT:
        return
    norm = same_form(new.get("value", fact.value))
    others = rows.held(fact.profile_id, fact.key, new.get("space_id", fact.space_id), norm, but=fact.id)
    if fact.cardinality == Cardinality.MANY:
        others = [row for row in others if row.value_norm == norm]
    if others:
        raise Conflict("Another fact says that already.")
