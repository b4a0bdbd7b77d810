"""Exports: a profile's memory as a file, and the row of the log that says so."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from memory import audit, files
from memory.db import moment_scope, now, profile_scope
from memory.errors import BeingErased, InvalidInput, NotFound
from memory.models import Event, Profile
from memory.portable import jsonl, markdown, table

Writer = Callable[..., Counter[str]]


class Form(StrEnum):
    """What an export looks like."""

    JSONL = "jsonl"  # everything, to be imported again
    MARKDOWN = "markdown"  # facts and summaries, for people
    CSV = "csv"  # facts, for spreadsheets


WRITERS: dict[Form, Writer] = {Form.JSONL: jsonl.write, Form.MARKDOWN: markdown.write, Form.CSV: table.write}
ENDINGS = {Form.JSONL: "jsonl", Form.MARKDOWN: "md", Form.CSV: "csv"}
TYPES = {
    Form.JSONL: "application/x-ndjson",
    Form.MARKDOWN: "text/markdown; charset=utf-8",
    Form.CSV: "text/csv; charset=utf-8",
}


def export(*, profile_id: uuid.UUID, form: Form, out: BinaryIO, actor: str = "person") -> Counter[str]:
    """Write the export, as of one moment. Returns how many rows of each kind. Raises NotFound; BeingErased."""
    with moment_scope(profile_id):
        profile = Profile.objects.filter(id=profile_id).first()
        if profile is None:
            raise NotFound("There is no such profile.")
        if profile.erasing_at is not None:
            raise BeingErased
        counts = WRITERS[form](out, profile, made_at=now())
    out.flush()
    with profile_scope(profile_id):
        audit.record(audit.Entry(Event.EXPORTED, profile_id, {"format": form.value, "rows": dict(counts)}, actor))
    return counts


def spooled(*, profile_id: uuid.UUID, form: Form, actor: str = "person") -> BinaryIO:
    """The export in a file without a name, read from its beginning: it is gone as soon as it is closed."""
    folder = _folder(profile_id)
    out: BinaryIO = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
    try:
        export(profile_id=profile_id, form=form, out=out, actor=actor)
        out.seek(0)
    except BaseException:
        out.close()
        raise
    return out


def to_file(*, profile_id: uuid.UUID, form: Form, path: Path | None, actor: str) -> tuple[Path, Counter[str]]:
    """Write the export to a file that its owner alone may read; None: beside what else is kept of the person.

    The file is there whole or not at all. Raises OSError; InvalidInput for what is no file, such as a device.
    """
    target = path.resolve() if path else _folder(profile_id) / file_name(form)
    if target.exists() and not target.is_file():
        raise InvalidInput(f"{path} is no file: name one, or - for standard output.")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            counts = export(profile_id=profile_id, form=form, out=out, actor=actor)
            os.fsync(out.fileno())
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path or target, counts


def file_name(form: Form) -> str:
    return f"caesar-{datetime.now():%Y-%m-%d-%H%M%S}.{ENDINGS[form]}"


def _folder(profile_id: uuid.UUID) -> Path:
    folder = files.folder_of(profile_id) / "exports"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
