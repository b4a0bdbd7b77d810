"""The steps of an import of our own export: kind after kind, in batches, each row once.

What the file says of whose rows these are counts for nothing: they become rows of the profile that imports them.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from memory import facts, imports
from memory.db import now, profile_scope
from memory.models import Import
from memory.portable import lines
from memory.portable.fields import Fields
from memory.portable.ids import Mask
from memory.portable.kinds import READ_ONLY, Kind
from memory.portable.places import Places
from memory.portable.records import SETTINGS
from memory.portable.rows import Batch, Context, check, write
from memory.portable.scratch import scratch
from memory.portable.steps import Step, Taken

AT_ONCE = 200
CHATS_AT_ONCE = 50  # each may be long
LINKS_AT_ONCE = 500


class Restoring:
    """One file of ours."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._path, self._folder = path, folder
        self._header: dict[str, Any] = {}

    @property
    def settings(self) -> dict[str, Any]:
        """The profile's settings, as the file has them."""
        profile = self._header.get("profile")
        return {name: profile[name] for name in SETTINGS if name in profile} if isinstance(profile, dict) else {}

    def check(self) -> int:
        """How many records there are. Raises InvalidInput where the file is damaged or one of them is not valid."""
        self._header, total = lines.check(self._path)
        at = now()
        for number, _, record in lines.read(self._path):
            if record["kind"] not in (Kind.HEADER, Kind.END):
                check(Kind(record["kind"]), Fields(record, number, at))
        return total

    def steps(self, row: Import, actor: str, dry_run: bool) -> Generator[Step, None, None]:
        with scratch(self._folder, "places") as (path, _), closing(Places(path)) as places:
            with profile_scope(row.profile_id):
                mask = Mask(row.profile_id)
            context = Context(row, mask, places, actor, dry_run, self._header.get("installation"))
            for kind, batch in self._batches():
                yield partial(_write, context, kind, batch)
            if not dry_run:
                for found in places.successors(LINKS_AT_ONCE):
                    yield partial(_link, row, found)
                yield partial(_let_be_read, row)

    def _batches(self) -> Iterator[tuple[Kind, Batch]]:
        at = now()
        wanted = ((Kind(record["kind"]), Fields(record, number, at)) for number, _, record in lines.read(self._path))
        for kind, group in itertools.groupby(wanted, key=lambda each: each[0]):
            if kind in (Kind.HEADER, Kind.END):
                continue
            size = CHATS_AT_ONCE if kind is Kind.CHAT else AT_ONCE
            while batch := [fields for _, fields in itertools.islice(group, size)]:
                yield kind, batch


def _write(context: Context, kind: Kind, batch: Batch) -> Taken:
    counts: Counter[str] = Counter() if kind in READ_ONLY else write(context, kind, batch)
    return counts, [], len(batch)


def _link(row: Import, found: Any) -> Taken:
    facts.lock(row.profile_id)
    facts.link(profile_id=row.profile_id, successors=found)
    return Counter(), [], 0


def _let_be_read(row: Import) -> Taken:
    """What nobody had read there is read here, where it may be."""
    imports.let_be_read(row)
    return Counter(), [], 0
