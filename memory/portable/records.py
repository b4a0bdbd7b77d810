"""Rows as records of a file: what each kind says, with the file's ids and times as ISO 8601."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memory.models import (
    AuditLog,
    Conversation,
    Document,
    EpisodeSummary,
    Fact,
    Import,
    KeyAlias,
    OffRecord,
    Profile,
    Space,
    Tombstone,
    WorkItem,
)
from memory.portable.ids import Mask

FACT_TEXTS = ("category", "state", "cardinality", "source_kind", "quote", "op", "stance", "prompt_version", "model")
FACT_NUMBERS = ("confidence", "importance", "edit_count", "evidence_count")
FACT_TIMES = (
    "said_at",
    "first_seen_at",
    "last_confirmed_at",
    "last_used_at",
    "expires_at",
    "valid_from",
    "valid_to",
    "created_at",
)
DOCUMENT_PLAIN = ("name", "format", "size", "pages", "parts", "characters")
CHAT_IDS = ("facts", "episodes")
# Words of facts and summaries stand in their own rows; in the log they may be of what was deleted since.
TEXTS = frozenset({"value", "quote", "old", "new", "proposed", "summary", "text"})
WORK_PLAIN = (
    "attempts",
    "outcome",
    "detail",
    "error_code",
    "error",
    "prompt_version",
    "model",
    "calls",
    "input_tokens",
    "output_tokens",
)
SETTINGS = ("memory_enabled", "summaries_enabled", "approval", "timezone", "language", "sensitive_policy")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
Record = dict[str, Any]


class Records:
    """Makes the records of one profile."""

    def __init__(self, mask: Mask) -> None:
        self._mask = mask

    def id(self, one: uuid.UUID | None) -> str | None:
        return None if one is None else str(self._mask.swap(one))

    def profile(self, row: Profile) -> Record:
        return {"name": row.name, **{name: getattr(row, name) for name in SETTINGS}}

    def space(self, row: Space) -> Record:
        plain = {name: getattr(row, name) for name in ("slug", "name", "memory_enabled", "summaries_enabled")}
        return {"id": self.id(row.id), **plain, "created_at": at(row.created_at), "removed_at": at(row.removed_at)}

    def alias(self, row: KeyAlias) -> Record:
        return {"alias": row.alias, "key": row.key, "state": row.state}

    def conversation(self, row: Conversation) -> Record:
        return {
            "id": self.id(row.id),
            "space": self.id(row.space_id),
            "client_id": row.client_id,
            "started_at": at(row.started_at),
            "last_said_at": at(row.last_said_at),
        }

    def chat(self, row: AuditLog) -> Record:
        payload = {name: value for name, value in row.payload.items() if name not in ("passages", "asked_for")}
        for name in CHAT_IDS:
            if isinstance(payload.get(name), list):
                payload[name] = self._swapped(payload[name])
        if "document" in payload:
            payload["document"] = self._swapped(payload["document"])
        return {
            "n": row.id,
            "conversation": self.id(row.conversation_id),
            "space": self.id(row.space_id),
            "said_at": at(row.said_at),
            "at": at(row.at),
            "may_teach": row.mine_facts,
            "may_be_summarised": row.mine_summary,
            "payload": payload,
        }

    def document(self, row: Document) -> Record:
        return {
            "id": self.id(row.id),
            "conversation": self.id(row.conversation_id),
            **{name: getattr(row, name) for name in DOCUMENT_PLAIN},
            "digest": bytes(row.digest).hex(),
            "added_at": at(row.added_at),
        }

    def off_record(self, row: OffRecord) -> Record:
        return {"digest": bytes(row.digest).hex(), "at": at(row.at)}

    def fact(self, row: Fact, sources: Sequence[int]) -> Record:
        return {
            "id": self.id(row.id),
            "space": self.id(row.space_id),
            "entity": self.id(row.entity_id),
            "key": row.key,
            "value": row.value,
            **{name: getattr(row, name) for name in (*FACT_TEXTS, *FACT_NUMBERS)},
            "reasons": row.reasons,
            "pinned": row.pinned,
            "sensitive": row.sensitive,
            **{name: at(getattr(row, name)) for name in FACT_TIMES},
            "superseded_by": self.id(row.superseded_by_id),
            "chat": row.source_audit_id,
            "chats": list(sources),
        }

    def tombstone(self, row: Tombstone) -> Record:
        return {"digest": bytes(row.digest).hex(), "answer": row.kind, "at": at(row.at)}

    def episode(self, row: EpisodeSummary) -> Record:
        return {
            "conversation": self.id(row.conversation_id),
            "space": self.id(row.space_id),
            "summary": row.summary,
            "details": row.details,
            "chats": row.source_audit_ids,
            "said_at": at(row.said_at),
            "recall_count": row.recall_count,
            "last_recalled_at": at(row.last_recalled_at),
            "prompt_version": row.prompt_version,
            "model": row.model,
        }

    def imported(self, row: Import) -> Record:
        plain = {name: getattr(row, name) for name in ("format", "name", "digest", "state", "counts")}
        return {"id": self.id(row.id), **plain, "started_at": at(row.started_at)}

    def work(self, row: WorkItem) -> Record:
        plain = {name: getattr(row, name) for name in WORK_PLAIN}
        return {"chat": row.audit_id, "work": row.kind, "state": row.state, **plain, "finished_at": at(row.finished_at)}

    def event(self, row: AuditLog) -> Record:
        return {
            "n": row.id,
            "event_type": row.event_type,
            "at": at(row.at),
            "actor": row.actor,
            "conversation": self.id(row.conversation_id),
            "space": self.id(row.space_id),
            "payload": self._swapped(_without_texts(row.payload)),
        }

    def _swapped(self, value: Any) -> Any:
        """The value with every id in it as the file has it."""
        if isinstance(value, str) and _UUID.fullmatch(value):
            return self.id(uuid.UUID(value))
        if isinstance(value, dict):
            return {name: self._swapped(inner) for name, inner in value.items()}
        return [self._swapped(inner) for inner in value] if isinstance(value, list) else value


def at(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()


def _without_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_texts(inner) for name, inner in value.items() if name not in TEXTS}
    return [_without_texts(inner) for inner in value] if isinstance(value, list) else value
