"""What a person may write into a fact, checked field by field."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory import key_aliases, profiles
from memory.domain.keys import canonical
from memory.domain.text import clean, normalise
from memory.domain.types import Category
from memory.errors import InvalidInput

EDITABLE = ("value", "confidence", "importance", "category", "space", "expires_at")
MAX_VALUE = 1_000
# Beyond these a time with an offset is none that the database gives back.
FIRST_YEAR, LAST_YEAR = 1900, 9000


def refuse_unknown(fields: Mapping[str, Any]) -> None:
    """Raises InvalidInput where something else than the editable fields is to be changed."""
    unknown = sorted(set(fields) - set(EDITABLE))
    if unknown:
        raise InvalidInput(f"Cannot be edited: {', '.join(unknown)}. Editable are {', '.join(EDITABLE)}.")


def columns(profile_id: uuid.UUID, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes as columns of the row. Call inside the profile's scope."""
    new: dict[str, Any] = {}
    for name, raw in changes.items():
        if name == "value":
            new["value"] = checked_value(raw)
        elif name in ("confidence", "importance"):
            new[name] = checked_share(name, raw)
        elif name == "category":
            new["category"] = checked_category(raw)
        elif name == "space":
            new["space_id"] = space_id(profile_id, raw)
        else:
            new[name] = checked_time(name, raw)
    return new


def checked_value(raw: Any) -> str:
    if not isinstance(raw, str):
        raise InvalidInput("value is a text.")
    value = clean(raw).strip()
    if not value or len(value) > MAX_VALUE:
        raise InvalidInput(f"value is 1 to {MAX_VALUE} characters.")
    if not normalise(value):
        raise InvalidInput("value has nothing in it that can be seen.")
    return value


def checked_key(profile_id: uuid.UUID, raw: Any) -> str | None:
    """The key that a spelling stands for, the person's own aliases first. Call inside the profile's scope."""
    if raw is None or raw == "":
        return None
    key = canonical(raw, key_aliases.active(profile_id)) if isinstance(raw, str) else None
    if key is None:
        raise InvalidInput("key is a name such as dog.name or preference.coffee.")
    return key


def checked_share(name: str, raw: Any) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not math.isfinite(raw) or not 0 <= raw <= 1:
        raise InvalidInput(f"{name} is a number from 0 to 1.")
    return float(raw)


def checked_category(raw: Any) -> str:
    if raw not in list(Category):
        raise InvalidInput(f"category is one of {', '.join(Category)}.")
    return str(raw)


def space_id(profile_id: uuid.UUID, raw: Any) -> uuid.UUID | None:
    if raw is None:
        return None
    if not isinstance(raw, str):
        raise InvalidInput("space is the name of a space, or null for everywhere.")
    return profiles.space(profile_id=profile_id, slug=raw).id


def checked_time(name: str, raw: Any) -> datetime | None:
    if raw is None:
        return None
    try:
        at = datetime.fromisoformat(raw)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} is a time such as 2030-01-31T09:00:00+02:00, or null.") from None
    if at.tzinfo is None:
        raise InvalidInput(f"{name} needs an offset, such as +02:00 or Z.")
    if not FIRST_YEAR <= at.year <= LAST_YEAR:
        raise InvalidInput(f"{name} is a time between the years {FIRST_YEAR} and {LAST_YEAR}.")
    return at
