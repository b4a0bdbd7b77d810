"""May a chat be read, and for what: what was agreed to when it was said, and what is agreed to now.

Facts and summaries are agreed to separately, by the profile and by the space, and both must agree. What was agreed
to is stamped on the chat's row when it is written. Consent that is withdrawn stops what waits at once; given anew,
it counts for what is said from then on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import F, Q

from memory import audit, work
from memory.models import Profile, Space, WorkKind

SWITCHES = {WorkKind.EXTRACT: "memory_enabled", WorkKind.SUMMARISE: "summaries_enabled"}
_STAMPS = {WorkKind.EXTRACT: "mine_facts", WorkKind.SUMMARISE: "mine_summary"}
_PLACES = {"memory_enabled": "memory_from_id", "summaries_enabled": "summaries_from_id"}


@dataclass(frozen=True)
class Wanted:
    """Which kinds of memory a chat takes part in."""

    facts: bool = True
    episodes: bool = True

    @property
    def anything(self) -> bool:
        return self.facts or self.episodes


def wanted(space: Space, *, memory_on: bool = True) -> Wanted:
    """What a chat in this space (with its profile) is given, and may be read for."""
    profile = space.profile
    return Wanted(
        memory_on and given(WorkKind.EXTRACT, profile, space), memory_on and given(WorkKind.SUMMARISE, profile, space)
    )


def given(kind: WorkKind, profile: Profile, space: Space | Profile) -> bool:
    """Whether what is said now may be read for this. Of what belongs to no space the profile alone decides."""
    switch = SWITCHES[kind]
    return bool(getattr(profile, switch) and getattr(space, switch))


def readable(kind: WorkKind) -> Q:
    """Which rows of the audit log may be read for this."""
    switch = SWITCHES[kind]
    place = _PLACES[switch]
    return Q(
        **{
            _STAMPS[kind]: True,
            "profile__erasing_at__isnull": True,
            f"profile__{switch}": True,
            f"space__{switch}": True,
            "id__gt": F(f"profile__{place}"),
        }
    ) & Q(id__gt=F(f"space__{place}"))


def switch(row: Profile | Space, old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    """Do what goes with switches that change: stop what waits, or mark from where on is read.

    Call in the transaction that saves the row. Returns the names of further fields to save.
    """
    changed = []
    for kind, name in SWITCHES.items():
        if name not in new or new[name] == old[name]:
            continue
        if new[name]:
            setattr(row, _PLACES[name], audit.draw_id())
            changed.append(_PLACES[name])
        else:
            _stop(kind, row)
    return changed


def _stop(kind: WorkKind, row: Profile | Space) -> None:
    if isinstance(row, Space):
        work.withdraw(kind, profile_id=row.profile_id, space_id=row.id)
    else:
        work.withdraw(kind, profile_id=row.id)
