"""Imports: a file is looked through whole, and then written in batches that each commit.

Broken off anywhere, the same file again goes on: what is there already is known by its ids, times and values.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction

from memory import audit, facts, files, imports, profiles, spaces
from memory.db import profile_scope
from memory.errors import BeingErased, CaesarError, InvalidInput, NotFound
from memory.models import Event, Import, Profile, Space
from memory.models.fields import new_id
from memory.portable import restoring, sources, taking_chats, taking_facts
from memory.portable.found import Conversation, FoundFact, Skipped
from memory.portable.sources import Source

MOST_NAMED = 20  # records that could not be taken are named one by one so far
TAKEN, GONE = "23505", "23503"  # a unique value; what a row belongs to
BROKE_OFF = "It broke off inside; the server's log says why. The same file again goes on."
ID_TAKEN = "The file holds an id that cannot be used here: it was changed since it was made."
Progress = Callable[[int, int], None]


@dataclass
class Report:
    """What an import did; with `dry_run`, what it would do."""

    format: str
    dry_run: bool
    total: int = 0
    id: uuid.UUID | None = None
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    unused: int = 0

    def add(self, counted: Counter[str]) -> None:
        """Counts are named "messages new", "facts known"."""
        for name, count in counted.items():
            kind, _, became = name.partition(" ")
            if count:
                into = self.counts.setdefault(kind, {})
                into[became] = into.get(became, 0) + count

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "id": str(self.id) if self.id else None,
            "format": self.format,
            "dry_run": self.dry_run,
            "records": self.total,
            "counts": self.counts,
            "unused": self.unused,
            "skipped": [{"where": one.where, "why": one.why} for one in self.skipped],
        }

    def skip(self, one: Skipped) -> None:
        self.unused += 1
        if len(self.skipped) < MOST_NAMED:
            self.skipped.append(one)


def run(
    *,
    profile_id: uuid.UUID,
    path: Path,
    name: str = "",
    dry_run: bool = False,
    settings: bool = False,
    actor: str = "person",
    progress: Progress = lambda done, total: None,
) -> Report:
    """Import a file into a profile. `progress` hears after each batch how many records of how many are done.

    `settings`: take over the profile's settings of an export, too. Raises InvalidInput for a file that cannot be
    read or was damaged, and nothing is written then; BeingErased.
    """
    with profile_scope(profile_id):
        _default_space(profile_id)
    folder = files.folder_of(profile_id) / "imports"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with sources.opened(path, folder=folder) as source:
        report = Report(source.format, dry_run)
        job: Any = restoring.Restoring(source.path, folder) if source.is_own else _Taking(source)
        report.total = job.check()
        row = Import(id=new_id(), profile_id=profile_id, format=source.format, name=_named(name))
        if not dry_run:
            row = imports.begin(
                profile_id=profile_id, kind=source.format, name=row.name, digest=_digest(path), total=report.total
            )
            report.id = row.id
        try:
            _work_off(job, row, report, actor, progress)
            if settings and source.is_own and not dry_run:
                profiles.update(profile_id=profile_id, changes=job.settings, actor=actor)
        except Exception as error:
            told = _told(error)
            if not dry_run:
                _fail(row, str(told) if isinstance(told, CaesarError) else BROKE_OFF)
            if told is error:
                raise
            raise told from None
    if not dry_run:
        _finish(row, report, actor)
    return report


def _told(error: Exception) -> Exception:
    """The error as the person hears of it."""
    state = getattr(error.__cause__, "sqlstate", None) if isinstance(error, IntegrityError) else None
    if state == TAKEN:
        return InvalidInput(ID_TAKEN)
    return BeingErased() if state == GONE else error


def _work_off(job: Any, row: Import, report: Report, actor: str, progress: Progress) -> None:
    done = 0
    with closing(job.steps(row, actor, report.dry_run)) as steps:
        for step in steps:
            with profile_scope(row.profile_id):
                imports.lock(row.profile_id)
                _default_space(row.profile_id)
                counted, skipped, records = step()
                report.add(counted)
                for one in skipped:
                    report.skip(one)
                done += records
                if report.dry_run:
                    transaction.set_rollback(True)
                else:
                    imports.note(row, done=done, counts=report.counts)
            progress(done, report.total)


def _default_space(profile_id: uuid.UUID) -> Space:
    """Raises BeingErased."""
    space = profiles.space(profile_id=profile_id, slug=None)
    if space.profile.erasing_at is not None:
        raise BeingErased
    return space


def _finish(row: Import, report: Report, actor: str) -> None:
    payload: dict[str, Any] = {"import_id": str(row.id), "format": row.format, "name": row.name, "done": True}
    payload |= {"rows": {kind: of.get("new", 0) for kind, of in report.counts.items()}, "counts": report.counts}
    with profile_scope(row.profile_id):
        audit.record(audit.Entry(Event.IMPORTED, row.profile_id, payload, actor))
        imports.end(row)


def _fail(row: Import, error: str) -> None:
    with profile_scope(row.profile_id):
        if Profile.objects.filter(id=row.profile_id).exists():  # else it was erased meanwhile
            imports.end(row, error=error)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _named(name: str) -> str:
    return audit.storable_text(os.path.basename(name.replace("\\", "/")))[:200]


Step = Callable[[], tuple[Counter[str], list[Skipped], int]]


class _Taking:
    """The steps of an import from another product's file."""

    settings: dict[str, Any] = {}

    def __init__(self, source: Source) -> None:
        self._source = source

    def check(self) -> int:
        """How many records there are. Raises InvalidInput where the file cannot be read to its end."""
        records = sum(1 for _ in self._source.records())
        if not records:
            raise InvalidInput("There is nothing in the file.")
        return records

    def steps(self, row: Import, actor: str, dry_run: bool) -> Iterator[Step]:
        chats = taking_chats.Chats(row, dry_run=dry_run)
        over: list[facts.Ended] = []
        where: dict[str, uuid.UUID] = {}
        for batch, records in _batches(self._source.records()):
            yield partial(self._step, row, chats, batch, records, where, over, actor)
        if over:
            yield partial(self._end, row, over, actor)

    def _step(
        self,
        row: Import,
        chats: taking_chats.Chats,
        batch: list[Any],
        records: int,
        where: dict[str, uuid.UUID],
        over: list[facts.Ended],
        actor: str,
    ) -> tuple[Counter[str], list[Skipped], int]:
        space = _default_space(row.profile_id)
        counted: Counter[str] = Counter()
        threads = [each for each in batch if isinstance(each, Conversation)]
        found = [each for each in batch if isinstance(each, FoundFact)]
        if threads:
            counted += chats.take(threads, space)
        if found:
            facts.lock(row.profile_id)
            _make_spaces(row.profile_id, {each.space for each in found if each.space}, where, actor)
            taken = taking_facts.take(row, found, where=space, spaces=where, actor=actor)
            counted += Counter({f"facts {name}": count for name, count in taken.counts.items()})
            over += taken.over
        return counted, [each for each in batch if isinstance(each, Skipped)], records

    def _end(self, row: Import, over: list[facts.Ended], actor: str) -> tuple[Counter[str], list[Skipped], int]:
        facts.lock(row.profile_id)
        closed = facts.end(profile_id=row.profile_id, values=over, actor=actor)
        return Counter({"facts closed": closed}), [], 0


def _make_spaces(profile_id: uuid.UUID, wanted: Iterable[str], where: dict[str, uuid.UUID], actor: str) -> None:
    """Spaces by the names that the file gives them; those that are missing are made."""
    for slug in sorted(set(wanted) - set(where)):
        try:
            found = profiles.space(profile_id=profile_id, slug=slug)
        except NotFound:
            found = spaces.create_space(profile_id=profile_id, fields={"slug": slug}, actor=actor)
        where[slug] = found.id


def _batches(records: Iterable[Any]) -> Iterator[tuple[list[Any], int]]:
    """Records (of conversations, pieces of them) that are written together, with how many records end there."""
    batch: list[Any] = []
    keys: set[str] = set()
    size = ended = 0
    for record in records:
        for piece in taking_chats.parts(record) if isinstance(record, Conversation) else [record]:
            weight = len(piece.messages) if isinstance(piece, Conversation) else 4
            key = piece.key if isinstance(piece, FoundFact) else None
            if batch and (size + weight > taking_chats.MOST_MESSAGES or key in keys):
                yield batch, ended
                batch, keys, size, ended = [], set(), 0, 0
            batch.append(piece)
            size += weight
            if key is not None:
                keys.add(key)
        ended += 1
    if batch or ended:
        yield batch, ended
