"""A profile as JSON Lines: one record a line, every kind of row, and at the end their numbers and a checksum.

What can be made again from the rest is not in it: vectors, passages, hashes of messages, counts of terms. Nor is what
was deleted: of that, the file holds keyed hashes alone.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, BinaryIO

from memory import hashing
from memory.models import (
    AuditLog,
    Conversation,
    Document,
    EpisodeSummary,
    Event,
    Fact,
    FactEntity,
    FactSource,
    FactState,
    Import,
    KeyAlias,
    OffRecord,
    Profile,
    Space,
    Tombstone,
    WorkItem,
)
from memory.portable.ids import Mask
from memory.portable.kinds import FORMAT, VERSION, Kind
from memory.portable.pages import each, paged
from memory.portable.records import Record, Records, at

CHATS = 50  # a page of chats: each may be long


def write(out: BinaryIO, profile: Profile, *, made_at: Any) -> Counter[str]:
    """Write all rows. Returns how many of each kind. Call inside a scope that sees one moment of the profile."""
    counts: Counter[str] = Counter()
    checksum = hashlib.sha256()

    def put(record: Record) -> None:
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        checksum.update(line)
        out.write(line)

    records = Records(Mask(profile.id))
    put(
        {
            "kind": Kind.HEADER,
            "format": FORMAT,
            "version": VERSION,
            "made_at": at(made_at),
            "installation": hashing.installation_digest(),
            "profile": records.profile(profile),
        }
    )
    for kind, record in _rows(profile, records):
        put({"kind": kind, **record})
        counts[kind.value] += 1
    end = {"kind": Kind.END, "rows": dict(counts), "sha256": checksum.hexdigest()}
    out.write(json.dumps(end).encode() + b"\n")
    return counts


def _rows(profile: Profile, to: Records) -> Iterator[tuple[Kind, Record]]:
    own = {"profile_id": profile.id}
    log = AuditLog.objects.filter(**own)
    chats = log.filter(event_type=Event.CHAT_COMPLETED)
    yield from ((Kind.SPACE, to.space(row)) for row in each(Space.objects.filter(**own)))
    yield from ((Kind.ALIAS, to.alias(row)) for row in each(KeyAlias.objects.filter(**own)))
    yield from ((Kind.CONVERSATION, to.conversation(row)) for row in each(Conversation.objects.filter(**own)))
    yield from ((Kind.CHAT, to.chat(row)) for row in each(chats, CHATS))
    yield from ((Kind.DOCUMENT, to.document(row)) for row in each(Document.objects.filter(**own)))
    yield from ((Kind.OFF_RECORD, to.off_record(row)) for row in each(OffRecord.objects.filter(**own)))
    yield from _facts(profile, to)
    yield from ((Kind.TOMBSTONE, to.tombstone(row)) for row in each(Tombstone.objects.filter(**own)))
    yield from _entities(profile, to)
    yield from ((Kind.EPISODE, to.episode(row)) for row in each(EpisodeSummary.objects.filter(**own)))
    yield from ((Kind.IMPORT, to.imported(row)) for row in each(Import.objects.filter(**own)))
    yield from ((Kind.WORK, to.work(row)) for row in each(WorkItem.objects.filter(**own)))
    yield from ((Kind.EVENT, to.event(row)) for row in each(log.exclude(event_type=Event.CHAT_COMPLETED)))


def _facts(profile: Profile, to: Records) -> Iterator[tuple[Kind, Record]]:
    there = Fact.objects.filter(profile_id=profile.id).exclude(state=FactState.DELETED)
    for page in paged(there):
        sources: dict[Any, list[int]] = defaultdict(list)
        found = FactSource.objects.filter(fact__in=[row.id for row in page]).order_by("audit_id")
        for fact_id, audit_id in found.values_list("fact_id", "audit_id"):
            sources[fact_id].append(audit_id)
        yield from ((Kind.FACT, to.fact(row, sources[row.id])) for row in page)


def _entities(profile: Profile, to: Records) -> Iterator[tuple[Kind, Record]]:
    links = FactEntity.objects.filter(profile_id=profile.id).exclude(fact__state=FactState.DELETED)
    for link in each(links.select_related("entity")):
        yield (
            Kind.ENTITY,
            {
                "id": to.id(link.entity_id),
                "entity": link.entity.kind,
                "fact": to.id(link.fact_id),
                "by": link.by,
                "role": link.role,
                "name": link.name,
            },
        )
