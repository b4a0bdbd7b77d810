"""What the records of an export say, field by field, as values that can be written. Each raises InvalidInput."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memory.chats import KEPT_ROLES, MAX_MESSAGES
from memory.conversations import MAX_CLIENT_ID
from memory.documents import formats
from memory.domain.entry import MAX_QUOTE, MAX_VALUE
from memory.domain.keys import MAX_LENGTH, spelling
from memory.domain.text import normalise
from memory.domain.types import Cardinality, Category, Op, Stance
from memory.hashing import DIGEST_BYTES
from memory.models import AliasState, FactState, SourceKind, TombstoneKind, WorkKind, WorkState
from memory.portable.fields import MOST_NUMBER, Fields
from memory.portable.kinds import Kind

MOST_NAME = 120
MOST_CODE = 200
MOST_SUMMARY = 20_000
STATES = tuple(state for state in FactState if state is not FactState.DELETED)
Parsed = dict[str, Any]


def space(of: Fields) -> Parsed:
    return {
        "id": of.id("id"),
        "slug": of.text("slug", MOST_NAME),
        "name": of.text("name", MOST_NAME),
        "memory_enabled": of.flag("memory_enabled"),
        "summaries_enabled": of.flag("summaries_enabled"),
        "created_at": of.time("created_at", past=True),
        "removed_at": of.time_or_none("removed_at", past=True),
    }


def alias(of: Fields) -> Parsed:
    found = {"alias": of.text("alias", MAX_LENGTH), "key": of.text("key", MAX_LENGTH)}
    for name, value in found.items():
        if spelling(value) != value:
            raise of.wrong(name, "a key as it is kept, such as project.atlas")
    return found | {"state": AliasState(of.one_of("state", tuple(AliasState)))}


def conversation(of: Fields) -> Parsed:
    return {
        "id": of.id("id"),
        "space": of.id("space"),
        "client_id": of.text_or_none("client_id", MAX_CLIENT_ID),
        "started_at": of.time("started_at", past=True),
        "last_said_at": of.time_or_none("last_said_at", past=True),
    }


def chat(of: Fields) -> Parsed:
    """One that was said off the record has no conversation, and nothing to take over."""
    payload = of.object("payload")
    messages = payload.get("messages", [])
    if not isinstance(messages, list) or len(messages) > MAX_MESSAGES or not all(map(_is_message, messages)):
        raise of.wrong("payload.messages", "a list of messages, each with a role and a text")
    answer = payload.get("answer", {})
    if not isinstance(answer, dict) or not isinstance(answer.get("text", ""), str):
        raise of.wrong("payload.answer", "an object with a text")
    conversation_id = of.id_or_none("conversation")
    return {
        "n": of.count("n", MOST_NUMBER),
        "conversation": conversation_id,
        "space": of.id_or_none("space"),
        "said_at": of.time_or_none("said_at", past=True) or of.time("at", past=True),
        "may_teach": of.flag("may_teach"),
        "may_be_summarised": of.flag("may_be_summarised"),
        "payload": payload,
        "messages": messages,
        "answer": answer,
    }


def _is_message(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") in KEPT_ROLES and isinstance(message.get("text", ""), str)


def document(of: Fields) -> Parsed:
    return {
        "id": of.id("id"),
        "conversation_id": of.id("conversation"),
        "name": of.text("name", formats.MOST_NAME),
        "format": of.one_of("format", tuple(formats.Format)),
        "digest": of.digest("digest", DIGEST_BYTES),
        **{name: of.count(name) for name in ("size", "parts", "characters")},
        "pages": None if of.raw("pages") is None else of.count("pages"),
        "added_at": of.time("added_at", past=True),
    }


def off_record(of: Fields) -> Parsed:
    return {"digest": of.digest("digest", DIGEST_BYTES)}


def fact(of: Fields) -> Parsed:
    value, key = of.text("value", MAX_VALUE), of.text_or_none("key", MAX_LENGTH)
    if not normalise(value):
        raise of.wrong("value", "a text with something in it that can be seen")
    if key is not None and (key := spelling(key)) is None:
        raise of.wrong("key", "a name such as project.atlas")
    state = FactState(of.one_of("state", STATES))
    said_at = of.time("said_at", past=True)
    return {
        "id": of.id("id"),
        "space": of.id_or_none("space"),
        "entity": of.id_or_none("entity"),
        "superseded_by": of.id_or_none("superseded_by"),
        "chat": of.raw("chat") if of.raw("chat") is None else of.count("chat", MOST_NUMBER),
        "chats": of.numbers("chats"),
        "columns": {
            "key": key,
            "value": value,
            "state": state,
            "category": of.one_of("category", tuple(Category)),
            "cardinality": of.one_of("cardinality", tuple(Cardinality)) if key else Cardinality.MANY.value,
            "source_kind": of.one_of("source_kind", tuple(SourceKind)),
            "quote": of.text("quote", 4 * MAX_QUOTE),
            "op": of.one_of("op", tuple(Op)),
            "stance": of.one_of("stance", tuple(Stance)),
            "prompt_version": of.text("prompt_version", MOST_CODE),
            "model": of.text("model", MOST_CODE),
            "confidence": of.share("confidence"),
            "importance": of.share("importance"),
            "edit_count": of.count("edit_count"),
            "evidence_count": of.count("evidence_count"),
            "reasons": of.texts("reasons"),
            "pinned": of.flag("pinned"),
            "said_at": said_at,
            "first_seen_at": min(said_at, of.time("first_seen_at", past=True)),
            "last_confirmed_at": of.time("last_confirmed_at", past=True),
            "last_used_at": of.time_or_none("last_used_at", past=True),
            "expires_at": of.time_or_none("expires_at"),
            "valid_from": of.time_or_none("valid_from"),
            "valid_to": of.time_or_none("valid_to"),
            "created_at": of.time("created_at", past=True),
        },
    }


def tombstone(of: Fields) -> Parsed:
    return {
        "digest": of.digest("digest", DIGEST_BYTES),
        "answer": TombstoneKind(of.one_of("answer", tuple(TombstoneKind))),
        "at": of.time("at", past=True),
    }


def episode(of: Fields) -> Parsed:
    return {
        "conversation": of.id("conversation"),
        "space": of.id("space"),
        "summary": of.text("summary", MOST_SUMMARY),
        "details": of.object("details"),
        "chats": of.numbers("chats"),
        "said_at": of.time("said_at", past=True),
        "recall_count": of.count("recall_count"),
        "last_recalled_at": of.time_or_none("last_recalled_at", past=True),
        "prompt_version": of.text("prompt_version", MOST_CODE),
        "model": of.text("model", MOST_CODE),
    }


def work(of: Fields) -> Parsed:
    return {
        "chat": of.count("chat", MOST_NUMBER),
        "kind": WorkKind(of.one_of("work", tuple(WorkKind))),
        "state": WorkState(of.one_of("state", tuple(WorkState))),
        "finished_at": of.time_or_none("finished_at", past=True),
        "columns": {
            "detail": of.object("detail"),
            **{name: of.text(name) for name in ("outcome", "error_code", "error", "prompt_version", "model")},
            **{name: of.count(name) for name in ("attempts", "calls", "input_tokens", "output_tokens")},
        },
    }


def event(of: Fields) -> Parsed:
    return {
        "event_type": of.text("event_type", MOST_CODE),
        "conversation": of.id_or_none("conversation"),
        "why": (of.object("payload")).get("why"),
    }


PARSERS: dict[Kind, Callable[[Fields], Parsed]] = {
    Kind.SPACE: space,
    Kind.ALIAS: alias,
    Kind.CONVERSATION: conversation,
    Kind.CHAT: chat,
    Kind.DOCUMENT: document,
    Kind.OFF_RECORD: off_record,
    Kind.FACT: fact,
    Kind.TOMBSTONE: tombstone,
    Kind.EPISODE: episode,
    Kind.WORK: work,
    Kind.EVENT: event,
}
