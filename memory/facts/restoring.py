"""Facts of an export come back: as they were, as far as what is here, and what was answered here, lets them.

What has been deleted or rejected here stays so, a person's own word is not replaced, the last word on a key holds,
and what is sensitive or reads like an order does not come in by this door either.
"""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory import audit, bulk, entities, hashing, key_aliases, sensitive
from memory.db import now
from memory.domain.instructions import instruction_like
from memory.domain.judge import REVIEW
from memory.domain.keys import canonical
from memory.domain.sensitive import Handling, SensitiveClass
from memory.domain.types import Cardinality, Op, Proposal
from memory.facts import rows
from memory.models import Event, Fact, FactSource, FactState, Profile, Tombstone, TombstoneKind
from memory.models.fields import new_id

Slot = tuple[uuid.UUID | None, str | None]
HISTORY = (FactState.SUPERSEDED, FactState.RETRACTED, FactState.REJECTED)


@dataclass
class Restored:
    """What became of the rows: `places` says under which id what each says stands here now."""

    counts: Counter[str] = field(default_factory=Counter)
    places: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    made: list[Fact] = field(default_factory=list)


@dataclass(frozen=True)
class About:
    """What rows of an export hang on there, and what that is here, as far as it is known by now."""

    there: Mapping[uuid.UUID, uuid.UUID]  # fact -> entity
    here: dict[uuid.UUID, uuid.UUID]  # entity there -> entity here


def restore(
    *,
    profile: Profile,
    wanted: Sequence[Fact],
    sources: Mapping[uuid.UUID, Sequence[int]],
    about: About,
    actor: str,
) -> Restored:
    """Write those of the rows (not saved yet) that are not here. Call inside the profile's scope, under `lock`."""
    done = Restored()
    aliases = key_aliases.active(profile.id)
    for row in wanted:
        row.key = row.key and (canonical(row.key, aliases) or row.key)
    there = set()
    found = Fact.objects.filter(id__in=[row.id for row in wanted]).values_list("id", "state", "entity_id")
    for fact_id, state, entity_id in found:
        there.add(fact_id)
        if entity_id and fact_id in about.there:
            about.here.setdefault(about.there[fact_id], entity_id)
        done.places[fact_id] = fact_id
        done.counts["deleted or rejected before" if state == FactState.DELETED else "known"] += 1
    fresh = [row for row in wanted if row.id not in there]
    if fresh:
        _Bringing(profile, fresh, done, about, actor).all()
        evidence = [
            FactSource(profile_id=profile.id, fact_id=row.id, audit_id=audit_id)
            for row in done.made
            for audit_id in sources.get(row.id, ())
        ]
        bulk.run(bulk.inserts(evidence, skip_known=True))
    return done


class _Bringing:
    """One batch. Remembers what holds of each key, so that rows of the same batch meet each other."""

    def __init__(self, profile: Profile, fresh: Sequence[Fact], done: Restored, about: About, actor: str) -> None:
        self._profile, self._fresh, self._done, self._about, self._actor = profile, fresh, done, about, actor
        self._policy = sensitive.policy_of(profile)
        self._refused: set[SensitiveClass] = set()
        self._now = now()
        self._closed: list[tuple[Fact, Fact]] = []
        self._answers = self._answered()
        self._held: dict[Slot, list[Fact]] = defaultdict(list)
        for fact in self._standing():
            self._held[self._slot(fact)].append(fact)

    def all(self) -> None:
        for row in sorted(self._fresh, key=lambda row: (row.said_at, row.id)):
            if self._may_come(row):
                self._place(row)
        if self._refused:
            audit.record(sensitive.refusal(self._profile.id, self._refused, actor=self._actor))
        self._write()

    def _standing(self) -> Iterable[Fact]:
        about = Fact.objects.filter(profile_id=self._profile.id, state__in=[FactState.CURRENT, FactState.PENDING])
        keyed = about.filter(key__in={row.key for row in self._fresh if row.key})
        loose = about.filter(key__isnull=True, value_norm__in={r.value_norm for r in self._fresh if r.key is None})
        return (keyed | loose).exclude(op=Op.RETRACT.value).order_by("id").select_for_update()

    def _answered(self) -> dict[bytes, dict[str, datetime]]:
        """What the person has answered to these values, by their hashes."""
        self._alike = key_aliases.alike(self._profile.id)
        wanted = {digest for row in self._fresh for digest in (*self._exact(row), self._loose(row)) if digest}
        found: dict[bytes, dict[str, datetime]] = defaultdict(dict)
        answers = Tombstone.objects.filter(profile_id=self._profile.id, digest__in=list(wanted))
        for digest, kind, at in answers.values_list("digest", "kind", "at"):
            found[bytes(digest)][kind] = at
        return found

    def _exact(self, row: Fact) -> list[bytes]:
        closing = row.op == Op.RETRACT
        keys = self._alike.get(row.key or "", (row.key,))
        return [hashing.value_digest(key, row.value_norm, closing=closing) for key in keys]

    @staticmethod
    def _loose(row: Fact) -> bytes | None:
        return None if row.op == Op.RETRACT else hashing.anywhere_digest(row.value_norm)

    def _may_come(self, row: Fact) -> bool:
        """False where it was answered before, or is never kept. What is doubtful waits for the person."""
        exact = [answer for digest in self._exact(row) if (answer := self._answers.get(digest))]
        deleted = any(answer.get(TombstoneKind.DELETED, row.said_at) > row.said_at for answer in exact)
        rejected = any(TombstoneKind.REJECTED in answer for answer in exact)
        if deleted or (rejected and row.state in (FactState.CURRENT, FactState.PENDING)):
            self._done.counts["deleted or rejected before"] += 1
            return False
        mark = sensitive.judge(Proposal(row.value, row.key), self._policy, quote=row.quote)
        if mark.handling is Handling.NEVER:
            self._refused |= set(mark.classes)
            self._done.counts["refused as sensitive"] += 1
            return False
        row.quote = sensitive.quotable(row.quote, self._policy)
        row.sensitive = bool(mark.classes)
        if row.state == FactState.CURRENT:
            reasons = list(self._doubts(row, mark))
            if reasons:
                row.state, row.reasons, row.pinned = FactState.PENDING, reasons, False
        return True

    def _doubts(self, row: Fact, mark: sensitive.Judgement) -> Iterable[str]:
        if self._profile.approval == REVIEW:
            yield REVIEW
        loose = self._answers.get(self._loose(row) or b"", {})
        if loose.get(TombstoneKind.DELETED, row.said_at) > row.said_at:
            yield "deleted_before"
        if instruction_like(row.value, row.key):
            yield "instruction_like"
        if mark.handling is Handling.REVIEW:
            yield from (f"sensitive:{cls.value}" for cls in mark.classes)

    def _place(self, row: Fact) -> None:
        """Let it meet what stands here already."""
        slot = self._slot(row)
        if row.op == Op.RETRACT or row.state in HISTORY:
            self._make(row, "history")
            return
        same = next((one for one in self._held[slot] if one.value_norm == row.value_norm), None)
        if same is not None:  # what waits here goes on waiting
            self._done.places[row.id] = same.id
            self._done.counts["known"] += 1
            return
        if row.state == FactState.CURRENT:
            self._settle(row, [one for one in self._held[slot] if one.state == FactState.CURRENT])
        if row.state in (FactState.CURRENT, FactState.PENDING):
            self._held[slot].append(row)
        became = {FactState.CURRENT: "new", FactState.PENDING: "waiting"}
        self._make(row, became.get(FactState(row.state), "history"))

    def _settle(self, row: Fact, held: Sequence[Fact]) -> None:
        """Of a key with one value the last word holds, unless the person's own stands against it."""
        if any(one.cardinality == Cardinality.MANY for one in held):
            row.cardinality = Cardinality.MANY.value
        rivals = held if row.cardinality == Cardinality.ONE and row.key is not None else []
        for rival in rivals:
            if row.said_at <= rival.said_at:
                since = rival.first_seen_at if rival.first_seen_at > row.said_at else rival.said_at
                row.state, row.valid_to, row.superseded_by_id = FactState.SUPERSEDED, since, rival.id
                return
        if any(rival.pinned for rival in rivals):
            row.state, row.reasons, row.pinned = FactState.PENDING, ["against_pinned"], False
            return
        for rival in rivals:
            self._closed.append((rival, row))
            self._held[self._slot(row)].remove(rival)
            rival.state, rival.valid_to, rival.superseded_by_id = FactState.SUPERSEDED, row.said_at, row.id

    @staticmethod
    def _slot(row: Fact) -> Slot:
        return row.space_id, row.key

    def _make(self, row: Fact, became: str) -> None:
        if row.state in (FactState.CURRENT, FactState.PENDING):
            row.valid_to = row.superseded_by_id = None
        self._done.made.append(row)
        self._done.places[row.id] = row.id
        self._done.counts[became] += 1

    def _write(self) -> None:
        """Close before insert, so that there is never a second current value."""
        mine = {row.id for row in self._done.made}
        told: list[audit.Entry] = []
        for rival, row in self._closed:
            if rival.id not in mine:
                rows.close([rival], state=FactState.SUPERSEDED, at=row.said_at, by=row.id)
                told.append(_replaced(rival, row, self._actor))
        self._hang()
        bulk.run(bulk.inserts(self._done.made))
        audit.record_many(told)

    def _hang(self) -> None:
        """What hung on one thing there does so here: it may have been renamed since."""
        about = self._about
        first: dict[uuid.UUID | None, Fact] = {}
        for row in sorted(self._done.made, key=lambda row: row.state != FactState.CURRENT):
            there = about.there.get(row.id)
            if there is None or there not in about.here:
                first.setdefault(there or row.id, row)
        entities.place(profile_id=self._profile.id, facts=list(first.values()))
        for there, row in first.items():
            if there is not None and there != row.id and row.entity_id:
                about.here[there] = row.entity_id
        placed = {row.id for row in first.values()}
        rest = [row for row in self._done.made if row.id not in placed]
        for row in rest:
            row.entity_id = about.here.get(about.there.get(row.id, row.id))
        entities.place(profile_id=self._profile.id, facts=rest)


def _replaced(old: Fact, new: Fact, actor: str) -> audit.Entry:
    payload: dict[str, Any] = {"fact_id": str(new.id), "key": new.key, "value": new.value, "imported": True}
    payload["old"] = rows.mentioned([old])
    return audit.Entry(Event.FACT_UPDATED, new.profile_id, payload, actor, space_id=new.space_id)


def link(*, profile_id: uuid.UUID, successors: Mapping[uuid.UUID, uuid.UUID]) -> None:
    """Say of facts that were restored as history what took their place. Call inside the scope, under `lock`."""
    there = set(Fact.objects.filter(profile_id=profile_id, id__in=successors.values()).values_list("id", flat=True))
    past = Fact.objects.filter(profile_id=profile_id, id__in=successors, state__in=HISTORY, superseded_by__isnull=True)
    found = [row for row in past.order_by("id") if successors[row.id] in there and successors[row.id] != row.id]
    for row in found:
        row.superseded_by_id = successors[row.id]
    bulk.update(found, ("superseded_by",))


def remember(*, profile_id: uuid.UUID, answers: Iterable[tuple[bytes, TombstoneKind, datetime]]) -> None:
    """What the person has answered, as the hashes of this installation. Call inside the profile's scope."""
    latest: dict[tuple[bytes, str], datetime] = {}
    for digest, kind, at in answers:
        latest[digest, kind.value] = max(at, latest.get((digest, kind.value), at))
    if not latest:
        return
    bulk.run(
        bulk.Part(
            "INSERT INTO tombstones (id, profile_id, digest, kind, at)"
            " SELECT t.id, %s, t.digest, t.kind, t.at"
            " FROM unnest(%s::uuid[], %s::bytea[], %s::text[], %s::timestamptz[]) AS t (id, digest, kind, at)"
            " ORDER BY t.digest, t.kind"
            " ON CONFLICT (profile_id, digest, kind) DO UPDATE SET at = greatest(tombstones.at, excluded.at)",
            (
                profile_id,
                [new_id() for _ in latest],
                [digest for digest, _ in latest],
                [kind for _, kind in latest],
                list(latest.values()),
            ),
        )
    )
