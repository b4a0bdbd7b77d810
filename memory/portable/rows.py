"""Writes a batch of records of one kind. What is here already is known by its id, its place or what it says."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory import conversations, episodes, facts, hashing, keys, spaces, work
from memory.documents import restoring as documents
from memory.domain.history import Incoming
from memory.domain.text import same_form
from memory.errors import BeingErased
from memory.imports import brought_here
from memory.models import Conversation, Event, Fact, Import, Profile
from memory.portable import told_before
from memory.portable.fields import Fields
from memory.portable.ids import Mask
from memory.portable.kinds import Kind
from memory.portable.parsed import PARSERS, Parsed
from memory.portable.places import Places
from memory.work import Ended

Batch = Sequence[Fields]


@dataclass
class Context:
    """One import: into which profile, by whom, and what the file's spaces and entities are here."""

    row: Import
    mask: Mask
    places: Places
    actor: str
    dry_run: bool
    installation: Any
    spaces: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    entities: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)

    @property
    def profile_id(self) -> uuid.UUID:
        return self.row.profile_id

    @property
    def is_from_here(self) -> bool:
        """Whether the file's keyed hashes mean anything in this installation."""
        return bool(self.installation == hashing.installation_digest())


def _profile(context: Context) -> Profile:
    """Raises BeingErased."""
    profile = Profile.objects.filter(id=context.profile_id, erasing_at__isnull=True).first()
    if profile is None:
        raise BeingErased
    return profile


def check(kind: Kind, fields: Fields) -> None:
    """Raises InvalidInput for a record that cannot be taken."""
    if kind in PARSERS:
        PARSERS[kind](fields)


def write(context: Context, kind: Kind, batch: Batch) -> Counter[str]:
    """What became of the records. Call inside the profile's scope, under `imports.lock`."""
    return WRITERS[kind](context, [PARSERS[kind](fields) for fields in batch])


def _spaces(context: Context, batch: Sequence[Parsed]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for each in batch:
        there = each.pop("id")
        here, made = spaces.restore(profile_id=context.profile_id, space_id=context.mask.swap(there), fields=each)
        context.spaces[there] = here
        counts["spaces new" if made else "spaces known"] += 1
    return counts


def _aliases(context: Context, batch: Sequence[Parsed]) -> Counter[str]:
    made = [keys.restore(profile_id=context.profile_id, **each, actor=context.actor) for each in batch]
    return Counter({"aliases new": sum(made), "aliases known": len(made) - sum(made)})


def _conversations(context: Context, batch: Sequence[Parsed]) -> Counter[str]:
    wanted = {context.mask.swap(each["id"]): each for each in batch if each["space"] in context.spaces}
    mine = Conversation.objects.filter(profile_id=context.profile_id)
    there = set(mine.filter(id__in=wanted).values_list("id", flat=True))
    names = [each["client_id"] for each in wanted.values() if each["client_id"]]
    taken = set(mine.filter(client_id__in=names).values_list("client_id", flat=True))
    fresh = []
    for here, each in wanted.items():
        if here not in there:
            name = None if each["client_id"] in taken else each["client_id"]
            where = context.spaces[each["space"]]
            taken.add(each["client_id"])
            fresh.append(conversations.Brought(here, where, name, each["started_at"], each["last_said_at"]))
    conversations.bring(profile_id=context.profile_id, made=fresh)
    return Counter({"conversations new": len(fresh), "conversations known": len(batch) - len(fresh)})


def _documents(context: Context, batch: Sequence[Parsed]) -> Counter[str]:
    profile = _profile(context)
    counts: Counter[str] = Counter()
    for each in batch:
        here = context.mask.swap(each.pop("id"))
        fields = {**each, "conversation_id": context.mask.swap(each["conversation_id"])}
        became = documents.restore(profile=profile, document_id=here, fields=fields)
        # A dry run has taken its text back by now.
        counts[f"documents {'new' if became == 'unusable' and context.dry_run else became}"] += 1
    return counts


def _off_record(context: Context, batch: Sequence[Parsed]) -> Counter[str]:
    if context.is_from_here:
        messages = [Incoming("user", each["digest"]) for each in batch]
        conversations.keep_off_record(profile_id=context.profile_id, messages=messages)
    return Counter()


def _facts(context: Context, batch: Sequence[Parsed]) -> Counter[str]:
    facts.lock(context.profile_id)
    profile = _profile(context)
    wanted = [each for each in batch if each["space"] is None or each["space"] in context.spaces]
    chats = context.places.chats(n for each in wanted for n in (*each["chats"], each["chat"] or 0))
    rows, sources, hung = [], {}, {}
    for each in wanted:
        row = _fact(context, each, chats)
        rows.append(row)
        sources[row.id] = [chats[n] for n in each["chats"] if n in chats]
        if each["entity"]:
            hung[row.id] = each["entity"]
    about = facts.About(hung, context.entities)
    done = facts.restore(profile=profile, wanted=rows, sources=sources, about=about, actor=context.actor)
    here = {context.mask.swap(own): at for own, at in done.places.items()}
    context.places.put_facts(here)
    context.places.put_successors({each["id"]: each["superseded_by"] for each in wanted if each["superseded_by"]})
    told_before.note(context.row, [row.id for row in done.made], context.actor)
    return Counter({f"facts {name}": count for name, count in done.counts.items()})


def _fact(context: Context, each: Parsed, chats: dict[int, int]) -> Fact:
    columns = each["columns"]
    return Fact(
        id=context.mask.swap(each["id"]),
        profile_id=context.profile_id,
        space_id=context.spaces.get(each["space"]),
        value_norm=same_form(columns["value"]),
        source_audit_id=chats.get(each["chat"]),
        **columns,
    )


def _tombstones(context: Context, batch: Sequence[Parsed]) -> Counter[str]:
    """Hashes that another installation has keyed say nothing here."""
    if not context.is_from_here:
        return Counter({"answers of another installation": len(batch)})
    answers = [(each["digest"], each["answer"], each["at"]) for each in batch]
    facts.remember(profile_id=context.profile_id, answers=answers)
    return Counter()


def _episodes(context: Context, batch: Sequence[Parsed]) -> Counter[str]:
    chats = context.places.chats(n for each in batch for n in each["chats"])
    profile = _profile(context)
    counts: Counter[str] = Counter()
    for each in batch:
        if each["space"] not in context.spaces:
            counts["summaries unusable"] += 1
            continue
        here = {
            "conversation_id": context.mask.swap(each.pop("conversation")),
            "space_id": context.spaces[each.pop("space")],
        }
        each["source_audit_ids"] = sorted(chats[n] for n in each.pop("chats") if n in chats)
        became = episodes.restore(profile=profile, fields={**each, **here}, dry_run=context.dry_run)
        counts[f"summaries {became}"] += 1
    return counts


def _work(context: Context, batch: Sequence[Parsed]) -> Counter[str]:
    """What was read there is not read again; what waited there waits here."""
    chats = context.places.chats(each["chat"] for each in batch)
    brought = brought_here(chats.values())
    ended = [
        Ended(chats[each["chat"]], each["kind"], each["state"], each["finished_at"], each["columns"])
        for each in batch
        if chats.get(each["chat"]) in brought
    ]
    work.restore(profile_id=context.profile_id, ended=ended)
    return Counter()


def _events(context: Context, batch: Sequence[Parsed]) -> Counter[str]:
    """The log of another place stays in the file, but for this: a summary that was deleted is not written again."""
    gone = {
        context.mask.swap(each["conversation"])
        for each in batch
        if each["event_type"] == Event.EPISODE_DELETED and each["conversation"] and each["why"] != "rebuilt"
    }
    if gone and not context.dry_run:
        episodes.keep_deleted(profile_id=context.profile_id, conversation_ids=gone, actor=context.actor)
    return Counter()


WRITERS: dict[Kind, Callable[[Context, Sequence[Parsed]], Counter[str]]] = {
    Kind.SPACE: _spaces,
    Kind.ALIAS: _aliases,
    Kind.CONVERSATION: _conversations,
    Kind.CHAT: told_before.write,
    Kind.DOCUMENT: _documents,
    Kind.OFF_RECORD: _off_record,
    Kind.FACT: _facts,
    Kind.TOMBSTONE: _tombstones,
    Kind.EPISODE: _episodes,
    Kind.WORK: _work,
    Kind.EVENT: _events,
}
