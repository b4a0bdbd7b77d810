"""Imports: a file is looked through whole, and then written in batches that each commit.

Broken off anywhere, the same file again goes on: what is there already is known by its ids, times and values.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction

from memory import audit, files, imports, profiles
from memory.db import profile_scope
from memory.errors import BeingErased, CaesarError, InvalidInput
from memory.models import Event, Import, Profile
from memory.models.fields import new_id
from memory.portable import restoring, sources, taking
from memory.portable.found import Skipped
from memory.portable.steps import default_space

MOST_NAMED = 20  # records that could not be taken are named one by one so far
TAKEN, GONE = "23505", "23503"  # a unique value; what a row belongs to
BROKE_OFF = "It broke off inside; the server's log says why. The same file again goes on."
ID_TAKEN = "The file holds an id that cannot be used here: it was changed since it was made."
Progress = Callable[[int, int], None]
_Job = restoring.Restoring | taking.Taking


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
        default_space(profile_id)
    folder = files.folder_of(profile_id) / "imports"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with sources.opened(path, folder=folder) as source:
        report = Report(source.format, dry_run)
        job: _Job = restoring.Restoring(source.path, folder) if source.is_own else taking.Taking(source)
        report.total = job.check()
        row = Import(id=new_id(), profile_id=profile_id, format=source.format, name=_named(name))
        if not dry_run:
            row = imports.begin(
                profile_id=profile_id, kind=source.format, name=row.name, digest=_digest(path), total=report.total
            )
            report.id = row.id
        try:
            _work_off(job, row, report, actor, progress)
            if settings and isinstance(job, restoring.Restoring) and not dry_run:
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


def _work_off(job: _Job, row: Import, report: Report, actor: str, progress: Progress) -> None:
    done = 0
    with closing(job.steps(row, actor, report.dry_run)) as steps:
        for step in steps:
            with profile_scope(row.profile_id):
                imports.lock(row.profile_id)
                default_space(row.profile_id)
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
