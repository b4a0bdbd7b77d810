"""What was discussed: the summaries of conversations, and one with its chats and where it was recalled."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.filters import MAX_QUERY, spaces_to_talk_in
from dashboard.pages import page, see_other
from dashboard.person import Person, own_page
from dashboard.recalled_shown import named
from dashboard.telling import told
from memory import episode_selectors, episodes, profile_selectors
from memory.db import profile_scope
from memory.domain.text import clean
from memory.errors import NotFound
from memory.models import AuditLog, EpisodeSummary

PAGE_SIZE = 50
MOST_ROWS = 50
LIST = reverse_lazy("dashboard:episodes")
DETAILS = {
    "decisions": gettext_lazy("Decided"),
    "open_questions": gettext_lazy("Still open"),
    "people": gettext_lazy("People"),
}


@require_safe
@own_page
def listed(request: HttpRequest, person: Person) -> HttpResponse:
    profile_id = person.profile.id
    q = clean(request.GET.get("q", ""))[:MAX_QUERY].strip()
    space = clean(request.GET.get("space", ""))[:MAX_QUERY]
    spaces = spaces_to_talk_in(profile_selectors.spaces(profile_id=profile_id))
    with profile_scope(profile_id):
        rows = episode_selectors.listed(profile_id=profile_id, space=space or None, q=q or None)
        there: Page[EpisodeSummary] = Paginator(rows.order_by("-said_at", "-id"), PAGE_SIZE).get_page(
            request.GET.get("page")
        )
        shown = [{"episode": row, "details": _details(row)} for row in there]
    context = {"page": there, "rows": shown, "q": q, "space": space, "spaces": spaces}
    return page(request, person, "episodes.html", context, name="episodes")


@require_safe
@own_page
def one(request: HttpRequest, person: Person, episode_id: uuid.UUID) -> HttpResponse:
    episode = _found(person, episode_id)
    with profile_scope(person.profile.id):
        recalls = episode_selectors.recalls(episode=episode, most=MOST_ROWS)
        chats = episode_selectors.chats_of(episode=episode, most=MOST_ROWS)
    context = {
        "episode": episode,
        "details": _details(episode),
        "recalls": [_recall(row) for row in recalls],
        "chats": [{"row": row, "told": told(row)} for row in chats],
    }
    return page(request, person, "episode.html", context, name="episodes")


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def delete(request: HttpRequest, person: Person, episode_id: uuid.UUID) -> HttpResponse:
    """Asks first: unlike a fact, a summary does not come back."""
    if request.method == "POST":
        try:
            episodes.delete(profile_id=person.profile.id, episode_id=episode_id)
        except NotFound:
            raise Http404 from None
        messages.success(request, _("The summary is deleted."))
        return see_other(request, LIST)
    context = {"episode": _found(person, episode_id)}
    return page(request, person, "episode_delete.html", context, name="episodes")


def _found(person: Person, episode_id: uuid.UUID) -> EpisodeSummary:
    with profile_scope(person.profile.id):
        episode = episode_selectors.one(profile_id=person.profile.id, episode_id=episode_id)
    if episode is None:
        raise Http404
    return episode


def _details(episode: EpisodeSummary) -> list[tuple[Any, list[str]]]:
    """(what, entries) of what stands beside the summary."""
    return [
        (label, [str(entry) for entry in episode.details[name]])
        for name, label in DETAILS.items()
        if isinstance(episode.details.get(name), list) and episode.details[name]
    ]


def _recall(row: AuditLog) -> dict[str, Any]:
    score, chat = row.payload.get("score"), row.payload.get("chat_audit_id")
    return {
        "at": row.at,
        "chat": chat if isinstance(chat, int) else None,
        "score": score if isinstance(score, int | float) else None,
        "parts": named(row.payload),
    }
