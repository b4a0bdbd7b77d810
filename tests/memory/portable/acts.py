"""A memory with something of everything in it, exports of it, and imports of files."""

from __future__ import annotations

import hashlib
import io
import json
import uuid
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from memory import chats, cursor, episodes, facts, key_aliases, keys, spaces
from memory.db import profile_scope
from memory.domain.summary import Summary
from memory.models import AuditLog, Event, Fact, WorkItem, WorkKind
from memory.portable import exporting, importing
from memory.portable.exporting import Form
from tests.memory.saying import said
from tests.people import Person


def chat(who: Person, *texts: str, answer: str = "Noted.", thread: str | None = None, space: str | None = None) -> int:
    """A live chat, answered."""
    messages = [{"role": "user", "content": text, "id": f"m-{uuid.uuid5(uuid.NAMESPACE_OID, text)}"} for text in texts]
    turn = chats.begin(profile_id=who.profile_id, messages=messages, conversation_id=thread, space=space)
    return chats.finish(turn, chats.Answer(text=answer, model="scripted"))


def learned(who: Person, audit_id: int, *told: dict[str, Any]) -> list[uuid.UUID | None]:
    """What a worker writes of a chat. Returns the facts."""
    with profile_scope(who.profile_id):
        facts.lock(who.profile_id)
        row = AuditLog.objects.get(id=audit_id)
        assert row.said_at
        claims = [
            said(one.pop("key"), one.pop("value"), audit_id=audit_id, at=row.said_at, place=(0, n), **one)
            for n, one in enumerate(told)
        ]
        done = facts.apply(profile_id=who.profile_id, told=claims, conversation_id=row.conversation_id)
        return [outcome.fact_id for outcome in done]


def summarised(who: Person, audit_id: int, text: str) -> None:
    with profile_scope(who.profile_id):
        row = AuditLog.objects.get(id=audit_id)
        assert row.said_at
        assert row.conversation_id
        assert row.space_id
        episodes.write(
            profile_id=who.profile_id,
            conversation_id=row.conversation_id,
            space_id=row.space_id,
            summary=Summary(text, {"topics": ("dogs",)}),
            replaces=None,
            audit_ids=[audit_id],
            said_at=row.said_at,
            prompt_version="v1",
            model="scripted",
        )


def full(who: Person) -> dict[str, uuid.UUID]:
    """Chats in two spaces, facts in every state, a summary, an alias, answers. Returns facts by what they are."""
    spaces.create_space(profile_id=who.profile_id, fields={"slug": "work", "name": "Work"})
    first = chat(who, "My dog is called Beans and I live in Graz.", thread="pets")
    dog, city, drink, *_ = learned(
        who,
        first,
        {"key": "dog.name", "value": "Beans", "many": True, "quote": "My dog is called Beans"},
        {"key": "address.city", "value": "Graz"},
        {"key": "drink", "value": "oat milk"},
        {"key": "boat", "value": "a yacht", "current": False, "reasons": ("not_grounded",), "grounded": False},
        {"key": "shoe_size", "value": "43", "current": False, "reasons": ("not_grounded",), "grounded": False},
        {"key": None, "value": "Likes long walks in the fog"},
        {"key": "phone.maker", "value": "Fairphone"},
    )
    summarised(who, first, "They spoke of a dog called Beans.")
    second = chat(who, "I have moved to Linz.", "And at the office I use Emacs.", thread="pets", space="work")
    linz, *_ = learned(who, second, {"key": "address.city", "value": "Linz"})
    chat(who, "What is on today?", thread="other")
    authored = facts.author(profile_id=who.profile_id, fields={"key": "tea", "value": "green", "space": "work"})
    facts.edit(profile_id=who.profile_id, fact_id=dog, changes={"value": "Beanie"})
    facts.reject(profile_id=who.profile_id, fact_id=named(who, "shoe_size").id)
    facts.delete(profile_id=who.profile_id, fact_id=named(who, "phone.maker").id)
    keys.add_alias(profile_id=who.profile_id, fields={"alias": "dwelling", "key": "address.city"})
    _work_is_done(who, first)
    assert city
    assert drink
    assert linz
    return {"dog": dog, "city": linz, "old city": city, "drink": drink, "tea": authored.id}  # type: ignore[dict-item]


def _work_is_done(who: Person, audit_id: int) -> None:
    """The first chat was read for both, the others were not."""
    cursor.tick(*WorkKind)
    with profile_scope(who.profile_id):
        WorkItem.objects.filter(audit_id=audit_id).update(state="done", outcome="learned")


def named(who: Person, key: str) -> Fact:
    with profile_scope(who.profile_id):
        return Fact.objects.filter(profile_id=who.profile_id, key=key).latest("created_at")


def known(who: Person, key: str) -> list[str]:
    """What holds of a key."""
    with profile_scope(who.profile_id):
        rows = Fact.objects.filter(profile_id=who.profile_id, key=key, state="current")
        return sorted(rows.values_list("value", flat=True))


def states(who: Person, key: str | None) -> list[tuple[str, str]]:
    with profile_scope(who.profile_id):
        rows = Fact.objects.filter(profile_id=who.profile_id, key=key).order_by("said_at", "created_at")
        return list(rows.values_list("value", "state"))


def export(who: Person, form: Form = Form.JSONL) -> bytes:
    out = io.BytesIO()
    exporting.export(profile_id=who.profile_id, form=form, out=out)
    return out.getvalue()


def records(exported: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in exported.splitlines()]


def load(who: Person, content: bytes, tmp_path: Path, **options: Any) -> importing.Report:
    path = tmp_path / f"{uuid.uuid4()}"
    path.write_bytes(content)
    return importing.run(profile_id=who.profile_id, path=path, name="archive", **options)


def state(who: Person) -> dict[str, Any]:
    """All that an export says, without what depends on where and when it was made.

    Chats are named by when they were said instead of by their numbers, spaces by their names: everybody has a general
    one of their own.
    """
    found: dict[str, list[Any]] = {}
    chats_by_number: dict[int, str] = {}
    slugs: dict[str | None, str | None] = {None: None}
    for record in records(export(who)):
        kind = record.pop("kind")
        if kind == "space":
            slugs[record.pop("id")] = record["slug"]
            record.pop("created_at")
        elif "space" in record:
            record["space"] = slugs[record["space"]]
        if kind == "chat":
            chats_by_number[record.pop("n")] = record["said_at"]
            record.pop("at")
            record["payload"].pop("imported", None)
        if kind in ("header", "end", "event", "import"):
            continue
        found.setdefault(kind, []).append(record)
    for record in found.get("fact", []):
        record.pop("entity")
    for record in found.get("fact", []) + found.get("episode", []) + found.get("work", []):
        for name in ("chat", "chats"):
            if name in record:
                record[name] = _by_time(record[name], chats_by_number)
    entities: dict[str, list[Any]] = {}
    for record in found.get("entity", []):
        entities.setdefault(record.pop("id"), []).append(sorted(record.items()))
    found["entity"] = [sorted(links) for links in entities.values()]
    found["work"] = [record for record in found.get("work", []) if record["state"] != "waiting"]
    return {kind: sorted(rows, key=lambda row: json.dumps(row, sort_keys=True)) for kind, rows in found.items()}


def _by_time(value: Any, chats_by_number: dict[int, str]) -> Any:
    if isinstance(value, list):
        return sorted(filter(None, (chats_by_number.get(n) for n in value)))
    return chats_by_number.get(value)


def resealed(exported: bytes, change: Callable[[dict[str, Any]], dict[str, Any]]) -> bytes:
    """The export with other records, and the checksum of those."""
    found = records(exported)
    kept = b"".join(json.dumps(change(record)).encode() + b"\n" for record in found[:-1])
    end = found[-1] | {"sha256": hashlib.sha256(kept).hexdigest()}
    return kept + json.dumps(end).encode() + b"\n"


def turns_of(who: Person) -> list[tuple[str | None, list[str], str]]:
    """(conversation, what was said, what was answered) of each chat, in order of saying."""
    with profile_scope(who.profile_id):
        rows = AuditLog.objects.filter(event_type=Event.CHAT_COMPLETED).order_by("said_at", "id")
        return [
            (
                row.conversation.client_id if row.conversation else None,
                [m["text"] for m in row.payload["messages"]],
                row.payload["answer"]["text"],
            )
            for row in rows.select_related("conversation")
        ]


def aliases(who: Person) -> dict[str, str]:
    with profile_scope(who.profile_id):
        return key_aliases.active(who.profile_id)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)
