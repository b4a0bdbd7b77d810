"""The only writer of the summaries of conversations. Each change is made with its audit row in one transaction."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from memory import audit, buried, sensitive, sql, work
from memory.db import profile_scope
from memory.domain.sensitive import Policy
from memory.domain.summary import Summary, without
from memory.episode_selectors import REBUILT, Standing, standing
from memory.errors import NotFound
from memory.models import AuditLog, Conversation, EpisodeSummary, Event, Profile, WorkKind
from memory.models.fields import new_id, terms_of

SWEPT = "its chats are older than they are kept"


def write(
    *,
    profile_id: uuid.UUID,
    conversation_id: uuid.UUID,
    space_id: uuid.UUID,
    summary: Summary,
    replaces: Standing | None,
    audit_ids: Sequence[int],
    said_at: datetime,
    prompt_version: str,
    model: str,
) -> bool:
    """Write a conversation's summary in place of the one that it was made from. Call inside the profile's scope.

    The row keeps its id and how often it was recalled. False: another one stands there by now, and nothing is written.
    """
    row = EpisodeSummary(
        id=replaces.id if replaces else new_id(),
        profile_id=profile_id,
        space_id=space_id,
        conversation_id=conversation_id,
        summary=audit.storable_text(summary.text),
        details=audit.storable(dict(summary.details)),
        source_audit_ids=sorted({*(replaces.audit_ids if replaces else ()), *audit_ids}),
        said_at=max(said_at, replaces.said_at) if replaces else said_at,
        prompt_version=prompt_version,
        model=model,
    )
    if not _written(row, replaces):
        return False
    audit.record(
        audit.Entry(
            Event.EPISODE_SUMMARISED,
            profile_id,
            {
                "episode_id": str(row.id),
                "source_audit_ids": list(audit_ids),
                "summary": _told(Summary(row.summary, row.details), replaces.summary if replaces else None),
            },
            actor="worker",
            conversation_id=conversation_id,
            space_id=space_id,
        )
    )
    return True


def _written(row: EpisodeSummary, replaces: Standing | None) -> bool:
    values = {
        "id": row.id,
        "profile_id": row.profile_id,
        "space_id": row.space_id,
        "conversation_id": row.conversation_id,
        "summary": row.summary,
        "details": json.dumps(row.details),
        "terms": terms_of(row),
        "audit_ids": row.source_audit_ids,
        "said_at": row.said_at,
        "prompt_version": row.prompt_version,
        "model": row.model,
        "replaces": replaces.id if replaces else None,
        "old": replaces.summary.text if replaces else None,
    }
    with connection.cursor() as cursor:
        cursor.execute(sql.read("episode_write"), values)
        return cursor.fetchone() is not None


def _told(new: Summary, old: Summary | None) -> dict[str, Any]:
    """What the log tells of the words, all in one place: they leave it with the conversation."""
    told: dict[str, Any] = {"text": new.text, **new.details}
    return told | ({"old": {"text": old.text, **old.details}} if old else {})


def mark_recalled(*, profile_id: uuid.UUID, scores: Mapping[str, Mapping[str, float]], audit_id: int) -> None:
    """Count that summaries were given to a chat, and log why: its row, and the scores of each.

    Two chats at once both count. One that is gone by now is passed over. Call inside the profile's scope.
    """
    if not scores:
        return
    with connection.cursor() as cursor:
        # In order of ids, so that two chats that were given the same ones do not wait for each other in a ring.
        cursor.execute(
            "WITH given AS (SELECT id FROM episode_summaries WHERE id = ANY (%s) ORDER BY id FOR NO KEY UPDATE)"
            " UPDATE episode_summaries e SET recall_count = recall_count + 1, last_recalled_at = clock_timestamp()"
            " FROM given WHERE e.id = given.id RETURNING e.id, e.conversation_id, e.space_id",
            [sorted(scores)],
        )
        rows = cursor.fetchall()
    audit.record_many(
        audit.Entry(
            Event.EPISODE_RECALLED,
            profile_id,
            {"episode_id": str(episode_id), "chat_audit_id": audit_id, **scores[str(episode_id)]},
            conversation_id=conversation_id,
            space_id=space_id,
        )
        for episode_id, conversation_id, space_id in sorted(rows)
    )


def delete(*, profile_id: uuid.UUID, episode_id: uuid.UUID, actor: str = "person") -> None:
    """Delete a summary, out of the log too. It is not written again from what was said so far. Raises NotFound."""
    with profile_scope(profile_id):
        row = EpisodeSummary.objects.filter(id=episode_id).first()
        if row is None:
            raise NotFound("There is no such episode.")
        # The work first, as who reads it holds that before the summary.
        work.withdraw(
            WorkKind.SUMMARISE,
            profile_id=profile_id,
            conversation_id=row.conversation_id,
            reason="its summary was deleted",
        )
        if not EpisodeSummary.objects.filter(id=episode_id).delete()[0]:
            raise NotFound("There is no such episode.")
        with connection.cursor() as cursor:
            cursor.execute("SELECT audit_forget_summaries(%s)", [row.conversation_id])
        _record_deleted(row, actor)


def strike(*, profile_id: uuid.UUID, audit_ids: Collection[int], says: Callable[[str], bool]) -> int:
    """Take what says something that was deleted out of the summaries of these chats, and out of the log.

    A summary of which nothing is left goes, and does not come back. Call inside the profile's scope. Returns how many
    were changed.
    """
    rows = EpisodeSummary.objects.filter(profile_id=profile_id, source_audit_ids__overlap=sorted(audit_ids))
    touched = 0
    for row in rows.order_by("id").select_for_update():
        old = Summary(row.summary, row.details)
        left = without(old, says)
        if left == old:
            continue
        touched += 1
        with connection.cursor() as cursor:
            cursor.execute("SELECT audit_forget_summaries(%s)", [row.conversation_id])
        if left is None:
            row.delete()
            _record_deleted(row, "system", why="nothing but what was deleted stood in it")
            continue
        row.summary, row.details = left.text, dict(left.details)
        row.save(update_fields=["summary", "details", "terms"])
    return touched


def wipe(*, profile_id: uuid.UUID, conversation_ids: Sequence[uuid.UUID], actor: str = "operator") -> int:
    """Delete the summaries of these conversations so that they are written anew. Call inside the profile's scope."""
    found = EpisodeSummary.objects.filter(profile_id=profile_id, conversation_id__in=conversation_ids)
    rows = list(found.order_by("id").select_for_update())
    EpisodeSummary.objects.filter(id__in=[row.id for row in rows]).delete()
    for row in rows:
        _record_deleted(row, actor, why=REBUILT)
    return len(rows)


def sweep(*, profile_id: uuid.UUID, conversation_ids: Sequence[uuid.UUID], audit_ids: Sequence[int]) -> int:
    """Let the summaries of these conversations go whose last chat has gone (`audit_ids`); the others lose the link.

    Call inside a scope of the profile's. Returns how many went.
    """
    gone = set(audit_ids)
    found = EpisodeSummary.objects.filter(profile_id=profile_id, conversation_id__in=conversation_ids)
    went = 0
    for row in found.order_by("id").select_for_update():
        left = [each for each in row.source_audit_ids if each not in gone]
        if left == row.source_audit_ids:
            continue
        if left:
            EpisodeSummary.objects.filter(id=row.id).update(source_audit_ids=left)
            continue
        with connection.cursor() as cursor:
            cursor.execute("SELECT audit_forget_summaries(%s)", [row.conversation_id])
        EpisodeSummary.objects.filter(id=row.id).delete()
        _record_deleted(row, "system", why=SWEPT)
        went += 1
    return went


def _record_deleted(row: EpisodeSummary, actor: str, **more: Any) -> None:
    payload = {"episode_id": str(row.id), "source_audit_ids": row.source_audit_ids, **more}
    audit.record(
        audit.Entry(
            Event.EPISODE_DELETED,
            row.profile_id,
            payload,
            actor,
            conversation_id=row.conversation_id,
            space_id=row.space_id,
        )
    )


def restore(*, profile: Profile, fields: Mapping[str, Any], dry_run: bool = False) -> str:
    """Write a summary of an export where its conversation has none. Returns what became of it.

    What is never kept is taken out of its words; one that says what was deleted here stays away. Call inside the
    profile's scope.
    """
    conversation_id = fields["conversation_id"]
    there = Conversation.objects.filter(profile_id=profile.id, id=conversation_id).exists()
    if EpisodeSummary.objects.filter(conversation_id=conversation_id).exists():
        return "known"
    if not (there or dry_run) or standing(profile_id=profile.id, conversation_id=conversation_id)[1]:
        return "unusable" if not there else "deleted before"
    policy = sensitive.policy_of(profile)
    text = sensitive.quotable(fields["summary"], policy)
    details = audit.storable(_quotable(fields["details"], policy))
    texts = [text, *(line for lines in details.values() if isinstance(lines, list) for line in lines)]
    gone = buried.said(
        profile_id=profile.id, texts=[t for t in texts if isinstance(t, str)], chats=fields["source_audit_ids"]
    )
    if any(fields["said_at"] <= each.at for each in gone):
        return "deleted before"
    EpisodeSummary.objects.create(profile_id=profile.id, **{**fields, "summary": text, "details": details})
    return "new"


def _quotable(value: Any, policy: Policy) -> Any:
    if isinstance(value, str):
        return sensitive.quotable(value, policy)
    if isinstance(value, dict):
        return {name: _quotable(inner, policy) for name, inner in value.items()}
    return [_quotable(inner, policy) for inner in value] if isinstance(value, list) else value


def keep_deleted(*, profile_id: uuid.UUID, conversation_ids: Collection[uuid.UUID], actor: str) -> None:
    """Let no summary be written of what conversations of an export said, as the person deleted it there.

    Call inside the profile's scope.
    """
    wanted = Conversation.objects.filter(profile_id=profile_id, id__in=conversation_ids)
    told = AuditLog.objects.filter(
        profile_id=profile_id, event_type=Event.EPISODE_DELETED, conversation__in=conversation_ids
    )
    has = EpisodeSummary.objects.filter(conversation__in=conversation_ids).values("conversation_id")
    for row in wanted.exclude(id__in=has).exclude(id__in=told.values("conversation_id")).order_by("id"):
        payload = {"imported": True, "source_audit_ids": []}
        entry = (Event.EPISODE_DELETED, profile_id, payload, actor, row.id, row.space_id)
        audit.record(audit.Entry(*entry))
