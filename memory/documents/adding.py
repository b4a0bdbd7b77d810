"""Takes a document: its text goes into the log page by page, to be read by the ordinary pipeline, and can be found."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from memory import audit, chats, consent, conversations, cursor, passages, profiles, sensitive
from memory.config import conf
from memory.db import profile_scope
from memory.documents import converting
from memory.documents.formats import MOST_NAME, format_of
from memory.documents.pages import Page
from memory.documents.refusing import refused
from memory.domain.chunks import chunks
from memory.domain.text import one_line
from memory.errors import Conflict, InvalidInput
from memory.hashing import document_digest
from memory.models import AuditLog, Document, Event, Space
from memory.models.fields import new_id

LONGEST_PART = 4_000  # characters; a page that is longer becomes several
STEP = timedelta(microseconds=1)
OFF = (
    "Memory is off here, so nothing may be learned from a document: switch it on for the profile and the space, or "
    "name another space. Nothing of it was kept."
)


@dataclass(frozen=True)
class Added:
    """The document; `new` is False where the same file was given before."""

    document: Document
    new: bool


@dataclass(frozen=True)
class _Part:
    page: int | None
    text: str


def add(*, profile_id: uuid.UUID, name: str, data: bytes, space: str | None = None, actor: str = "person") -> Added:
    """Convert a file and let it be read. Given again, it is the document that is there already.

    Raises DocumentRefused where it cannot be taken, and ConverterBusy; NotFound for a space that is not there;
    Conflict where memory is off; BeingErased. Nothing is kept then.
    """
    called = _named(name)
    most = conf().memory.documents.max_bytes
    if len(data) > most:
        raise refused("too_large", f"The file is larger than {most:,} bytes.")
    kind = format_of(called, data)
    with profile_scope(profile_id):
        _allowed(profile_id, space)
        digest = document_digest(data)
        there = _given_before(profile_id, digest)
    if there is not None:
        return Added(there, False)
    pages = converting.convert(data, kind)
    with profile_scope(profile_id):
        where = _allowed(profile_id, space)
        parts = _parts(pages)
        last = chats.take_time(profile_id, most=len(parts))  # from here on the person's other documents wait
        there = _given_before(profile_id, digest)
        if there is not None:
            return Added(there, False)
        document = Document(
            profile_id=profile_id,
            name=called,
            format=kind.value,
            digest=digest,
            size=len(data),
            pages=_last_page(pages),
            parts=len(parts),
            characters=sum(len(part.text) for part in parts),
        )
        _write(document, parts, where, last - (len(parts) - 1) * STEP, actor)
        document.refresh_from_db()
    return Added(document, True)


def add_file(*, profile_id: uuid.UUID, path: Path, space: str | None = None, actor: str = "person") -> Added:
    """As `add`, of a file on this machine. Raises OSError."""
    with path.open("rb") as file:
        data = file.read(conf().memory.documents.max_bytes + 1)
    return add(profile_id=profile_id, name=path.name, data=data, space=space, actor=actor)


def _named(name: str) -> str:
    """The file's name without its folders, without what is never kept."""
    called = one_line(audit.storable_text(os.path.basename(name.replace("\\", "/")))).strip()
    if not called or len(called) > MOST_NAME:
        raise InvalidInput(f"A document has a name of 1 to {MOST_NAME} characters, with its ending.")
    return str(sensitive.redacted(called, set()))


def _allowed(profile_id: uuid.UUID, slug: str | None) -> Space:
    space = profiles.space(profile_id=profile_id, slug=slug)
    if not consent.wanted(space).facts:
        raise Conflict(OFF)
    return space


def _given_before(profile_id: uuid.UUID, digest: bytes) -> Document | None:
    rows = Document.objects.select_related("conversation__space")
    return rows.filter(profile_id=profile_id, digest=digest).first()


def _parts(pages: Sequence[Page]) -> list[_Part]:
    """The pages, in parts that are read and found again one by one."""
    cleaned = ((page, audit.storable_text(text).replace("\u00ad", "")) for page, text in pages)
    return [_Part(page, part) for page, text in cleaned for part in chunks(text, LONGEST_PART)]


def _last_page(pages: Sequence[Page]) -> int | None:
    return max((page for page, _ in pages if page is not None), default=None)


def _write(document: Document, parts: Sequence[_Part], where: Space, begun: Any, actor: str) -> None:
    profile_id, end = document.profile_id, begun + (len(parts) - 1) * STEP
    document.conversation_id = new_id()
    conversations.bring(
        profile_id=profile_id,
        made=[conversations.Brought(document.conversation_id, where.id, None, begun, end)],
    )
    document.save(force_insert=True)
    audit.record(audit.Entry(Event.DOCUMENT_ADDED, profile_id, told(document), actor, space_id=where.id))
    ids = audit.draw_ids(len(parts))
    audit.record_many(
        audit.Entry(
            Event.CHAT_COMPLETED,
            profile_id,
            _payload(document, part, where),
            actor="person",
            conversation_id=document.conversation_id,
            space_id=where.id,
            said_at=begun + n * STEP,
            mine_facts=True,
            id=audit_id,
        )
        for n, (audit_id, part) in enumerate(zip(ids, parts, strict=True))
    )
    passages.index_document(profile=where.profile, chats=AuditLog.objects.filter(id__in=ids).order_by("id"))
    cursor.plan(profile_id=profile_id, audit_ids=ids)


def told(document: Document) -> dict[str, Any]:
    """What the log says of a document."""
    return {
        "document_id": str(document.id),
        "name": document.name,
        "format": document.format,
        "pages": document.pages,
        "parts": document.parts,
    }


def _payload(document: Document, part: _Part, where: Space) -> dict[str, Any]:
    """A page as what the person said, and nobody answered."""
    secrets: set[str] = set()
    text = sensitive.redacted(part.text, secrets)
    payload = {
        "decision_id": str(new_id()),
        "model": "",
        "provider": "",
        "usage": {},
        "finish_reason": "",
        "streamed": False,
        "complete": True,
        "space": where.slug,
        "document": {"id": str(document.id), "name": document.name, "page": part.page},
        "messages": [
            {
                "role": "user",
                "text": text,
                "id": document.name if part.page is None else f"{document.name}#page={part.page}",
                "document": document.name,
                "page": part.page,
            }
        ],
        "answer": {"text": ""},
        "facts": [],
        "episodes": [],
        "recall_failed": False,
    }
    return payload | ({"redacted": sorted(secrets)} if secrets else {})
