"""What a person does to facts by hand: author, edit, delete. Their word is pinned and never overwritten silently."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q

from memory import audit, hashing, profiles
from memory.db import profile_scope
from memory.domain.cardinality import cardinality_of
from memory.domain.keys import canonical
from memory.domain.text import clean, normalise
from memory.domain.types import Cardinality, Category
from memory.errors import Conflict, InvalidInput, NotFound
from memory.facts.locking import lock
from memory.models import Event, Fact, FactSource, FactState, SourceKind, Tombstone, TombstoneKind
from memory.models.fields import new_id

EDITABLE = ("value", "confidence", "importance", "category", "space", "expires_at")
MAX_VALUE = 1_000


def author(*, profile_id: uuid.UUID, fields: Mapping[str, Any], actor: str = "person") -> Fact:
    """Save a fact that a person wrote, as current and pinned; a single value that it replaces becomes history."""
    unknown = sorted(set(fields) - {"key", "value", "category", "space", "importance", "expires_at"})
    if unknown:
        raise InvalidInput(f"Not a field of a new fact: {', '.join(unknown)}.")
    value = _value(fields.get("value"))
    key = _key(fields.get("key"))
    now = datetime.now(UTC)
    with profile_scope(profile_id):
        lock(profile_id)
        space_id = _space_id(profile_id, fields.get("space"))
        held = Fact.objects.filter(profile_id=profile_id, state=FactState.CURRENT)
        same_key = list(held.filter(in_space(space_id), key=key).order_by("id")) if key else []
        known = Cardinality(same_key[0].cardinality) if same_key else None
        cardinality = cardinality_of(key, None, known)
        norm = normalise(value)
        if any(f.value_norm == norm for f in same_key) or (
            key is None and held.filter(in_space(space_id), key__isnull=True, value_norm=norm).exists()
        ):
            raise Conflict("That is known already.")
        replaced = same_key if cardinality is Cardinality.ONE else []
        fact = Fact(
            id=new_id(),
            profile_id=profile_id,
            space_id=space_id,
            key=key,
            value=value,
            value_norm=norm,
            category=_category(fields.get("category", Category.FACT.value)),
            state=FactState.CURRENT,
            cardinality=cardinality.value,
            confidence=1.0,
            importance=_share("importance", fields.get("importance", 0.5)),
            source_kind=SourceKind.AUTHORED,
            pinned=True,
            edit_count=max((f.edit_count for f in replaced), default=0),
            said_at=now,
            first_seen_at=now,
            last_confirmed_at=now,
            valid_from=now,
            expires_at=_time("expires_at", fields.get("expires_at")),
        )
        Fact.objects.filter(id__in=[f.id for f in replaced]).update(
            state=FactState.SUPERSEDED, valid_to=now, superseded_by=fact.id
        )
        fact.save(force_insert=True)
        _forgive(profile_id, fact)
        payload: dict[str, Any] = {"fact_id": str(fact.id), "key": key, "value": value, "authored": True}
        if replaced:
            payload["old"] = [{"fact_id": str(f.id), "value": f.value} for f in replaced]
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
) -> Fact:
    """Correct a fact; what it said before stays as history, and extraction can only propose a change from now on.

    The fact keeps its id. Raises NotFound; InvalidInput; Conflict where it is history, where `version` is no
    longer its version (somebody edited it meanwhile), or where another fact says the same.
    """
    unknown = sorted(set(changes) - set(EDITABLE))
    if unknown:
        raise InvalidInput(f"Cannot be edited: {', '.join(unknown)}. Editable are {', '.join(EDITABLE)}.")
    with profile_scope(profile_id):
        lock(profile_id)
        fact = _locked(profile_id, fact_id)
        if fact.state not in (FactState.CURRENT, FactState.PENDING):
            raise Conflict("Only a fact that holds now or waits for review can be edited.")
        if version is not None and version != fact.version:
            raise Conflict("Somebody changed this fact meanwhile: load it again.")
        new = _clean(profile_id, changes)
        old = {name: getattr(fact, name) for name in new}
        if old == new:
            return fact
        _refuse_double(fact, new)
        now = datetime.now(UTC)
        if new.get("value", fact.value) != fact.value:
            if fact.state == FactState.CURRENT:
                _keep_as_history(fact, now)
            fact.value_norm = normalise(new["value"])
            fact.quote, fact.source_kind = "", SourceKind.AUTHORED
            fact.said_at = fact.valid_from = now
        for name, value in new.items():
            setattr(fact, name, value)
        fact.pinned, fact.edit_count, fact.version = True, fact.edit_count + 1, fact.version + 1
        fact.last_confirmed_at = now
        fact.save()
        _forgive(profile_id, fact)
        audit.record(
            audit.Entry(
                Event.FACT_USER_EDITED,
                profile_id,
                {"fact_id": str(fact.id), "key": fact.key, "old": old, "new": new},
                actor,
                space_id=fact.space_id,
            )
        )
    return fact


def delete(*, profile_id: uuid.UUID, fact_id: uuid.UUID, actor: str = "person") -> None:
    """Take a fact, and the history of its value, out of every read; a tombstone keeps it from coming back silently."""
    with profile_scope(profile_id):
        lock(profile_id)
        fact = _locked(profile_id, fact_id)
        now = datetime.now(UTC)
        Tombstone.objects.update_or_create(
            profile_id=profile_id,
            digest=hashing.value_digest(fact.space_id, fact.key, fact.value_norm),
            kind=TombstoneKind.DELETED,
            defaults={"at": now},
        )
        same = Fact.objects.filter(
            in_space(fact.space_id), profile_id=profile_id, key=fact.key, value_norm=fact.value_norm
        ).exclude(state=FactState.DELETED)
        same.update(state=FactState.DELETED, deleted_at=now, valid_to=now)
        audit.record(
            audit.Entry(
                Event.FACT_USER_DELETED,
                profile_id,
                {"fact_id": str(fact.id), "key": fact.key},
                actor,
                space_id=fact.space_id,
            )
        )


def in_space(space_id: uuid.UUID | None) -> Q:
    """Facts of exactly this scope; None is profile-wide."""
    return Q(space__isnull=True) if space_id is None else Q(space_id=space_id)


def _locked(profile_id: uuid.UUID, fact_id: uuid.UUID) -> Fact:
    rows = Fact.objects.select_for_update().filter(profile_id=profile_id, id=fact_id)
    fact = rows.exclude(state=FactState.DELETED).first()
    if fact is None:
        raise NotFound("There is no such fact.")
    return fact


def _keep_as_history(fact: Fact, now: datetime) -> None:
    """A closed copy of what the fact said; its evidence goes with it, since it was evidence for that value."""
    copy = Fact.objects.get(id=fact.id)
    copy.id, copy.state = new_id(), FactState.SUPERSEDED
    copy.valid_to, copy.superseded_by_id = now, fact.id
    copy._state.adding = True
    copy.save(force_insert=True)
    FactSource.objects.filter(fact_id=fact.id).update(fact_id=copy.id)


def _refuse_double(fact: Fact, new: Mapping[str, Any]) -> None:
    space_id = new.get("space_id", fact.space_id)
    others = Fact.objects.filter(profile_id=fact.profile_id, state=FactState.CURRENT, key=fact.key, space_id=space_id)
    others = others.exclude(id=fact.id)
    if fact.key is None or fact.state != FactState.CURRENT:
        return
    if fact.cardinality == Cardinality.MANY:
        others = others.filter(value_norm=normalise(new.get("value", fact.value)))
    if others.exists():
        raise Conflict("Another fact says that already.")


def _forgive(profile_id: uuid.UUID, fact: Fact) -> None:
    """Who writes a value that they once deleted or rejected wants it."""
    digest = hashing.value_digest(fact.space_id, fact.key, fact.value_norm)
    Tombstone.objects.filter(profile_id=profile_id, digest=digest).delete()


def _clean(profile_id: uuid.UUID, changes: Mapping[str, Any]) -> dict[str, Any]:
    new: dict[str, Any] = {}
    for name, value in changes.items():
        if name == "value":
            new["value"] = _value(value)
        elif name in ("confidence", "importance"):
            new[name] = _share(name, value)
        elif name == "category":
            new["category"] = _category(value)
        elif name == "space":
            new["space_id"] = _space_id(profile_id, value)
        else:
            new[name] = _time(name, value)
    return new


def _value(raw: Any) -> str:
    if not isinstance(raw, str):
        raise InvalidInput("value is a text.")
    value = clean(raw).strip()
    if not value or len(value) > MAX_VALUE:
        raise InvalidInput(f"value is 1 to {MAX_VALUE} characters.")
    return value


def _key(raw: Any) -> str | None:
    if raw is None or raw == "":
        return None
    key = canonical(raw) if isinstance(raw, str) else None
    if key is None:
        raise InvalidInput("key is a name such as dog.name or preference.coffee.")
    return key


def _share(name: str, raw: Any) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not math.isfinite(raw) or not 0 <= raw <= 1:
        raise InvalidInput(f"{name} is a number from 0 to 1.")
    return float(raw)


def _category(raw: Any) -> str:
    if raw not in list(Category):
        raise InvalidInput(f"category is one of {', '.join(Category)}.")
    return str(raw)


def _space_id(profile_id: uuid.UUID, raw: Any) -> uuid.UUID | None:
    if raw is None:
        return None
    if not isinstance(raw, str):
        raise InvalidInput("space is the name of a space, or null for everywhere.")
    return profiles.space(profile_id=profile_id, slug=raw).id


def _time(name: str, raw: Any) -> datetime | None:
    if raw is None:
        return None
    try:
        at = datetime.fromisoformat(raw)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} is a time such as 2030-01-31T09:00:00+02:00, or null.") from None
    if at.tzinfo is None:
        raise InvalidInput(f"{name} needs an offset, such as +02:00 or Z.")
    return at
