"""One fact's pages: added, taken back, its history; many at once."""

import uuid

import pytest

from memory import facts
from memory.db import profile_scope
from memory.models import AuditLog, Fact

NOBODYS = uuid.UUID("0190aaaa-0000-7000-8000-000000000000")


def states(visitor):
    with profile_scope(visitor.who.profile_id):
        return dict(Fact.objects.values_list("value", "state"))


def test_it_adds_a_fact(anna):
    typed = {"key": "Dog Name", "value": "Beans", "category": "person", "importance": "0.7", "space": "", "expires": ""}
    response = anna.post("/dashboard/facts/add", typed)
    assert (response.status_code, response["Location"]) == (303, "/dashboard/facts")
    assert "Added." in anna.page("/dashboard/facts").text
    with profile_scope(anna.who.profile_id):
        fact = Fact.objects.get()
    assert (fact.key, fact.value, fact.category, fact.importance) == ("dog.name", "Beans", "person", 0.7)
    assert (fact.state, fact.pinned, fact.source_kind) == ("current", True, "authored")


def test_a_fact_holds_through_its_last_day_in_the_persons_zone(anna):
    from memory import profiles

    profiles.update(profile_id=anna.who.profile_id, changes={"timezone": "Asia/Tokyo"})
    assert anna.post("/dashboard/facts/add", {"value": "Is in Oslo", "expires": "2030-05-01"}).status_code == 303
    with profile_scope(anna.who.profile_id):
        fact = Fact.objects.get()
    assert fact.expires_at.isoformat() == "2030-05-01T14:59:59+00:00"
    edited = {"value": "Is in Oslo", "confidence": "1", "version": fact.version, "expires": "2030-05-01"}
    anna.post(f"/dashboard/facts/{fact.id}", edited)
    with profile_scope(anna.who.profile_id):
        assert Fact.objects.get().version == fact.version


@pytest.mark.parametrize(
    "typed",
    [
        {"value": ""},
        {"value": "x" * 1001},
        {"value": "\0"},
        {"value": "x", "key": "!!!"},
        {"value": "x", "importance": "2"},
        {"value": "x", "category": "nonsense"},
        {"value": "x", "space": "nowhere"},
        {"value": "x", "expires": "tomorrow"},
        {"value": "My card is 4111 1111 1111 1111"},
        {},
    ],
)
def test_it_says_what_cannot_be_added_and_keeps_what_was_typed(anna, typed):
    response = anna.post("/dashboard/facts/add", typed)
    assert response.status_code == 400
    assert b'role="alert"' in response.content
    assert states(anna) == {}


def test_it_does_not_add_what_is_known(anna):
    anna.knows("dog.name", "Beans")
    response = anna.post("/dashboard/facts/add", {"key": "dog.name", "value": "beans"})
    assert response.status_code == 409
    assert b"That is known already" in response.content


def test_it_takes_a_deletion_back_from_the_message_and_from_the_list(anna):
    fact = anna.knows("dog.name", "Beans")
    for again in (False, True):
        anna.post(f"/dashboard/facts/{fact.id}/delete")
        path = "/dashboard/facts?status=deleted" if again else "/dashboard/facts"
        forms = [attrs.get("action") for tag, attrs in anna.page(path).elements if tag == "form"]
        assert f"/dashboard/facts/{fact.id}/undelete" in forms
        assert anna.post(f"/dashboard/facts/{fact.id}/undelete").status_code == 303
        assert states(anna) == {"Beans": "current"}
    again = anna.post(f"/dashboard/facts/{fact.id}/undelete")
    assert again.status_code == 303
    assert "It is not deleted." in anna.page("/dashboard/facts").text


def test_what_was_deleted_with_its_history_is_listed_once(anna):
    fact = anna.knows("dog.name", "Beans")
    facts.edit(profile_id=anna.who.profile_id, fact_id=fact.id, changes={"value": "Bean"})
    anna.post(f"/dashboard/facts/{fact.id}/delete")
    anna.page("/dashboard/facts")
    text = anna.page("/dashboard/facts?status=deleted").text
    assert "1 fact" in text
    assert "Beans" not in text
    anna.post(f"/dashboard/facts/{fact.id}/undelete")
    assert states(anna) == {"Bean": "current", "Beans": "superseded"}


def test_what_is_purged_cannot_be_taken_back(anna):
    fact = anna.knows("dog.name", "Beans")
    anna.post(f"/dashboard/facts/{fact.id}/delete")
    with profile_scope(anna.who.profile_id):
        Fact.objects.update(value="", was_state="")
    assert "There is none" in anna.page("/dashboard/facts?status=deleted").text
    anna.post(f"/dashboard/facts/{fact.id}/undelete")
    assert "too long ago" in anna.page("/dashboard/facts").text


def test_it_shows_the_history_and_brings_a_value_back(anna):
    fact = anna.knows("city", "Oslo")
    facts.edit(profile_id=anna.who.profile_id, fact_id=fact.id, changes={"value": "Tartu"})
    with profile_scope(anna.who.profile_id):
        old = Fact.objects.get(value="Oslo")
    page = anna.page(f"/dashboard/facts/{fact.id}/history")
    assert page.text.index("Tartu") < page.text.index("Oslo")
    reverts = [a["action"] for tag, a in page.elements if tag == "form" and "revert" in (a.get("action") or "")]
    assert reverts == [f"/dashboard/facts/{old.id}/revert"]
    response = anna.post(reverts[0])
    assert response["Location"] == f"/dashboard/facts/{old.id}/history"
    assert states(anna) == {"Oslo": "current", "Tartu": "superseded"}
    assert "This value holds again." in anna.page(f"/dashboard/facts/{old.id}/history").text
    anna.post(reverts[0])
    assert "Only a value that held before" in anna.page("/dashboard/facts").text


def test_bulk_shows_what_it_would_do_and_then_does_it(anna):
    ids = [str(anna.knows(f"thing.{n}", f"thing {n}").id) for n in range(3)]
    before = states(anna)
    shown = anna.post("/dashboard/facts/bulk", {"action": "delete", "ids": ids[:2]})
    assert shown.status_code == 200
    text = " ".join(shown.content.decode().split())
    assert "Nothing has changed yet" in text
    assert "Delete 2 facts" in text
    assert states(anna) == before
    done = anna.post("/dashboard/facts/bulk", {"action": "delete", "ids": ids[:2], "sure": "1"})
    assert done.status_code == 303
    assert states(anna) == {"thing 0": "deleted", "thing 1": "deleted", "thing 2": "current"}


@pytest.mark.parametrize(
    "typed",
    [{}, {"action": "delete"}, {"action": "explode", "ids": [str(NOBODYS)]}, {"action": "delete", "ids": ["x", "\0"]}],
)
def test_bulk_with_nothing_ticked_does_nothing(anna, typed):
    assert anna.post("/dashboard/facts/bulk", typed).status_code == 303
    assert "Nothing is ticked" in anna.page("/dashboard/facts").text


def test_bulk_does_no_more_than_it_may_at_once(anna):
    ids = [str(uuid.uuid4()) for _ in range(501)]
    anna.post("/dashboard/facts/bulk", {"action": "delete", "ids": ids})
    assert "1 to 500" in anna.page("/dashboard/facts").text


def test_nobody_else_can_touch_it_by_any_door(anna, bert):
    fact = anna.knows("salary", "61k")
    facts.edit(profile_id=anna.who.profile_id, fact_id=fact.id, changes={"value": "62k"})
    with profile_scope(anna.who.profile_id):
        old = Fact.objects.get(value="61k")
    before = states(anna)
    for door in ("undelete", "revert"):
        assert bert.post(f"/dashboard/facts/{old.id}/{door}").status_code == 404
    assert bert.get(f"/dashboard/facts/{fact.id}/history").status_code == 404
    shown = bert.post("/dashboard/facts/bulk", {"action": "delete", "ids": [str(fact.id)], "sure": "1"})
    assert b"62k" not in shown.content
    assert states(anna) == before
    with profile_scope(anna.who.profile_id):
        assert not AuditLog.objects.filter(event_type="memory.fact.user_deleted").exists()


def test_a_form_leads_to_pages_of_ours_alone(anna):
    for wanted in ("https://evil.example/", "//evil.example", "/\\evil.example", "/admin/", "javascript:alert(1)"):
        fact = anna.knows(None, f"thing {wanted}")
        assert anna.post(f"/dashboard/facts/{fact.id}/delete", {"next": wanted})["Location"] == "/dashboard/facts"
    fact = anna.knows(None, "thing")
    wanted = "/dashboard/facts?q=thing&page=2"
    assert anna.post(f"/dashboard/facts/{fact.id}/delete", {"next": wanted})["Location"] == wanted
