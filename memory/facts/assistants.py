"""What an assistant may write in the person's name. Call inside the profile's scope, with the facts locked."""

from __future__ import annotations

from collections.abc import Sequence

from memory import consent
from memory.errors import Conflict
from memory.facts import rows
from memory.models import Fact, Profile, Space, Tombstone, WorkKind

OFF = "Memory is off here: nothing may be kept until the person switches it on, under People and spaces."
ANSWERED = (
    "The person has deleted this or turned it down. If they want it kept after all, they can write it themselves."
)
THEIRS = (
    "The person wrote another value for this key themselves, in fact {}. If they want it changed, update that fact."
)


def check(fact: Fact, replaced: Sequence[Fact] = ()) -> None:
    """Raises Conflict where memory is off, where the person has answered this value, or wrote what it would replace."""
    profile = Profile.objects.get(id=fact.profile_id)
    place: Space | Profile = Space.objects.get(id=fact.space_id) if fact.space_id else profile
    if not consent.given(WorkKind.EXTRACT, profile, place):
        raise Conflict(OFF)
    check_value(fact)
    for row in replaced:
        if row.pinned:
            raise Conflict(THEIRS.format(row.id))


def check_value(fact: Fact) -> None:
    """Raises Conflict where the person has deleted or rejected what the fact says now."""
    digests = rows.digests(fact.profile_id, [fact])
    if Tombstone.objects.filter(profile_id=fact.profile_id, digest__in=digests).exists():
        raise Conflict(ANSWERED)
