"""Which of the person's profiles is looked at."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from dashboard.pages import see_other
from dashboard.person import Person, choose, own_page


@require_POST
@own_page
def switch(request: HttpRequest, person: Person) -> HttpResponse:
    if not choose(request, person, request.POST.get("profile", "")):
        raise Http404
    return see_other(request, reverse("dashboard:facts"))
