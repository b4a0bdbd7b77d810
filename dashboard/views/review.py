"""What waits for the person's word: each proposal beside what it would change."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dashboard import facts_shown, reasons
from dashboard.facts_shown import Row
from dashboard.pages import MOST_SHOWN, page, piece, see_other, wants_piece
from dashboard.person import Person, own_page
from memory import facts, review_selectors
from memory.db import profile_scope
from memory.documents.selectors import Source, sources
from memory.domain.review import Effect
from memory.errors import Conflict, InvalidInput, NotFound
from memory.models import Approval, SourceKind
from memory.review_selectors import Beside

PAGE_SIZE = 20
LIST = reverse_lazy("dashboard:review")


@dataclass(frozen=True)
class Proposal:
    """A proposal as the page shows it. `error` and `typed`: an edit that could not be taken.

    `source`: where it stands, if that is in a document.
    """

    row: Row
    current: list[Row]
    beside: Beside
    reasons: list[str]
    error: str = ""
    typed: str | None = None
    source: Source | None = None

    @property
    def replaces(self) -> bool:
        return self.beside.effect is Effect.REPLACES

    @property
    def closes(self) -> bool:
        return self.row.closes

    @property
    def confirms(self) -> bool:
        return self.beside.effect is Effect.CONFIRMS

    @property
    def value(self) -> str:
        return self.row.fact.value if self.typed is None else self.typed


@require_safe
@own_page
def listed(request: HttpRequest, person: Person) -> HttpResponse:
    profile_id = person.profile.id
    with profile_scope(profile_id):
        there = Paginator(review_selectors.waiting(profile_id=profile_id), PAGE_SIZE).get_page(request.GET.get("page"))
        found = review_selectors.beside(profile_id=profile_id, proposals=list(there))
        proposals = shown(person, found)
    conflicts = [each for each in proposals if each.beside.is_conflict]
    context: dict[str, Any] = {
        "page": there,
        "parts": [
            (_("Would change what is known"), conflicts),
            (_("New"), [each for each in proposals if not each.beside.is_conflict]),
        ],
        "asks_always": person.profile.approval == Approval.REVIEW,
    }
    return page(request, person, "review.html", context, name="review")


@require_POST
@own_page
def answer(request: HttpRequest, person: Person, fact_id: uuid.UUID) -> HttpResponse:
    """approve (perhaps with another value), or reject."""
    with profile_scope(person.profile.id):
        waiting = review_selectors.one(profile_id=person.profile.id, fact_id=fact_id)
        proposal = shown(person, [waiting])[0] if waiting else None
    typed = request.POST.get("value")
    try:
        said = _answer(person, fact_id, request, typed)
    except NotFound:
        raise Http404 from None
    except (InvalidInput, Conflict) as error:
        if proposal is None or not wants_piece(request):
            messages.error(request, str(error))
            return see_other(request, LIST)
        again = replace(proposal, error=str(error), typed=typed)
        return piece(request, "_proposal.html", {"each": again, "said": str(error)}, status=error.status)
    if not wants_piece(request):
        messages.success(request, said)
        return see_other(request, LIST)
    with profile_scope(person.profile.id):
        left = review_selectors.count(profile_id=person.profile.id, most=MOST_SHOWN + 1)
    context = {"fact_id": fact_id, "did": said, "proposal": proposal, "left": left, "said": said}
    return piece(request, "_answered.html", context)


def _answer(person: Person, fact_id: uuid.UUID, request: HttpRequest, typed: str | None) -> str:
    version = int(raw) if (raw := request.POST.get("version", "")).isdigit() and len(raw) < 10 else None
    what: dict[str, Any] = {"profile_id": person.profile.id, "fact_id": fact_id, "version": version}
    if request.POST.get("answer") == "reject":
        facts.reject(**what)
        return _("Rejected.")
    if request.POST.get("answer") == "approve":
        facts.approve(**what, changes={"value": typed} if typed is not None else None)
        return _("Approved.")
    raise InvalidInput(_("Approve it or reject it."))


def shown(person: Person, waiting: Sequence[Beside]) -> list[Proposal]:
    """In as many queries for many as for one. Call inside the profile's scope."""
    pages = sources(person.profile.id, [each.proposed.source_audit_id for each in waiting if _from_document(each)])
    rows = iter(facts_shown.rows(person, [fact for each in waiting for fact in (each.proposed, *each.current)]))
    return [
        Proposal(
            next(rows),
            [next(rows) for _ in each.current],
            each,
            reasons.in_words(each.proposed.reasons),
            source=pages.get(each.proposed.source_audit_id),
        )
        for each in waiting
    ]


def _from_document(each: Beside) -> bool:
    return each.proposed.source_kind == SourceKind.DOCUMENT
