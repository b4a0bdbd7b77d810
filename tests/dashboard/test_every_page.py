"""Every page: as many queries for many rows as for one, none without a login, nobody else's things."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver

from memory import apikeys, facts, profiles, spaces
from memory.db import profile_scope
from memory.models import Fact
from tests.browser.life import discussed, knows, read, told, waits
from tests.dashboard import every_page

MOST_QUERIES = 50
MANY = 25


def live(who, many):
    """So many of everything: facts, history, proposals, what was deleted, summaries, work, spaces, profiles, keys."""
    for n in range(many):
        audit_id = told(who, f"Our dog number {n} is called Beans{n}.", f"talk {n}")
        knows(who, f"dog{n}.name" if n else "dog.name", f"Beans{n}", quote="is called", audit_id=audit_id)
        old = knows(who, f"thing.{n}", f"thing {n}")
        facts.edit(profile_id=who.profile_id, fact_id=old.id, changes={"value": f"another thing {n}"})
        about = waits(who, f"dog{n}.name" if n else "dog.name", f"Bean{n}", ["review"], source_audit_id=audit_id)
        with profile_scope(who.profile_id):
            about.entity_id = Fact.objects.get(value="Beans0").entity_id
            about.save(update_fields=["entity_id"])
        facts.delete(profile_id=who.profile_id, fact_id=knows(who, f"gone.{n}", f"gone {n}").id)
        discussed(who, f"Let us plan trip {n}.", f"Planned trip {n} to the lake.")
        # The row of a chat that something is in already is used again.
        read(who, audit_id, state="done", outcome="learned", model="openai/small-1", calls=1)
        for state in ("dead", "waiting"):
            read(who, told(who, f"It rains, {state} {n}.", f"{state} {n}"), state=state, error="no", error_code="x")
        spaces.create_space(profile_id=who.profile_id, fields={"slug": f"work{n}" if n else "work"})
        profiles.resolve(user_id=who.user_id, name=f"house {n}")
        apikeys.create(user_id=who.user_id, name=f"key {n}", profile_id=who.profile_id)
    told(who, "Where is Beans0 on the trip?", "last")


def queries(visitor, path):
    with CaptureQueriesContext(connection) as asked:
        response = visitor.get(path)
    assert response.status_code == 200, path
    return len(asked)


def test_each_is_known_here():
    """A page that is added has to be added to the list, and so to these tests and to the measurements."""

    def routes(resolver, before=""):
        for each in resolver.url_patterns:
            here = before + re.sub(r"<\w+:(\w+)>", r"{}", str(each.pattern))
            if hasattr(each, "url_patterns"):
                yield from routes(each, here)
            else:
                yield here

    ours = {f"/{route}" for route in routes(get_resolver()) if route.startswith("dashboard/")} - {"/dashboard/"}
    known = {re.sub(r"\{\w+\}", "{}", path.partition("?")[0]) for path in (*every_page.PAGES, *every_page.FORMS)}
    assert ours == known


def test_it_asks_as_often_for_many_rows_as_for_one(anna, bert):
    User.objects.update(is_superuser=True, is_staff=True)
    live(anna.who, MANY)
    live(bert.who, 1)
    many, one = (
        every_page.of(every_page.things(anna.who.profile_id)),
        every_page.of(every_page.things(bert.who.profile_id)),
    )
    for path in every_page.PAGES:
        queries(anna, many[path])
        queries(bert, one[path])  # what is asked once only
    counted = {path: (queries(bert, one[path]), queries(anna, many[path])) for path in every_page.PAGES}
    assert {path: seen for path, seen in counted.items() if seen[1] > seen[0] or seen[1] > MOST_QUERIES} == {}


def test_nothing_can_be_seen_without_a_login(anna):
    live(anna.who, 1)
    named = every_page.things(anna.who.profile_id)
    stranger = Client(raise_request_exception=False)
    for path in every_page.PAGES:
        response = stranger.get(path.format(**named))
        assert (response.status_code, response["Location"].partition("?")[0]) == (302, "/login/"), path
        assert b"Beans" not in response.content
    for path in every_page.FORMS:
        response = stranger.post(path.format(**named, item=1, key=named["fact"], task="chat"))
        assert (response.status_code, response["Location"].partition("?")[0]) == (302, "/login/"), path
    with profile_scope(anna.who.profile_id):
        assert Fact.objects.filter(value="Beans0", state="current").exists()


def test_a_member_of_the_household_sees_and_changes_nothing_of_anothers(anna, bert):
    """Bert lives in the same house, with an account and a memory of his own."""
    live(anna.who, 1)
    named = every_page.things(anna.who.profile_id)
    with profile_scope(anna.who.profile_id):
        before = list(Fact.objects.order_by("id").values_list("id", "state", "version"))
    for path in every_page.PAGES:
        response = bert.get(path.format(**named))
        assert response.status_code == (404 if "/{" in path else 200), path
        assert b"Beans" not in response.content, path
        assert b"trip 0" not in response.content, path
    about = [path for path in every_page.FORMS if "{" in path]
    sent = {"version": "1", "answer": "approve", "value": "x", "slug": "x", "facts": "keep", "approval": "auto"}
    for path in about:
        assert bert.post(path.format(**named, item=1, key=named["fact"], task="chat"), sent).status_code == 404, path
    with profile_scope(anna.who.profile_id):
        assert list(Fact.objects.order_by("id").values_list("id", "state", "version")) == before


@pytest.mark.parametrize("path", [*every_page.PAGES, *every_page.FORMS])
def test_no_page_can_be_kept_by_what_stands_between(anna, path):
    nowhere = "00000000-0000-4000-8000-000000000000"
    ids = {"fact": nowhere, "entity": nowhere, "episode": nowhere, "profile": nowhere, "key": nowhere}
    ids["document"] = nowhere
    response = anna.get(path.format(**ids, space="work", chat=1, item=1, task="chat"))
    assert response.status_code in (200, 404, 405)
    if response.status_code == 200:
        assert "no-store" in response["Cache-Control"]
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "unsafe-inline" not in response["Content-Security-Policy"]
