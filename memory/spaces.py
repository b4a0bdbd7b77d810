"""The verbs on spaces: made, renamed, switched on and off, removed, each with its audit row."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError
from django.db.models import QuerySet
from django.db.models.functions import Now

from memory import audit, consent, facts
from memory.db import profile_scope
from memory.errors import Conflict, InvalidInput, NotFound
from memory.models import Event, Space
from memory.models.profile import DEFAULT_SPACE

EDITABLE = ("name", "memory_enabled", "summaries_enabled")
MAX_SLUG = 60
MAX_NAME = 120
AT_ONCE = 200  # facts that are moved in one transaction
_SLUG = re.compile(r"[^\W_]([\w-]*[^\W_])?")


def listed(*, profile_id: uuid.UUID) -> QuerySet[Space]:
    """Call inside the profile's scope."""
    return Space.objects.filter(profile_id=profile_id, removed_at__isnull=True)


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


def restore(*, profile_id: uuid.UUID, space_id: uuid.UUID, fields: Mapping[str, Any]) -> tuple[uuid.UUID, bool]:
    """The space of an export: the one with that id or that slug, else it is made as it was. Says whether it was made.

    Call inside the profile's scope.
    """
    own = Space.objects.filter(profile_id=profile_id)
    found = own.filter(id=space_id).first()
    if found is None and fields["removed_at"] is None:
        found = own.filter(slug=fields["slug"], removed_at__isnull=True).first()
    if found is not None:
        return found.id, False
    space = Space.objects.create(id=space_id, profile_id=profile_id, **fields)
    _tell(space, "person", {"did": "imported", "new": {"slug": space.slug}})
    return space.id, True


def update_space(*, profile_id: uuid.UUID, slug: str, changes: Mapping[str, Any], actor: str = "person") -> Space:
    """Rename a space, or switch its memory. Raises InvalidInput; NotFound."""
    _refuse_unknown(changes, EDITABLE)
    new = {name: _checked(name, value) for name, value in changes.items()}
    with profile_scope(profile_id):
        space = _locked(profile_id, slug)
        old = {name: getattr(space, name) for name in new}
        if old == new:
            return space
        for name, value in new.items():
            setattr(space, name, value)
        also = consent.switch(space, old, new)
        space.save(update_fields=[*new, *also])
        _tell(space, actor, {"old": old, "new": new})
    return space


def remove_space(
    *, profile_id: uuid.UUID, slug: str, facts_to: str | None = None, actor: str = "person"
) -> dict[str, int]:
    """Remove a space: no chat finds it any more, nothing of it is recalled, and what waits to be read is not.

    What holds or waits in it is deleted (`facts_to` "delete") or holds everywhere from now on ("keep"), see
    `facts.widen`. Its conversations stay until they are old enough to be swept or are deleted one by one. Returns
    how many facts went which way. Raises InvalidInput; NotFound; Conflict for the default space, and where there
    are facts and nobody says where to.
    """
    if facts_to not in (None, "delete", "keep"):
        raise InvalidInput("facts is delete or keep.")
    counts: Counter[str] = Counter()
    while True:
        with profile_scope(profile_id):
            facts.lock(profile_id)
            space = _locked(profile_id, slug)
            if space.slug == DEFAULT_SPACE:
                raise Conflict(f"{DEFAULT_SPACE} is the space of whatever names none, and stays.")
            there = facts.in_space(profile_id=profile_id, space_id=space.id, most=AT_ONCE)
            if there and facts_to is None:
                raise Conflict(
                    "There are facts in this space. Say facts=delete to delete them, or facts=keep to let them hold "
                    "everywhere."
                )
            if there:
                act = facts.remove_all if facts_to == "delete" else facts.widen
                counts.update(act(there, actor=actor))
                continue
            off = {"memory_enabled": False, "summaries_enabled": False}
            consent.switch(space, {name: getattr(space, name) for name in off}, off)
            Space.objects.filter(id=space.id).update(removed_at=Now(), **off)
            _tell(space, actor, {"did": "removed", "facts": dict(counts)})
            return dict(counts)


def _locked(profile_id: uuid.UUID, slug: str) -> Space:
    rows = Space.objects.select_for_update(no_key=True).filter(profile_id=profile_id, removed_at__isnull=True)
    space = rows.filter(slug=audit.storable_text(slug)).first()
    if space is None:
        raise NotFound("There is no such space.")
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
