"""The verbs on keys: which spelling is read as which key, each with its audit row."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory import audit, facts, key_aliases, sensitive
from memory.db import profile_scope
from memory.domain.keys import canonical, spelling
from memory.errors import Conflict, InvalidInput, NotFound
from memory.facts.locking import now_of
from memory.facts.rekeying import rekey
from memory.models import AliasState, Event, KeyAlias


@dataclass(frozen=True)
class Added:
    """An alias, and how many facts had that spelling and went over to the key."""

    alias: str
    key: str
    moved: int


def add_alias(*, profile_id: uuid.UUID, fields: Mapping[str, Any], actor: str = "person") -> Added:
    """Read one spelling of a key as another from now on, and put the facts that have it under that key.

    Where both have a fact that holds, the last word stays, unless a person's own word stands against it. Raises
    InvalidInput; Conflict where the spelling is read as another key already or the two are one anyway.
    """
    _refuse_secrets(profile_id, fields, actor)
    with profile_scope(profile_id):
        facts.lock(profile_id)
        aliases = key_aliases.active(profile_id)
        alias, key = _pair(fields, aliases)
        if alias == key:
            raise Conflict(f"{alias} is that key already, or the other way round.")
        if aliases.get(alias, key) != key:
            raise Conflict(f"{alias} is read as {aliases[alias]}: take that back first.")
        now = now_of(profile_id)
        if alias not in aliases:
            _know(profile_id, alias, key)
            for other in [other for other, target in aliases.items() if target == alias]:
                KeyAlias.objects.filter(profile_id=profile_id, alias=other, key=alias).update(state=AliasState.REMOVED)
                _know(profile_id, other, key)
            _tell(profile_id, actor, {"alias": alias, "key": key, "did": "added"})
        moved = rekey(profile_id=profile_id, old=alias, new=key, now=now, actor=actor)
    return Added(alias, key, moved)


def remove_alias(*, profile_id: uuid.UUID, alias: str, actor: str = "person") -> None:
    """Read a spelling as itself again. Facts stay where they are, and the two are not proposed as one again.

    Raises NotFound.
    """
    with profile_scope(profile_id):
        facts.lock(profile_id)
        wanted = KeyAlias.objects.filter(profile_id=profile_id, alias=spelling(alias) or "", state=AliasState.ACTIVE)
        row = wanted.first()
        if row is None:
            raise NotFound("There is no such alias.")
        row.state = AliasState.REMOVED
        row.save(update_fields=["state"])
        _tell(profile_id, actor, {"alias": row.alias, "key": row.key, "did": "removed"})


def dismiss(*, profile_id: uuid.UUID, fields: Mapping[str, Any], actor: str = "person") -> None:
    """Two keys are two: they are not proposed as one again. Raises InvalidInput; Conflict where they are one."""
    _refuse_secrets(profile_id, fields, actor)
    with profile_scope(profile_id):
        facts.lock(profile_id)
        alias, key = _pair(fields, {})
        if alias == key or key_aliases.active(profile_id).get(alias) == key:
            raise Conflict("They are one key already.")
        row, made = KeyAlias.objects.get_or_create(
            profile_id=profile_id, alias=alias, key=key, defaults={"state": AliasState.DISMISSED}
        )
        if made:
            _tell(profile_id, actor, {"alias": row.alias, "key": row.key, "did": "dismissed"})


def restore(*, profile_id: uuid.UUID, alias: str, key: str, state: AliasState, actor: str = "person") -> bool:
    """What an export says of two spellings, where nothing is said of them here. False: something is, or it cannot be.

    Call inside the profile's scope.
    """
    if KeyAlias.objects.filter(profile_id=profile_id, alias=alias, key=key).exists():
        return False
    try:
        if state is AliasState.DISMISSED:
            dismiss(profile_id=profile_id, fields={"alias": alias, "key": key}, actor=actor)
        elif state is AliasState.ACTIVE:
            add_alias(profile_id=profile_id, fields={"alias": alias, "key": key}, actor=actor)
        else:
            _refuse_secrets(profile_id, {"alias": alias, "key": key}, actor)
            KeyAlias.objects.create(profile_id=profile_id, alias=alias, key=key, state=AliasState.REMOVED.value)
    except (Conflict, InvalidInput):
        return False
    return True


def _refuse_secrets(profile_id: uuid.UUID, fields: Mapping[str, Any], actor: str) -> None:
    for name in ("alias", "key"):
        sensitive.check_key(profile_id=profile_id, key=fields.get(name), actor=actor)


def _pair(fields: Mapping[str, Any], aliases: Mapping[str, str]) -> tuple[str, str]:
    """The spelling in its normal form, and the key that the other one stands for."""
    unknown = sorted(set(fields) - {"alias", "key"})
    if unknown:
        raise InvalidInput(f"Not a field here: {', '.join(unknown)}. There are alias and key.")
    alias, key = fields.get("alias"), fields.get("key")
    plain = spelling(alias) if isinstance(alias, str) else None
    target = canonical(key, aliases) if isinstance(key, str) else None
    if plain is None or target is None:
        raise InvalidInput("alias and key are names such as project.atlas.launch_date.")
    return plain, plain if spelling(str(key)) == plain else target


def _know(profile_id: uuid.UUID, alias: str, key: str) -> None:
    KeyAlias.objects.update_or_create(
        profile_id=profile_id, alias=alias, key=key, defaults={"state": AliasState.ACTIVE.value}
    )


def _tell(profile_id: uuid.UUID, actor: str, payload: Mapping[str, Any]) -> None:
    audit.record(audit.Entry(Event.SETTINGS_CHANGED, profile_id, {"subject": "key_alias", **payload}, actor))
