"""The steps of an import from another product's file: chats and facts, in the order in which they stand."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from functools import partial
from typing import Any

from memory import facts, profiles, spaces
from memory.errors import InvalidInput, NotFound
from memory.models import Import
from memory.portable import taking_chats, taking_facts
from memory.portable.found import Conversation, FoundFact, Skipped
from memory.portable.sources import Source
from memory.portable.steps import Step, Taken, default_space


class Taking:
    """One file of another product."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def check(self) -> int:
        """How many records there are. Raises InvalidInput where the file cannot be read to its end."""
        records = sum(1 for _ in self._source.records())
        if not records:
            raise InvalidInput("There is nothing in the file.")
        return records

    def steps(self, row: Import, actor: str, dry_run: bool) -> Generator[Step, None, None]:
        batches = _Batches(row, actor, dry_run)
        for batch, records in _batches(self._source.records()):
            yield partial(batches.take, batch, records)
        if batches.over:
            yield batches.end


class _Batches:
    """What the batches of one import share. `over`: values that the file says have ended, for the last step."""

    def __init__(self, row: Import, actor: str, dry_run: bool) -> None:
        self.over: list[facts.Ended] = []
        self._row, self._actor = row, actor
        self._chats = taking_chats.Chats(row, dry_run=dry_run)
        self._where: dict[str, uuid.UUID] = {}

    def take(self, batch: list[Any], records: int) -> Taken:
        profile_id = self._row.profile_id
        space = default_space(profile_id)
        counted: Counter[str] = Counter()
        threads = [each for each in batch if isinstance(each, Conversation)]
        found = [each for each in batch if isinstance(each, FoundFact)]
        if threads:
            counted += self._chats.take(threads, space)
        if found:
            facts.lock(profile_id)
            _make_spaces(profile_id, {each.space for each in found if each.space}, self._where, self._actor)
            taken = taking_facts.take(self._row, found, where=space, spaces=self._where, actor=self._actor)
            counted += Counter({f"facts {name}": count for name, count in taken.counts.items()})
            self.over += taken.over
        return counted, [each for each in batch if isinstance(each, Skipped)], records

    def end(self) -> Taken:
        facts.lock(self._row.profile_id)
        closed = facts.end(profile_id=self._row.profile_id, values=self.over, actor=self._actor)
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
