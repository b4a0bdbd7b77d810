"""Everything of a profile as a file to take along."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from dashboard.pages import see_other
from dashboard.person import Person, own_page
from memory.errors import CaesarError
from memory.portable import exporting
from memory.portable.exporting import Form
from memory.portable.pieces import Pieces

FORMS = {
    Form.JSONL: _("everything, to be imported again (JSON Lines)"),
    Form.MARKDOWN: _("facts and summaries, to be read (Markdown)"),
    Form.CSV: _("facts, for a spreadsheet (CSV)"),
}


@require_POST
@own_page
def download(request: HttpRequest, person: Person) -> HttpResponseBase:
    """The file, as of this moment."""
    try:
        form = Form(request.POST.get("form", ""))
    except ValueError:
        messages.error(request, _("Choose what the file is for."))
        return _back(request)
    try:
        file = exporting.spooled(profile_id=person.profile.id, form=form)
    except CaesarError as error:
        messages.error(request, str(error))
        return _back(request)
    response = StreamingHttpResponse(Pieces(file), content_type=exporting.TYPES[form])
    response["Content-Disposition"] = content_disposition_header(True, exporting.file_name(form))
    return response


def _back(request: HttpRequest) -> HttpResponse:
    return see_other(request, reverse("dashboard:settings"))
