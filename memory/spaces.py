"""The verbs on spaces: made, renamed, switched on and off, each with its audit row."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError
from django.db.models import QuerySet

from memory import audit, consent
from memory.db import profile_scope
from memory.errors import Conflict, InvalidInput, NotFound
from memory.models import Event, Space

EDITABLE = ("name", "memory_enabled", "summaries_enabled")
MAX_SLUG = 60
MAX_NAME = 120
_SLUG = re.compile(r"[^\W_]([\w-]*[^\W_])?")


def listed(*, profile_id: uuid.UUID) -> QuerySet[Space]:
    """Call inside the profile's scope."""
    return Space.objects.filter(profile_id=profile_id)


def create_space(*, profile_id: uuid.UUID, fields: Mapping[str, Any], actor: str = "person") -> Space:
    """A new space. Raises InvalidInput, or Conflict where there is one of that slug."""
    _refuse_unknown(fields, ("slug", *EDITABLE))
    slug = _slug(fields.get("slug"))
    values = {name: _checked(name, fields[name]) for name in EDITABLE if name in fields}
    try:
        with profile_scope(profile_id):
            space = Space.objects.create(profile_id=profile_id, slug=slug, **{"name": slug, **values})
            _tell(space, actor, {"did": "created", "new": {"slug": slug, **values}})
    except IntegrityError:
        raise Conflict(f"There is a space {slug} already.") from None
    return space


def update_space(*, profile_id: uuid.UUID, slug: str, changes: Mapping[str, Any], actor: str = "person") -> Space:
    """Rename a space, or switch its memory. Raises InvalidInput; NotFound."""
    _refuse_unknown(changes, EDITABLE)
    new = {name: _checked(name, value) for name, value in changes.items()}
    with profile_scope(profile_id):
        wanted = audit.storable_text(slug)
        space = Space.objects.select_for_update(no_key=True).filter(profile_id=profile_id, slug=wanted).first()
        if space is None:
            raise NotFound("There is no such space.")
        old = {name: getattr(space, name) for name in new}
        if old == new:
            return space
        for name, value in new.items():
            setattr(space, name, value)
        also = consent.switch(space, old, new)
        space.save(update_fields=[*new, *also])
        _tell(space, actor, {"old": old, "new": new})
    return space


def _tell(space: Space, actor: str, payload: Mapping[str, Any]) -> None:
    told = {"subject": "space", "slug": space.slug, **payload}
    audit.record(audit.Entry(Event.SETTINGS_CHANGED, space.profile_id, told, actor, space_id=space.id))


def _refuse_unknown(fields: Mapping[str, Any], known: tuple[str, ...]) -> None:
    unknown = sorted(set(fields) - set(known))
    if unknown:
        raise InvalidInput(f"Not a setting of a space: {', '.join(unknown)}. There are {', '.join(known)}.")


def _slug(raw: Any) -> str:
    if not isinstance(raw, str) or len(raw) > MAX_SLUG or not _SLUG.fullmatch(raw) or raw != raw.lower():
        raise InvalidInput(
            f"slug is a short name of up to {MAX_SLUG} small letters, digits and dashes, such as work or client-a."
        )
    return raw


def _checked(name: str, value: Any) -> Any:
    if name != "name":
        if not isinstance(value, bool):
            raise InvalidInput(f"{name} is true or false.")
        return value
    if not isinstance(value, str):
        raise InvalidInput("name is a text.")
    text = audit.storable_text(value).strip()
    if not text or len(text) > MAX_NAME or not text.isprintable():
        raise InvalidInput(f"name is 1 to {MAX_NAME} characters in one line.")
    return text
