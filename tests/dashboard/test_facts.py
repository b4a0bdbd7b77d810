"""/dashboard/facts and a fact's own pages."""

import re
import uuid

import pytest
from django.test import Client

from memory import facts, profiles
from memory.db import profile_scope
from memory.models import AuditLog, Fact

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</textarea><script>alert(1)</script>",
    "{{ 7|add:7 }} {% debug %} {value}",
    "\u202egnp.exe \u2066 RTL عربي",
    "javascript:alert(1)",
    "x" * 1000,
    "&lt;b&gt; &amp;",
    "line\none\r\ntwo\tthree",
]


def test_it_shows_what_is_known_most_important_first(anna):
    anna.knows("dog.name", "Beans")
    anna.knows("city", "Oslo")
    with profile_scope(anna.who.profile_id):
        Fact.objects.filter(value="Oslo").update(confidence=0.4)
    page = anna.page("/dashboard/facts")
    assert page.text.index("Beans") < page.text.index("Oslo")
    assert "Beans" in page.text
    assert "0.40" in page.text
    assert "2 facts" in page.text


def test_it_says_what_to_do_where_nothing_is_known(anna):
    assert "Nothing is known yet" in anna.page("/dashboard/facts").text
    assert "Chat a little" in anna.page("/dashboard/facts").text


@pytest.mark.parametrize("path", ["facts", "chat", "documents", "episodes"])
def test_where_memory_is_off_it_says_where_to_switch_it_on(anna, path):
    profiles.update(profile_id=anna.who.profile_id, changes={"memory_enabled": False, "summaries_enabled": False})
    page = anna.page(f"/dashboard/{path}")
    assert " off for this profile" in page.text
    assert "Switch " in page.text
    assert [tag for tag, given in page.elements if given.get("href") == "/dashboard/people"] == [
        "a",
        "a",
    ]  # and the menu
    assert "Chat a little" not in page.text


def test_it_finds(anna):
    anna.knows("dog.name", "Beans")
    anna.knows("city", "Oslo")
    page = anna.page("/dashboard/facts?q=bea%00")
    assert "Beans" in page.text
    assert "Oslo" not in page.text
    assert "Show everything" in anna.page("/dashboard/facts?q=%3Cb%3E").text


def test_it_shows_long_lists_in_pages(anna):
    with profile_scope(anna.who.profile_id):
        one = anna.knows(None, "thing")
        rows = [Fact(**{**_values(one), "id": uuid.uuid4(), "value": f"thing {n}"}) for n in range(120)]
        Fact.objects.bulk_create(rows)
    assert "Page 1 of 3" in anna.page("/dashboard/facts").text
    assert "Page 3 of 3" in anna.page("/dashboard/facts?page=3").text
    for odd in ("0", "-1", "99999999999999999999", "x", "%00"):
        assert anna.get(f"/dashboard/facts?page={odd}").status_code == 200


def _values(fact):
    return {f.attname: getattr(fact, f.attname) for f in Fact._meta.concrete_fields}


def test_it_asks_the_database_as_often_for_many_facts_as_for_few(anna, django_assert_max_num_queries):
    for number in range(30):
        anna.knows(None, f"thing {number}")
    with django_assert_max_num_queries(21):
        anna.page("/dashboard/facts")


def test_it_corrects_a_fact(anna):
    fact = anna.knows("dog.name", "Beans")
    page = anna.page(f"/dashboard/facts/{fact.id}")
    assert ("textarea", "value") in {(tag, a.get("name")) for tag, a in page.elements}
    response = anna.post(f"/dashboard/facts/{fact.id}", {"value": "Bean", "confidence": "0.8", "version": fact.version})
    assert (response.status_code, response["Location"]) == (303, "/dashboard/facts")
    shown = anna.page("/dashboard/facts").text
    assert "Bean\n" in shown or "Bean" in shown
    assert "Saved." in shown
    with profile_scope(anna.who.profile_id):
        row = AuditLog.objects.get(event_type="memory.fact.user_edited")
        assert row.payload["new"] == {"value": "Bean", "confidence": 0.8}


@pytest.mark.parametrize(
    "typed",
    [
        {"value": "", "confidence": "0.5"},
        {"value": "x", "confidence": "2"},
        {"value": "x", "confidence": "nan"},
        {"value": "x", "confidence": "high"},
        {"value": "x" * 1001, "confidence": "1"},
        {"value": "\0", "confidence": "1"},
        {"value": "x"},
        {"value": "x", "confidence": "1", "version": "x"},
    ],
)
def test_it_says_what_is_wrong_and_keeps_what_was_typed(anna, typed):
    fact = anna.knows("dog.name", "Beans")
    response = anna.post(f"/dashboard/facts/{fact.id}", {"version": fact.version, **typed})
    assert response.status_code == 400
    assert b'role="alert"' in response.content or b"errorlist" in response.content
    with profile_scope(anna.who.profile_id):
        assert Fact.objects.get().value == "Beans"


def test_it_notices_that_somebody_edited_it_meanwhile(anna):
    fact = anna.knows("dog.name", "Beans")
    facts.edit(profile_id=anna.who.profile_id, fact_id=fact.id, changes={"value": "Bean"})
    response = anna.post(f"/dashboard/facts/{fact.id}", {"value": "B", "confidence": "1", "version": fact.version})
    assert response.status_code == 409
    assert b"Somebody changed this fact meanwhile" in response.content


def test_it_deletes_after_asking(anna):
    fact = anna.knows("dog.name", "Beans")
    assert "Delete this fact?" in anna.page(f"/dashboard/facts/{fact.id}/delete").text
    assert "Beans" in anna.page("/dashboard/facts").text
    assert anna.post(f"/dashboard/facts/{fact.id}/delete").status_code == 303
    assert "Beans" not in anna.page("/dashboard/facts").text
    assert anna.get(f"/dashboard/facts/{fact.id}").status_code == 404
    assert anna.post(f"/dashboard/facts/{fact.id}/delete").status_code == 404


def test_nobody_else_can_look_or_touch(anna, bert):
    fact = anna.knows("salary", "61k")
    nobodys = uuid.UUID("0190aaaa-0000-7000-8000-000000000000")
    typed = {"value": "mine", "confidence": "1", "version": fact.version}
    for end in ("", "/delete"):
        for call in (bert.get, lambda path: bert.post(path, typed)):
            theirs, unknown = call(f"/dashboard/facts/{fact.id}{end}"), call(f"/dashboard/facts/{nobodys}{end}")
            assert theirs.status_code == 404
            assert theirs.content == unknown.content
    assert "61k" not in bert.page("/dashboard/facts?q=61").text
    with profile_scope(anna.who.profile_id):
        assert Fact.objects.get().value == "61k"


def test_it_wants_a_login_and_a_csrf_token(anna):
    fact = anna.knows("dog.name", "Beans")
    stranger = Client()
    for path in (
        "/dashboard/",
        "/dashboard/facts",
        f"/dashboard/facts/{fact.id}",
        f"/dashboard/facts/{fact.id}/delete",
    ):
        for response in (stranger.get(path), stranger.post(path)):
            assert response.status_code in (302, 405)
            assert b"Beans" not in response.content
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = anna.client.cookies
    assert strict.post(f"/dashboard/facts/{fact.id}/delete").status_code == 403
    assert "Beans" in anna.page("/dashboard/facts").text


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_no_element_or_attribute_comes_from_a_fact(anna, value):
    harmless = anna.knows("note.one", "harmless")
    paths = ["/dashboard/facts", "/dashboard/facts/{}", "/dashboard/facts/{}/delete", "/dashboard/audit"]
    before = [anna.page(path.format(harmless.id)) for path in paths]
    facts.delete(profile_id=anna.who.profile_id, fact_id=harmless.id)
    hostile = anna.knows("note.one", value)
    for path, page in zip(paths, before, strict=True):
        now = anna.page(path.format(hostile.id))
        assert now.shape == page.shape
        assert not any(name.startswith("on") for _, attrs in now.elements for name in attrs)
        assert all(link.startswith(("/", "#", "?")) for link in now.links())


def test_it_may_load_its_own_files_alone(anna):
    response = anna.get("/dashboard/facts")
    policy = response["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert response["X-Frame-Options"] == "DENY"
    assert "no-store" in response["Cache-Control"]
    content = response.content.decode()
    assert "<style" not in content
    scripts = [attrs for tag, attrs in anna.page("/dashboard/facts").elements if tag == "script"]
    assert scripts
    assert all((attrs["src"] or "").startswith("/static/dashboard/") for attrs in scripts)
    assert not re.search(r"<script[^>]*>[^<]", content)
    assert "style=" not in content


def test_it_can_be_used_without_a_mouse_and_without_eyes(anna):
    fact = anna.knows("dog.name", "Beans")
    for path in ("/dashboard/facts", f"/dashboard/facts/{fact.id}", f"/dashboard/facts/{fact.id}/delete"):
        page = anna.page(path)
        assert page.links()[0] == "#content"
        ids = {attrs.get("id") for _, attrs in page.elements}
        labels = {attrs.get("for") for tag, attrs in page.elements if tag == "label"}
        typed = [a for tag, a in page.elements if tag in ("input", "textarea") and a.get("type") != "hidden"]
        assert all(a.get("id") in labels or a.get("aria-label") for a in typed)
        assert labels <= ids
        assert ("html", "en") in {(tag, a.get("lang")) for tag, a in page.elements}
        assert sum(tag == "h1" for tag, _ in page.elements) == 1
