"""What people do with documents in these tests."""

from __future__ import annotations

from typing import Any

from memory.db import profile_scope
from memory.documents import adding, selectors
from memory.documents.adding import Added
from memory.models import Document, Fact
from tests.memory.documents import made
from tests.people import Person


def give(who: Person, name: str = "cv.pdf", data: bytes | None = None, **more: Any) -> Added:
    return adding.add(profile_id=who.profile_id, name=name, data=made.pdf(*made.CV) if data is None else data, **more)


def progress(who: Person, document: Document) -> selectors.Progress:
    with profile_scope(who.profile_id):
        return selectors.progress([document])[document.id]


def taught(who: Person, document: Document) -> list[tuple[str | None, str, str, int | None]]:
    """(key, value, state, page) of each fact."""
    with profile_scope(who.profile_id):
        return [(one.fact.key, one.fact.value, one.fact.state, one.page) for one in selectors.taught(document)]


def facts(who: Person, **wanted: Any) -> list[Fact]:
    with profile_scope(who.profile_id):
        return list(Fact.objects.filter(**wanted).order_by("id"))
