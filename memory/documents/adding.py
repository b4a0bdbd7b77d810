"""Takes a document: its text goes into the log page by page, to be read by the ordinary pipeline, and can be found."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory import audit, chat_row, chats, consent, conversations, cursor, passages, profiles, sensitive
from memory.config import conf
from memory.db import profile_scope
from memory.documents import converting
from memory.documents.formats import MOST_NAME, format_of
from memory.documents.pages import Page
from memory.documents.refusing import refused
from memory.domain.chunks import chunks
from memory.domain.text import normalise, one_line
from memory.errors import Conflict, InvalidInput
from memory.hashing import document_digest
from memory.models import AuditLog, Document, Event, Passage, Space
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
    parts = _parts(pages)
    if not any(normalise(part.text) for part in parts):
        raise converting.without_text(kind)
    document = Document(
        profile_id=profile_id,
        conversation_id=new_id(),
        name=called,
        format=kind.value,
        digest=digest,
        size=len(data),
        pages=_last_page(pages),
        parts=len(parts),
        characters=sum(len(part.text) for part in parts),
    )
    with profile_scope(profile_id):
        where = _allowed(profile_id, space)
        ids = audit.draw_ids(len(parts))
    said = [_row(audit_id, document, part, where) for audit_id, part in zip(ids, parts, strict=True)]
    found = passages.of_document(profile=where.profile, chats=said)
    with profile_scope(profile_id):
        _allowed(profile_id, space)
        last = chats.take_time(profile_id, most=len(parts))  # from here on what else the person says waits
        there = _given_before(profile_id, digest)
        if there is not None:
            return Added(there, False)
        times = {audit_id: last - n * STEP for n, audit_id in enumerate(reversed(ids))}
        _write(document, said, found, times, where, actor)
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
    stem, ending = os.path.splitext(str(sensitive.redacted(called, set())))
    return stem[: MOST_NAME - len(ending)] + ending  # what stands for a secret may be longer than it


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


def _write(
    document: Document,
    said: Sequence[AuditLog],
    found: Sequence[Passage],
    times: Mapping[int, datetime],
    where: Space,
    actor: str,
) -> None:
    profile_id, first, last = document.profile_id, min(times.values()), max(times.values())
    place = conversations.Brought(document.conversation_id, where.id, None, first, last)
    conversations.bring(profile_id=profile_id, made=[place])
    document.save(force_insert=True)
    audit.record(audit.Entry(Event.DOCUMENT_ADDED, profile_id, told(document), actor, space_id=where.id))
    audit.record_many(
        audit.Entry(
            Event.CHAT_COMPLETED,
            profile_id,
            row.payload,
            actor="person",
            conversation_id=row.conversation_id,
            space_id=row.space_id,
            said_at=times[row.id],
            mine_facts=True,
            id=row.id,
        )
        for row in said
    )
    for passage in found:
        passage.said_at = times[passage.audit_id or 0]
    passages.keep(found)
    cursor.plan(profile_id=profile_id, audit_ids=list(times))


def told(document: Document) -> dict[str, Any]:
    """What the log says of a document."""
    return {
        "document_id": str(document.id),
        "name": document.name,
        "format": document.format,
        "pages": document.pages,
        "parts": document.parts,
    }


def _row(audit_id: int, document: Document, part: _Part, where: Space) -> AuditLog:
    """A page as a row of the log that is not written yet; its time is drawn then."""
    return AuditLog(
        id=audit_id,
        profile_id=document.profile_id,
        conversation_id=document.conversation_id,
        space_id=where.id,
        said_at=datetime.now(UTC),
        payload=_payload(document, part, where),
    )


def _payload(document: Document, part: _Part, where: Space) -> dict[str, Any]:
    """A page as what the person said, and nobody answered."""
    secrets: set[str] = set()
    text = sensitive.redacted(part.text, secrets)
    page = {
        "role": "user",
        "text": text,
        "id": document.name if part.page is None else f"{document.name}#page={part.page}",
        "document": document.name,
        "page": part.page,
    }
    return chat_row.payload(
        space=where.slug,
        messages=[page],
        answer={"text": ""},
        redacted=secrets,
        document={"id": str(document.id), "name": document.name, "page": part.page},
    )
