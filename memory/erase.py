"""Removes a person everywhere: what is known and was known, what was said, the queue, the log, files, the profile.

Works in batches, so that nobody else waits for long. From its first step on the person's chats are refused. It can
be broken off anywhere and started again: `erase_profile` or `resume` go on where it stopped. What somebody else
writes meanwhile is swept up in the last step, which removes the profile's own row as well; after that the database
itself takes no row of the profile any more. PostgreSQL frees the disk blocks with its next vacuum; backups that
were made before keep the person until they are dropped.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from graphlib import TopologicalSorter
from typing import Any

import structlog
from django.apps import apps
from django.db import IntegrityError, OperationalError, connection
from django.db.models import Model
from django.db.models.functions import Now

from memory import audit, facts, files
from memory.db import operator_scope, profile_scope, upkeep_scope
from memory.errors import InvalidInput, NotFound
from memory.models import ApiKey, AuditLog, Embedding, EmbedQueue, Event, Profile, WorkItem

LOG = structlog.get_logger(__name__)
BATCH = 1_000
MOST_TRIES = 10
LEFT_ALONE = timedelta(minutes=2)  # an erasing that has not got on for so long was broken off
RETRIED = ("23503", "40001", "40P01", "55P03")  # somebody wrote at the same moment: foreign key, deadlock, lock
Rows = dict[str, int]


def erase_profile(*, profile_id: uuid.UUID, actor: str = "person") -> Rows:
    """Erase the person. Returns how many rows of each table went; the log keeps these numbers and nothing else.

    Raises NotFound where there is no such profile.
    """
    _begin(profile_id, actor)
    tries = 1
    while True:
        try:
            rows = _erase(profile_id)
            break
        except (IntegrityError, OperationalError) as error:
            if not _is_there(profile_id):  # somebody else, who erases the same person, was quicker
                raise NotFound("There is no such profile.") from None
            if tries == MOST_TRIES or getattr(error.__cause__, "sqlstate", None) not in RETRIED:
                raise
            LOG.info("erasing_again", reason=type(error).__name__)
            tries += 1
    LOG.info("erased", rows=sum(rows.values()))
    return rows


def _is_there(profile_id: uuid.UUID) -> bool:
    with operator_scope():
        return Profile.objects.filter(id=profile_id).exists()


def _erase(profile_id: uuid.UUID) -> Rows:
    for model in tables():
        while _batch(model, profile_id):
            pass
    files.drop(profile_id)
    return _finish(profile_id)


def confirmed(*, profile: Profile, fields: Mapping[str, Any]) -> Rows:
    """Erase a person who says so by the profile's name. Raises InvalidInput."""
    unknown = sorted(set(fields) - {"confirm"})
    if unknown:
        raise InvalidInput(f"Not a field here: {', '.join(unknown)}. There is confirm.")
    if fields.get("confirm") != profile.name:
        wanted = json.dumps({"confirm": profile.name}, ensure_ascii=False)
        raise InvalidInput(
            f"This erases everything that is known here, for good. Send {wanted} to say that it is meant."
        )
    return erase_profile(profile_id=profile.id)


def resume() -> int:
    """Finish what was broken off, whosever it is. Returns how many people were erased."""
    with operator_scope():
        left = Profile.objects.filter(erasing_at__lt=Now() - LEFT_ALONE)
        ids = list(left.values_list("id", flat=True))
    done = 0
    for profile_id in ids:
        try:
            erase_profile(profile_id=profile_id)
            done += 1
        except NotFound:
            continue  # somebody else was quicker
        except Exception:  # it stays marked, and is tried again
            LOG.exception("not_erased")
    return done


@cache
def tables() -> tuple[type[Model], ...]:
    """Every table with rows of a profile, those first that refer to others: work, so that workers stop.

    What would go along with others (vectors with their texts) goes before them, so that it is counted.
    """
    owned = [m for m in apps.get_app_config("memory").get_models() if m is not ApiKey and _is_owned(m)]
    order: TopologicalSorter[type[Model]] = TopologicalSorter()
    for model in owned:
        order.add(model)
        for field in model._meta.concrete_fields:
            other: Any = field.related_model
            if other in owned and other is not model:
                order.add(other, model)
    first = (WorkItem, EmbedQueue, Embedding)
    return (*first, *(m for m in order.static_order() if m not in first))


def _is_owned(model: type[Model]) -> bool:
    return any(field.name == "profile" and field.related_model is Profile for field in model._meta.concrete_fields)


def _begin(profile_id: uuid.UUID, actor: str) -> None:
    with profile_scope(profile_id):
        profile = Profile.objects.select_for_update().filter(id=profile_id).first()
        if profile is None:
            raise NotFound("There is no such profile.")
        if profile.erasing_at is None:
            profile.erasing = {"actor": actor, "rows": {}}
        Profile.objects.filter(id=profile_id).update(erasing_at=Now(), erasing=profile.erasing)


def _batch(model: type[Model], profile_id: uuid.UUID) -> int:
    with profile_scope(profile_id):
        facts.lock(profile_id)
        gone = _delete(model, profile_id)
        if gone:
            profile = Profile.objects.select_for_update(no_key=True).filter(id=profile_id).first()
            if profile is not None:  # else somebody else has just finished
                _add(profile, model, gone)
                Profile.objects.filter(id=profile_id).update(erasing_at=Now(), erasing=profile.erasing)
    return gone


def _delete(model: type[Model], profile_id: uuid.UUID) -> int:
    """Delete some rows. Rows of the same table that refer to them, and stay for now, let go of them first."""
    with connection.cursor() as cursor:
        if model is AuditLog:
            cursor.execute("SELECT audit_erase(%s)", [BATCH])
            return int(cursor.fetchone()[0])
        rows: Any = model._default_manager.filter(profile_id=profile_id)
        ids = list(rows.values_list("pk", flat=True)[:BATCH])
        if not ids:
            return 0
        for field in model._meta.concrete_fields:
            if field.related_model is model:
                model._default_manager.filter(**{f"{field.name}__in": ids}).update(**{field.name: None})
        # Not the ORM's delete, which would look for rows elsewhere: there are none left.
        cursor.execute(f'DELETE FROM "{model._meta.db_table}" WHERE id = ANY(%s)', [ids])
        return int(cursor.rowcount)


def _finish(profile_id: uuid.UUID) -> Rows:
    """The last step: what was written meanwhile, the keys, the profile itself, and the row that says so."""
    with upkeep_scope(profile_id):
        facts.lock(profile_id)
        # Whoever writes rows of this profile has committed them by now, or is refused when they commit.
        profile = Profile.objects.select_for_update().filter(id=profile_id).first()
        if profile is None:
            return {}
        left: tuple[type[Model], ...] = (*tables(), ApiKey)
        for model in left:
            while gone := _delete(model, profile_id):
                _add(profile, model, gone)
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM profiles WHERE id = %s", [profile_id])
        rows: Rows = profile.erasing["rows"]
        audit.record(audit.Entry(Event.ERASED, None, {"rows": rows}, profile.erasing["actor"]))
    return rows


def _add(profile: Profile, model: type[Model], gone: int) -> None:
    rows: Rows = profile.erasing["rows"]
    rows[model._meta.db_table] = rows.get(model._meta.db_table, 0) + gone
