"""Every page of the dashboard, by the kind of thing that it is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.db import profile_scope
from memory.documents import adding
from memory.models import AuditLog, Document, Entity, EpisodeSummary, Event, Fact, FactState

# {name}: the id of a thing, or the slug of a space, that the page is about.
PAGES = (
    "/dashboard/facts",
    "/dashboard/facts?group=key",
    "/dashboard/facts?group=entity&sort=confirmed",
    "/dashboard/facts?q=e&sort=confidence",
    "/dashboard/facts?category=fact&space=*&source=authored",
    "/dashboard/facts?status=past",
    "/dashboard/facts?status=deleted",
    "/dashboard/facts?entity={entity}",
    "/dashboard/facts?page=2",
    "/dashboard/facts/add",
    "/dashboard/facts/{fact}",
    "/dashboard/facts/{fact}/delete",
    "/dashboard/facts/{fact}/history",
    "/dashboard/review",
    "/dashboard/review?page=2",
    "/dashboard/entities",
    "/dashboard/entities?q=e&kind=pet",
    "/dashboard/entities/{entity}",
    "/dashboard/episodes",
    "/dashboard/episodes?q=e&space=general",
    "/dashboard/episodes/{episode}",
    "/dashboard/episodes/{episode}/delete",
    "/dashboard/documents",
    "/dashboard/documents/{document}",
    "/dashboard/documents/{document}/delete",
    "/dashboard/context",
    "/dashboard/chat",
    "/dashboard/chat/given/{chat}",
    "/dashboard/people",
    "/dashboard/people/{profile}/spaces/{space}/remove",
    "/dashboard/workers",
    "/dashboard/workers?state=done",
    "/dashboard/workers?state=waiting",
    "/dashboard/settings",
    "/dashboard/settings/password",
    "/dashboard/settings/import",
    "/dashboard/settings/erase",
    "/dashboard/audit",
    "/dashboard/audit?kind=facts",
    "/dashboard/audit?kind=refused&since=2026-01-01",
    "/dashboard/audit/{chat}",
    "/dashboard/audit/{chat}/json",
)
# What is there for forms alone.
FORMS = (
    "/dashboard/profile",
    "/dashboard/facts/bulk",
    "/dashboard/facts/{fact}/undelete",
    "/dashboard/facts/{fact}/revert",
    "/dashboard/review/{fact}",
    "/dashboard/people/{profile}",
    "/dashboard/people/{profile}/spaces",
    "/dashboard/workers/retry",
    "/dashboard/workers/retry/everybody",
    "/dashboard/workers/{item}/retry",
    "/dashboard/settings/export",
    "/dashboard/settings/import/{key}",
    "/dashboard/settings/keys",
    "/dashboard/settings/keys/{key}/revoke",
    "/dashboard/settings/models/{task}",
)


def things(profile_id: Any) -> dict[str, Any]:
    """One of each kind that the profile has; a document is given where there is none."""
    with profile_scope(profile_id):
        fact = Fact.objects.filter(state=FactState.CURRENT).order_by("first_seen_at", "id").first()
        entity = Entity.objects.order_by("created_at", "id").first()
        episode = EpisodeSummary.objects.order_by("-recall_count", "id").first()
        chat = AuditLog.objects.filter(event_type=Event.CHAT_COMPLETED).order_by("-id").first()
        document = Document.objects.order_by("id").first()
    if document is None:
        document = adding.add(profile_id=profile_id, name="brief.txt", data=b"I have a boat.").document
    assert fact
    assert entity
    assert episode
    assert chat
    found = {"fact": fact, "entity": entity, "episode": episode, "chat": chat, "document": document}
    return {"profile": profile_id, "space": "work", **{name: row.id for name, row in found.items()}}


def of(named: Mapping[str, Any]) -> dict[str, str]:
    """The address of each page, about these things."""
    return {path: path.format(**named) for path in PAGES}
