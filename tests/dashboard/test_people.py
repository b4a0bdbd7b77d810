"""/dashboard/people: consent, spaces and what else belongs to a profile."""

import uuid

import pytest

from memory import profiles, spaces
from memory.db import profile_scope
from memory.models import AuditLog, Fact, Profile, Space
from tests.dashboard.test_facts import HOSTILE


def profile(visitor):
    with profile_scope(visitor.who.profile_id):
        return Profile.objects.get()


def space(visitor, slug):
    with profile_scope(visitor.who.profile_id):
        return Space.objects.filter(slug=slug, removed_at__isnull=True).first()


def form_of(page, path):
    """What a browser would send of the form as it is."""
    sent, inside = {}, False
    for tag, attrs in page.elements:
        if tag == "form":
            inside = attrs.get("action") == path
        if not inside:
            continue
        name = attrs.get("name")
        if tag == "input" and name and name != "csrfmiddlewaretoken":
            if attrs.get("type") in ("checkbox", "radio") and "checked" not in attrs:
                continue
            sent[name] = attrs.get("value") or ("on" if attrs.get("type") == "checkbox" else "")
        if tag == "select" and name:
            current = name
        if tag == "option" and "selected" in attrs:
            sent[current] = attrs.get("value") or ""
    return sent


def test_saving_what_is_there_changes_nothing(anna):
    spaces.create_space(profile_id=anna.who.profile_id, fields={"slug": "work", "memory_enabled": False})
    path = f"/dashboard/people/{anna.who.profile_id}"
    with profile_scope(anna.who.profile_id):
        before = AuditLog.objects.count()
    sent = form_of(anna.page("/dashboard/people"), path)
    assert sent["memory_enabled"] == "on"
    assert "work memory_enabled" not in sent
    assert anna.post(path, sent).status_code == 303
    first = profile(anna).sensitive_policy
    anna.post(path, sent)
    assert profile(anna).sensitive_policy == first
    with profile_scope(anna.who.profile_id):
        # The policy is written out once; nothing else was changed.
        assert AuditLog.objects.count() <= before + 1
    assert space(anna, "work").memory_enabled is False


def test_it_switches_consent_for_the_person_and_for_a_space(anna):
    spaces.create_space(profile_id=anna.who.profile_id, fields={"slug": "work"})
    path = f"/dashboard/people/{anna.who.profile_id}"
    sent = form_of(anna.page("/dashboard/people"), path)
    del sent["summaries_enabled"], sent["work memory_enabled"]
    anna.post(path, sent)
    now = profile(anna)
    assert (now.memory_enabled, now.summaries_enabled) == (True, False)
    assert (space(anna, "work").memory_enabled, space(anna, "work").summaries_enabled) == (False, True)
    assert space(anna, "general").memory_enabled
    assert "Saved." in anna.page("/dashboard/people").text


def test_it_sets_approval_zone_language_and_what_is_sensitive(anna):
    path = f"/dashboard/people/{anna.who.profile_id}"
    sent = form_of(anna.page("/dashboard/people"), path)
    sent |= {"approval": "review", "timezone": " Asia/Tokyo ", "language": "ja", "health": "review"}
    anna.post(path, sent)
    now = profile(anna)
    assert (now.approval, now.timezone, now.language) == ("review", "Asia/Tokyo", "ja")
    assert now.sensitive_policy["health"] == "review"
    assert now.sensitive_policy["credential"] == "never"
    assert "Asia/Tokyo" in anna.get("/dashboard/people").content.decode()


@pytest.mark.parametrize(
    "wrong",
    [
        {"approval": "x"},
        {"timezone": "Nowhere"},
        {"timezone": "\0"},
        {"language": "<b>"},
        {"health": "x"},
        {"credential": "allow"},
    ],
)
def test_it_says_what_cannot_be(anna, wrong):
    path = f"/dashboard/people/{anna.who.profile_id}"
    sent = form_of(anna.page("/dashboard/people"), path) | wrong
    assert anna.post(path, sent).status_code == 303
    now = profile(anna)
    assert (now.approval, now.timezone, now.language) == ("auto", "UTC", "")
    assert now.sensitive_policy.get("credential", "never") == "never"
    if "credential" not in wrong:
        assert 'class="error"' in anna.get("/dashboard/people").content.decode()


def test_it_adds_and_removes_a_space(anna):
    add = f"/dashboard/people/{anna.who.profile_id}/spaces"
    anna.post(add, {"slug": "work", "name": "Office"})
    assert space(anna, "work").name == "Office"
    anna.post(add, {"slug": "work"})
    assert "There is a space work already" in anna.page("/dashboard/people").text
    anna.post(add, {"slug": "No Slug!"})
    assert "slug is a short name" in anna.page("/dashboard/people").text
    anna.knows("project.name", "Kestrel", space="work")
    assert "hold everywhere from now on" in anna.page(f"{add}/work/remove").text
    assert space(anna, "work")
    anna.post(f"{add}/work/remove", {"facts": "keep"})
    assert space(anna, "work") is None
    with profile_scope(anna.who.profile_id):
        assert Fact.objects.get(state="current").space_id is None
    assert anna.get(f"{add}/work/remove").status_code == 404
    anna.post(f"{add}/general/remove", {"facts": "delete"})
    assert space(anna, "general")


def test_it_adds_a_profile(anna):
    anna.post("/dashboard/people", {"name": "house"})
    text = anna.page("/dashboard/people").text
    assert "There is a profile house" in text
    assert anna.post("/dashboard/people", {"name": " "}).status_code == 400
    assert anna.post("/dashboard/people", {"name": "x" * 121}).status_code == 400


def test_nobody_else_can_change_it(anna, bert):
    other = anna.who.profile_id
    for path, typed in (
        (f"/dashboard/people/{other}", {}),
        (f"/dashboard/people/{other}/spaces", {"slug": "work"}),
        (f"/dashboard/people/{other}/spaces/general/remove", {"facts": "delete"}),
        (f"/dashboard/people/{uuid.uuid4()}", {}),
    ):
        assert bert.post(path, typed).status_code == 404
    assert profile(anna).memory_enabled
    assert str(other) not in bert.get("/dashboard/people").content.decode()


@pytest.mark.parametrize("name", [value for value in HOSTILE if value.isprintable() and len(value) < 100])
def test_no_element_or_attribute_comes_from_a_name(anna, name):
    made = profiles.resolve(user_id=anna.who.user_id, name="harmless")
    added = spaces.create_space(profile_id=anna.who.profile_id, fields={"slug": "work", "name": "harmless"})
    before = anna.page("/dashboard/people").shape
    with profile_scope(anna.who.profile_id):
        Space.objects.filter(id=added.id).update(name=name)
    with profile_scope(made.id):
        Profile.objects.filter(id=made.id).update(name=name, language=name, timezone="UTC")
    assert anna.page("/dashboard/people").shape == before
