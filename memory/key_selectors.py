"""Reads of keys: which are in use, what they are also called, and which are perhaps one. Call inside the scope."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Max, Q
from django.db.models.functions import Left, Now

from memory import key_aliases
from memory.domain.near_keys import KeyInUse, Meant, Merge, near
from memory.domain.types import Op
from memory.models import Fact, FactState, KeyAlias

MOST = 1_000  # keys, those used last
MOST_VALUES = 5
VALUE_CHARS = 200


@dataclass(frozen=True)
class Used:
    """A key: how many facts hold, some of their values, how many wait, and the aliases that are read as it."""

    key: str
    facts: int
    waiting: int
    values: tuple[str, ...]
    aliases: tuple[str, ...]
    last_said_at: datetime | None


@dataclass(frozen=True)
class Proposed:
    """Two keys that are perhaps one, side by side: accepting it would read `alias` as `key`."""

    merge: Merge
    alias: Used
    key: Used


def in_use(*, profile_id: uuid.UUID, q: str | None = None) -> list[Used]:
    """The keys of what holds or waits, and those that have aliases only; those used last first."""
    called: dict[str, list[str]] = defaultdict(list)
    for alias, key in key_aliases.active(profile_id).items():
        called[key].append(alias)
    found = [_used(row, called) for row in _by_key(profile_id)]
    named = {used.key for used in found}
    found += [Used(key, 0, 0, (), tuple(aliases), None) for key, aliases in called.items() if key not in named]
    return [used for used in found if not q or any(q.casefold() in name for name in (used.key, *used.aliases))]


def names(*, profile_id: uuid.UUID, most: int) -> list[str]:
    """The keys of what holds or waits, those used last first."""
    return [row["key"] for row in _by_key(profile_id)[:most]]


def merges(*, profile_id: uuid.UUID, meant: Iterable[Meant] = ()) -> list[Proposed]:
    """Keys in use that are perhaps one by their form or as `meant`, but for those that the person has answered."""
    found = _by_key(
        profile_id,
        norms=ArrayAgg(Left("value_norm", VALUE_CHARS), distinct=True),
        entities=ArrayAgg("entity", filter=Q(entity__isnull=False), distinct=True, default=[]),
    )
    keys = [
        KeyInUse(row["key"], row["held"] + row["waiting"], frozenset(row["norms"]), frozenset(row["entities"]))
        for row in found
    ]
    settled = KeyAlias.objects.filter(profile_id=profile_id).values_list("alias", "key")
    used = {row["key"]: _used(row, {}) for row in found}
    return [Proposed(each, used[each.alias], used[each.key]) for each in near(keys, settled, meant)]


def _by_key(profile_id: uuid.UUID, **more: Any) -> list[dict[str, Any]]:
    """What holds or waits, a row for each key."""
    fresh = Q(expires_at__isnull=True) | Q(expires_at__gt=Now())
    states = [FactState.CURRENT, FactState.PENDING]
    facts = Fact.objects.filter(fresh, profile_id=profile_id, state__in=states, key__isnull=False, op=Op.SET.value)
    rows: Any = facts.values("key").annotate(**_said(), **more)
    return list(rows.order_by("-last", "key")[:MOST])


def _said() -> dict[str, Any]:
    return {
        "held": Count("id", filter=Q(state=FactState.CURRENT)),
        "waiting": Count("id", filter=Q(state=FactState.PENDING)),
        "last": Max("said_at"),
        "texts": ArrayAgg(
            Left("value", VALUE_CHARS), filter=Q(state=FactState.CURRENT), order_by="-said_at", default=[]
        ),
    }


def _used(row: dict[str, Any], called: dict[str, list[str]]) -> Used:
    aliases = tuple(called.get(row["key"], ()))
    return Used(row["key"], row["held"], row["waiting"], tuple(row["texts"][:MOST_VALUES]), aliases, row["last"])
