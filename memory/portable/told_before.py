"""The chats of an export become chats of the profile again: each by its conversation and the time it was said."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory import audit, consent, conversations, imports, sensitive
from memory.domain.history import Incoming
from memory.domain.sensitive import SensitiveClass
from memory.hashing import message_digest
from memory.models import AuditLog, Conversation, Event, Import, Space
from memory.models.fields import new_id
from memory.portable.fields import MOST_COUNT
from memory.portable.parsed import Parsed
from memory.portable.records import CHAT_IDS

if TYPE_CHECKING:
    from memory.portable.rows import Context

MOST_SHORT = 200
SHORT = ("model", "provider", "finish_reason")
FLAGS = ("streamed", "complete", "recall_failed")
MESSAGE = ("role", "id", "tool_calls", "tool_call_id", "other_parts", "document")
_PLAIN = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\w#-]{1,12}")


def write(context: Context, batch: Sequence[Parsed]) -> Counter[str]:
    """Write the chats that are not here. Call inside the profile's scope, under `imports.lock`."""
    mine = [each for each in batch if each["conversation"] is not None]
    by_id = {context.mask.swap(each["conversation"]): each for each in mine}
    rows = Conversation.objects.filter(profile_id=context.profile_id, id__in=by_id)
    there = dict(rows.values_list("id", "space_id"))
    known = _known(context.profile_id, mine, list(by_id))
    spaces = {row.id: row for row in Space.objects.select_related("profile").filter(profile_id=context.profile_id)}
    counts: Counter[str] = Counter({"chats off the record": len(batch) - len(mine)})
    entries: list[tuple[int, audit.Entry]] = []
    for each in mine:
        here = context.mask.swap(each["conversation"])
        found = known.get((here, each["said_at"]))
        if found is not None:
            context.places.put_chats({each["n"]: found})
            counts["chats known"] += 1
        elif here not in there and not context.dry_run:
            counts["chats unusable"] += 1
        else:
            where = context.spaces.get(each["space"]) or there.get(here)
            entries.append((each["n"], _entry(context, each, here, spaces.get(where) if where else None)))
    counts["chats new"] += len(entries)
    _write(context, entries)
    return counts


def _known(
    profile_id: uuid.UUID, chats: Sequence[Parsed], ids: Sequence[uuid.UUID]
) -> dict[tuple[uuid.UUID, datetime], int]:
    rows = AuditLog.objects.filter(
        profile_id=profile_id,
        event_type=Event.CHAT_COMPLETED,
        conversation_id__in=ids,
        said_at__in=[each["said_at"] for each in chats],
    )
    found = rows.values_list("conversation_id", "said_at", "id")
    return {(row[0], row[1]): row[2] for row in found if row[0] and row[1]}


def _entry(context: Context, each: Parsed, here: uuid.UUID, space: Space | None) -> audit.Entry:
    agreed = consent.wanted(space) if space else consent.Wanted(False, False)
    return audit.Entry(
        Event.CHAT_COMPLETED,
        context.profile_id,
        _payload(context, each, space.slug if space else ""),
        actor="person",
        conversation_id=here,
        space_id=space.id if space else None,
        said_at=each["said_at"],
        mine_facts=each["may_teach"] and agreed.facts,
        mine_summary=each["may_be_summarised"] and agreed.episodes,
    )


def _payload(context: Context, each: Parsed, slug: str) -> dict[str, Any]:
    """What a chat's row holds, and nothing else that a file may say."""
    old: dict[str, Any] = each["payload"]
    classes = old.get("redacted")
    secrets: set[str] = {c for c in SensitiveClass if c in classes} if isinstance(classes, list) else set()
    payload: dict[str, Any] = {"decision_id": _decision(old)}
    payload |= {name: str(old.get(name, ""))[:MOST_SHORT] for name in SHORT}
    payload |= {name: old.get(name) is True for name in FLAGS}
    payload["usage"] = {k: v for k, v in _object(old.get("usage")).items() if _is_count(v)}
    payload["space"] = slug
    payload["messages"] = [_message(message, secrets) for message in each["messages"]]
    payload["answer"] = {k: v for k, v in _message(each["answer"], secrets).items() if k != "role"}
    payload |= {name: list(_ids(context, old.get(name))) for name in CHAT_IDS}
    if isinstance(old.get("document"), dict):
        payload["document"] = _document(context, old["document"], secrets)
    payload["imported"] = {"import_id": str(context.row.id), "format": context.row.format}
    return payload | ({"redacted": sorted(secrets)[:20]} if secrets else {})


def _document(context: Context, told: dict[str, Any], secrets: set[str]) -> dict[str, Any]:
    """Of which document it is a page."""
    (here, *_) = (*_ids(context, [told.get("id")]), "")
    name = sensitive.redacted(audit.storable_text(str(told.get("name", "")))[:MOST_SHORT], secrets)
    return {"id": here, "name": name, "page": _page(told.get("page"))}


def _page(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and 0 <= value <= MOST_COUNT


def _decision(old: dict[str, Any]) -> str:
    with suppress(ValueError, TypeError, AttributeError):
        return str(uuid.UUID(old.get("decision_id")))
    return str(new_id())


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _ids(context: Context, value: Any) -> Iterator[str]:
    for each in value if isinstance(value, list) else []:
        with suppress(ValueError, TypeError, AttributeError):
            yield str(context.mask.swap(uuid.UUID(each)))


def _message(message: dict[str, Any], secrets: set[str]) -> dict[str, Any]:
    stored: dict[str, Any] = {"text": sensitive.redacted(audit.storable_text(message.get("text", "")), secrets)}
    for name in MESSAGE:
        if message.get(name):
            value = message[name]
            plain = isinstance(value, str) and _PLAIN.fullmatch(value)
            stored[name] = value if plain else sensitive.redacted(audit.storable(value), secrets)
    if isinstance(message.get("name"), str):
        stored["name"] = sensitive.redacted(audit.storable_text(message["name"]), secrets)
    if message.get("document"):
        stored["page"] = _page(message.get("page"))
    if message.get("known") is True:
        stored["known"] = True
    return stored


def _write(context: Context, entries: Sequence[tuple[int, audit.Entry]]) -> None:
    if not entries:
        return
    ids = audit.draw_ids(len(entries))
    rows = [replace(entry, id=audit_id) for (_, entry), audit_id in zip(entries, ids, strict=True)]
    audit.record_many(rows)
    chats = {row.id: row.conversation_id for row in rows if row.id and row.conversation_id}
    last = conversations.last_messages(list(dict.fromkeys(chats.values())))
    said: list[tuple[uuid.UUID, int | None, list[Incoming]]] = []
    for row in rows:
        if row.conversation_id and "document" not in row.payload:  # nobody sends a document's pages again
            messages = [*row.payload["messages"], {"role": "assistant", **row.payload["answer"]}]
            said.append((row.conversation_id, last.get(row.conversation_id), [_incoming(m) for m in messages]))
    conversations.append(profile_id=context.profile_id, said=said)
    imports.brought(context.row, chats, ())
    if not context.dry_run:  # what is taken back has no id that evidence could name
        context.places.put_chats({n: audit_id for (n, _), audit_id in zip(entries, ids, strict=True)})


def _incoming(message: dict[str, Any]) -> Incoming:
    calls, call_id = message.get("tool_calls"), message.get("tool_call_id")
    return Incoming(message["role"], message_digest(message["role"], message["text"], calls, call_id))


def note(row: Import, fact_ids: Sequence[uuid.UUID], actor: str) -> None:
    """The row of the log that says which facts an import brought. Call inside the profile's scope."""
    if fact_ids:
        payload: dict[str, Any] = {"import_id": str(row.id), "format": row.format, "name": row.name}
        payload |= {"rows": {"facts": len(fact_ids)}, "facts": [str(fact_id) for fact_id in fact_ids]}
        audit.record(audit.Entry(Event.IMPORTED, row.profile_id, payload, actor))
