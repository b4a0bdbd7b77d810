"""What the operator sees and does over all profiles: counts, and work that is to be tried again."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, Q, TextField
from django.db.models.functions import Cast

from memory import apikeys, embeddings, pauses, requeue, work
from memory.db import operator_scope, profile_scope
from memory.errors import Conflict, NotFound
from memory.models import ApiKey, Fact, FactState, Profile, WorkItem, WorkKind, WorkState
from memory.profiles import OPERATOR

_PART_OF_ID = re.compile(r"[0-9a-f-]{4,36}")


def work_counts() -> dict[tuple[str, str], int]:
    """How many items there are, by kind and state; nought where there are none."""
    counts = {(kind.value, state.value): 0 for kind in WorkKind for state in WorkState}
    with operator_scope():
        rows = WorkItem.objects.values("kind", "state").annotate(count=Count("id")).order_by()
        counts |= {(row["kind"], row["state"]): row["count"] for row in rows}
    return counts


def retry(item_id: int) -> WorkItem:
    """Let one item be read again now, whoever's it is. Raises NotFound, Conflict."""
    with operator_scope():
        profile_id = WorkItem.objects.filter(id=item_id).values_list("profile_id", flat=True).first()
    if profile_id is None:
        raise NotFound(f"There is no work item {item_id}.")
    item = requeue.requeue(profile_id=profile_id, item_id=item_id)
    pauses.clear_all()
    return item


def retry_all_dead() -> int:
    """Let everything that was given up be tried again, chats and vectors. Returns how many items."""
    with operator_scope():
        dead = WorkItem.objects.filter(state=WorkState.DEAD)
        profiles = list(dead.values_list("profile_id", flat=True).distinct())
    pauses.clear_all()
    return sum(work.retry_dead(profile_id=profile_id) for profile_id in profiles) + embeddings.retry_dead()


@dataclass(frozen=True)
class ProfileLine:
    """A profile with its owner and how much is known."""

    profile: Profile
    username: str
    facts: int


def all_profiles() -> list[ProfileLine]:
    with operator_scope():
        rows = Profile.objects.select_related("user").order_by("user__username", "name")
        held = Fact.objects.filter(state=FactState.CURRENT).values("profile_id").annotate(n=Count("id")).order_by()
        counts = {row["profile_id"]: row["n"] for row in held}
        return [ProfileLine(p, p.user.get_username(), counts.get(p.id, 0)) for p in rows]


def all_keys(*, user_id: int | None = None) -> list[ApiKey]:
    """The keys of everyone, or of one user; revoked ones too."""
    with operator_scope():
        rows = ApiKey.objects.select_related("user", "profile").order_by("created_at")
        return list(rows if user_id is None else rows.filter(user_id=user_id))


def revoke_key(named: str) -> ApiKey:
    """Revoke the key whose id begins like this. Raises NotFound; Conflict where that is not one key alone."""
    found = [key for key in all_keys() if named and str(key.id).startswith(named.lower())]
    if not found:
        raise NotFound(f"There is no key {named!r}; `apikey list` shows their ids.")
    if len(found) > 1:
        raise Conflict(f"{len(found)} keys have an id that begins with {named!r}: give more of it.")
    return apikeys.revoke(user_id=found[0].user_id, key_id=found[0].id)


def user_named(name: str | None) -> User:
    """The account of that name (None: the operator's). Raises NotFound."""
    user = User.objects.filter(username=name or OPERATOR).first()
    if user is None:
        raise NotFound(f"There is no account {name or OPERATOR!r}.")
    return user


def profile_named(*, user_id: int, name: str | None) -> Profile:
    """The user's profile of that name (None: the default one), which is not made here. Raises NotFound."""
    with operator_scope():
        rows = Profile.objects.filter(user_id=user_id)
        found = (rows.filter(is_default=True) if name is None else rows.filter(name=name)).first()
    if found is None:
        if name is None:
            raise NotFound("This account has no profile yet: it gets one when its owner first opens the dashboard.")
        raise NotFound(f"There is no profile {name!r}.")
    return found


def fact_named(*, profile_id: uuid.UUID, named: str, deleted: bool = False) -> uuid.UUID:
    """The id of the profile's fact that begins or ends like this; `deleted`: also of one that was deleted lately.

    Raises NotFound; Conflict where that is not one fact alone.
    """
    wanted = named.strip().lower()
    unknown = NotFound(f"There is no fact {named[:60]!r}; `facts list` shows their ids.")
    if not _PART_OF_ID.fullmatch(wanted):
        raise unknown
    with profile_scope(profile_id):
        rows = Fact.objects.filter(profile_id=profile_id).annotate(text=Cast("id", TextField()))
        if not deleted:
            rows = rows.exclude(state=FactState.DELETED)
        found = rows.filter(Q(text__startswith=wanted) | Q(text__endswith=wanted)).values_list("id", flat=True)[:2]
        ids: list[uuid.UUID] = list(found)
    if not ids:
        raise unknown
    if len(ids) > 1:
        raise Conflict(f"More than one fact has an id like {named!r}: give more of it.")
    return ids[0]
