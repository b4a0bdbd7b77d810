"""Reads: which documents there are, how far each is, and what it taught. Call inside the profile's scope."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Count, QuerySet

from memory.domain.types import Op
from memory.models import AuditLog, Document, Event, Fact, FactState, Space, WorkItem, WorkKind, WorkState

MOST_FACTS = 1_000


class Standing(StrEnum):
    """How far a document is."""

    READING = "reading"  # parts of it wait, or are being read -> done, failed, stopped
    DONE = "done"
    FAILED = "failed"  # a part could not be read; the work items say why -> reading (retried)
    STOPPED = "stopped"  # memory was switched off before it was read


@dataclass(frozen=True)
class Progress:
    """How many of the parts stand where. What the log no longer has of them counts as read."""

    parts: int
    waiting: int = 0
    running: int = 0
    failed: int = 0
    stopped: int = 0

    @property
    def read(self) -> int:
        return max(0, self.parts - self.waiting - self.running - self.failed - self.stopped)

    @property
    def state(self) -> Standing:
        if self.waiting or self.running:
            return Standing.READING
        if self.failed:
            return Standing.FAILED
        return Standing.STOPPED if self.stopped else Standing.DONE


@dataclass(frozen=True)
class Taught:
    """A fact with the page that it is from, where the document has pages."""

    fact: Fact
    page: int | None


def listed(*, profile_id: uuid.UUID) -> QuerySet[Document]:
    return Document.objects.filter(profile_id=profile_id).select_related("conversation__space")


def one(*, profile_id: uuid.UUID, document_id: uuid.UUID) -> Document | None:
    return listed(profile_id=profile_id).filter(id=document_id).first()


def conversations_of(space: Space) -> set[uuid.UUID]:
    """Where the texts of a space's documents stand."""
    rows = Document.objects.filter(profile_id=space.profile_id, conversation__space_id=space.id)
    return set(rows.values_list("conversation_id", flat=True))


def progress(documents: Iterable[Document]) -> Mapping[uuid.UUID, Progress]:
    """How far each of them is, by its id; one query for all."""
    found = {document.conversation_id: document for document in documents}
    items = WorkItem.objects.filter(conversation_id__in=found, kind=WorkKind.EXTRACT)
    counts: dict[uuid.UUID, Counter[str]] = {}
    for where, state, count in items.values_list("conversation_id", "state").annotate(n=Count("id")).order_by():
        counts.setdefault(where, Counter())[state] = count
    return {
        document.id: Progress(
            document.parts,
            waiting=counts.get(where, Counter())[WorkState.WAITING],
            running=counts.get(where, Counter())[WorkState.RUNNING],
            failed=counts.get(where, Counter())[WorkState.DEAD],
            stopped=counts.get(where, Counter())[WorkState.CANCELLED],
        )
        for where, document in found.items()
    }


def taught(document: Document) -> list[Taught]:
    """What it taught or proposes, as far as it is there: in the order of the pages."""
    rows = Fact.objects.filter(profile_id=document.profile_id, source_audit__conversation_id=document.conversation_id)
    rows = rows.exclude(state=FactState.DELETED).exclude(op=Op.RETRACT.value).select_related("space")
    found = list(rows.order_by("source_audit_id", "id")[:MOST_FACTS])
    there = sources(document.profile_id, [fact.source_audit_id for fact in found])
    return [Taught(fact, there[fact.source_audit_id].page) for fact in found if fact.source_audit_id in there]


@dataclass(frozen=True)
class Source:
    """Where a fact stands: in which document, and on which of its pages, where it has some."""

    document_id: str
    name: str
    page: int | None


def sources(profile_id: uuid.UUID, audit_ids: Iterable[int | None]) -> dict[int | None, Source]:
    """Which of these rows of the log are pages of documents."""
    rows = AuditLog.objects.filter(
        profile_id=profile_id,
        id__in=[n for n in audit_ids if n],
        event_type=Event.CHAT_COMPLETED,
        payload__has_key="document",
    )
    return {row_id: _source(told) for row_id, told in rows.values_list("id", "payload__document")}


def _source(told: Mapping[str, object]) -> Source:
    page = told.get("page")
    return Source(str(told.get("id", "")), str(told.get("name", "")), page if isinstance(page, int) else None)


def dead_items(document: Document) -> Sequence[WorkItem]:
    """The parts that were given up, with their reasons."""
    rows = WorkItem.objects.filter(conversation_id=document.conversation_id, state=WorkState.DEAD)
    return list(rows.order_by("id")[:20])
