"""Documents: give some to be read, see how far each is, answer what it proposes, delete it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_safe

from dashboard import facts_shown
from dashboard.facts_shown import Row
from dashboard.filters import spaces_to_talk_in
from dashboard.pages import page, see_other
from dashboard.person import Person, own_page
from dashboard.views.review import shown
from memory import profile_selectors, review_selectors
from memory.config import conf
from memory.db import profile_scope
from memory.documents import adding, removing, selectors
from memory.documents.formats import TAKEN
from memory.documents.selectors import Progress, Standing
from memory.errors import CaesarError, NotFound
from memory.models import Document, FactState

PAGE_SIZE = 50
MOST_FILES = 20  # in one form
LIST = reverse_lazy("dashboard:documents")
STANDINGS = {
    Standing.READING: gettext_lazy("is being read"),
    Standing.DONE: gettext_lazy("read"),
    Standing.FAILED: gettext_lazy("not all could be read"),
    Standing.STOPPED: gettext_lazy("not read, since memory was switched off"),
}


@dataclass(frozen=True)
class Shown:
    """A document with how far it is."""

    document: Document
    progress: Progress

    @property
    def standing(self) -> str:
        return str(STANDINGS[self.progress.state])

    @property
    def is_read_now(self) -> bool:
        return self.progress.state is Standing.READING

    @property
    def has_failed(self) -> bool:
        return self.progress.state is Standing.FAILED


@dataclass(frozen=True)
class Taught:
    """A fact of the document that waits no more, with its page."""

    row: Row
    page: int | None


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def listed(request: HttpRequest, person: Person) -> HttpResponse:
    """The documents; those that are sent are taken one by one, and each that cannot be taken is named with why."""
    if request.method == "POST":
        return _take(request, person)
    profile_id = person.profile.id
    with profile_scope(profile_id):
        rows = selectors.listed(profile_id=profile_id).order_by("-id")
        there: Page[Document] = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
        progress = selectors.progress(there)
        found = [Shown(document, progress[document.id]) for document in there]
    context: dict[str, Any] = {
        "page": there,
        "rows": found,
        "reading": any(each.is_read_now for each in found),
        "spaces": spaces_to_talk_in(profile_selectors.spaces(profile_id=profile_id)),
        "endings": TAKEN,
        "megabytes": conf().memory.documents.max_bytes // 1_000_000,
        "pages": conf().memory.documents.max_pages,
    }
    return page(request, person, "documents.html", context, name="documents")


def _take(request: HttpRequest, person: Person) -> HttpResponse:
    files = request.FILES.getlist("file")[:MOST_FILES]
    if not files:
        messages.error(request, _("Choose a file."))
    new = [document for file in files if (document := _added(request, person, file))]
    if len(new) == 1 and len(files) == 1:
        return see_other(request, reverse("dashboard:document", args=[new[0].id]))
    return see_other(request, LIST)


def _added(request: HttpRequest, person: Person, file: UploadedFile) -> Document | None:
    name = (file.name or "").replace("\0", "")
    data = file.read(conf().memory.documents.max_bytes + 1)
    try:
        added = adding.add(
            profile_id=person.profile.id, name=name, data=data, space=request.POST.get("space", "").strip() or None
        )
    except CaesarError as error:
        messages.error(request, f"{name[:100]}: {error}")
        return None
    said = _("%(name)s is being read.") if added.new else _("%(name)s is there already.")
    messages.success(request, said % {"name": added.document.name})
    return added.document


@require_safe
@own_page
def one(request: HttpRequest, person: Person, document_id: uuid.UUID) -> HttpResponse:
    profile_id = person.profile.id
    with profile_scope(profile_id):
        document = _found(person, document_id)
        taught = selectors.taught(document)
        waiting = [one.fact for one in taught if one.fact.state == FactState.PENDING]
        proposals = shown(person, review_selectors.beside(profile_id=profile_id, proposals=waiting))
        answered = [one for one in taught if one.fact.state != FactState.PENDING]
        rows = facts_shown.rows(person, [one.fact for one in answered])
        there = Shown(document, selectors.progress([document])[document.id])
        dead = selectors.dead_items(document) if there.has_failed else []
    context = {
        "it": there,
        "proposals": proposals,
        "answered": [Taught(row, one.page) for row, one in zip(rows, answered, strict=True)],
        "dead": dead,
    }
    return page(request, person, "document.html", context, name="documents")


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def delete(request: HttpRequest, person: Person, document_id: uuid.UUID) -> HttpResponse:
    """Asks first: the text does not come back."""
    if request.method == "POST":
        try:
            gone = removing.remove(profile_id=person.profile.id, document_id=document_id)
        except NotFound:
            raise Http404 from None
        many = len(gone.deleted)
        facts = ngettext("%(n)s fact went with it.", "%(n)s facts went with it.", many) % {"n": many}
        messages.success(request, f"{_('The document is deleted.')} {facts}")
        return see_other(request, LIST)
    with profile_scope(person.profile.id):
        context = {"document": _found(person, document_id)}
    return page(request, person, "document_delete.html", context, name="documents")


def _found(person: Person, document_id: uuid.UUID) -> Document:
    """Call inside the profile's scope."""
    document = selectors.one(profile_id=person.profile.id, document_id=document_id)
    if document is None:
        raise Http404
    return document
