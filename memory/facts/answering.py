"""One answer to many facts: approve, reject or delete them in one transaction, or see what that would do."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction

from memory import sensitive
from memory.db import profile_scope
from memory.errors import Conflict, InvalidInput, NotFound
from memory.facts import deleting, rows
from memory.facts.locking import lock
from memory.facts.reviewing import Answered, accept, refuse
from memory.models import Fact, FactState
from memory.sensitive import SensitiveRefused

MOST_AT_ONCE = 500


@dataclass(frozen=True)
class Line:
    """What one of many did, or would do. `did` is skipped where it could not be done; `why` says it."""

    id: uuid.UUID
    did: str
    key: str | None = None
    value: str = ""
    replaces: tuple[tuple[uuid.UUID, str], ...] = ()
    why: str = ""


@dataclass(frozen=True)
class Bulk:
    """What an answer to many did; with `dry_run` nothing was done."""

    lines: tuple[Line, ...]
    dry_run: bool

    @property
    def counts(self) -> dict[str, int]:
        return dict(Counter(line.did for line in self.lines))


def approve_many(
    *, profile_id: uuid.UUID, ids: Sequence[uuid.UUID], dry_run: bool = False, actor: str = "person"
) -> Bulk:
    """Approve proposals in the order in which they were said, so that the last word on a key stands."""

    def one(fact: Fact) -> Answered:
        if fact.state == FactState.PENDING:
            sensitive.check_again(fact, actor=actor)
        return accept(profile_id, fact.id, actor=actor)

    return _each(profile_id, ids, dry_run, one)


def reject_many(
    *, profile_id: uuid.UUID, ids: Sequence[uuid.UUID], dry_run: bool = False, actor: str = "person"
) -> Bulk:
    """Turn proposals down."""
    return _each(profile_id, ids, dry_run, lambda fact: refuse(profile_id, fact.id, actor=actor))


def delete_many(
    *, profile_id: uuid.UUID, ids: Sequence[uuid.UUID], dry_run: bool = False, actor: str = "person"
) -> Bulk:
    """Delete facts and proposals."""

    def one(fact: Fact) -> Answered:
        gone = deleting.remove(rows.locked(profile_id, fact.id), actor=actor)
        return Answered(fact, "deleted", tuple(row for row in gone if row.id != fact.id))

    return _each(profile_id, ids, dry_run, one)


def _each(profile_id: uuid.UUID, ids: Sequence[uuid.UUID], dry_run: bool, act: Callable[[Fact], Answered]) -> Bulk:
    if not ids or len(ids) > MOST_AT_ONCE:
        raise InvalidInput(f"ids names 1 to {MOST_AT_ONCE} facts.")
    with profile_scope(profile_id):
        lock(profile_id)
        found = Fact.objects.select_related("profile").filter(profile_id=profile_id, id__in=set(ids))
        found = found.order_by("said_at", "id")
        lines = {fact.id: _line(fact, act) for fact in found}
        if dry_run:
            transaction.set_rollback(True)
    missing = [Line(fact_id, "skipped", why="There is no such fact.") for fact_id in dict.fromkeys(ids)]
    return Bulk(tuple(lines.get(line.id, line) for line in missing), dry_run)


def _line(fact: Fact, act: Callable[[Fact], Answered]) -> Line:
    try:
        done = act(fact)
    except (Conflict, NotFound, SensitiveRefused) as error:
        # A deleted fact is nobody's: neither its key nor its value is told.
        shown = (None, "") if isinstance(error, NotFound) else (fact.key, fact.value)
        return Line(fact.id, "skipped", *shown, why=str(error))
    replaces = tuple((row.id, row.value) for row in done.old if row.id != fact.id)
    return Line(fact.id, done.did, fact.key, fact.value, replaces)
