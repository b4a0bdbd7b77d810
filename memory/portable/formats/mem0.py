"""mem0's memories, and plain lists of facts: each a text, or a value under a key."""

from __future__ import annotations

from typing import Any

from memory.portable.found import FoundFact, Skipped, category_of, share, slug_of, text_in, time_of


def read(record: dict[str, Any]) -> FoundFact | Skipped:
    """A memory of mem0: `memory` (in older ones `text` or `data`) is the sentence, the rest says when."""
    text = text_in(record.get("memory")) or text_in(record.get("text")) or text_in(record.get("data"))
    if not text.strip():
        return Skipped("", "a memory without a text")
    at = time_of(record.get("updated_at")) or time_of(record.get("created_at"))
    return FoundFact(text.strip(), at=at, expires_at=time_of(record.get("expiration_date")))


def read_fact(record: dict[str, Any]) -> FoundFact | Skipped:
    """A fact of one's own list: `{"key": ..., "value": ...}`, with what else a fact has where it is given."""
    value = text_in(record.get("value"))
    if not value.strip():
        return Skipped("", "a fact without a value")
    return FoundFact(
        value.strip(),
        key=text_in(record.get("key")) or None,
        at=time_of(record.get("at")) or time_of(record.get("said_at")),
        confidence=share(record.get("confidence"), 0.9),
        importance=share(record.get("importance"), 0.5),
        category=category_of(record.get("category")),
        space=slug_of(record.get("space")),
        expires_at=time_of(record.get("expires_at")),
    )
