"""Every table in the admin: who may look, what is never shown, how many questions a page asks."""

from urllib.parse import quote

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client

from caesar.admin.base import ProfileFilter
from memory import apikeys, cursor, work
from memory.db import operator_scope, profile_scope
from memory.errors import ModelRefusedRequest
from memory.models import ApiKey, AuditLog, Fact, Installation, Profile, Space, WorkItem, WorkKind
from tests.dashboard.test_audit import tell

TABLES = [f"/admin/memory/{model._meta.model_name}/" for model in apps.get_app_config("memory").get_models()]
EDITABLE = {"fact", "profile", "space"}


@pytest.fixture
def filled(anna):
    for number in range(12):
        tell(anna, f"I like number {number}.", conversation_id=str(number))
        anna.knows(f"note.n{number}", f"number {number}")
    cursor.tick(WorkKind.EXTRACT)
    return anna


def test_it_has_every_table(database):
    assert {model for model in admin.site._registry if model._meta.app_label == "memory"} == set(
        apps.get_app_config("memory").get_models()
    )


def test_it_calls_each_table_by_a_name_that_reads_well(operator):
    page = " ".join(operator.get("/admin/").content.decode().split())
    for wrong in ("summarys", "hashs", "entitys", "statuss", "api keys", "audit logs", "Api keys", "Audit logs"):
        assert wrong not in page
    for name in ("API keys", "Audit log", "Episode summaries", "Message hashes", "Fact entities"):
        assert f">{name}<" in page


def test_each_has_a_search_filters_and_links(operator, filled):
    for model, table in admin.site._registry.items():
        if model._meta.app_label != "memory":
            continue
        assert table.search_fields, model
        if any(field.name == "profile" for field in model._meta.concrete_fields):
            assert {"whose"} <= set(table.list_display), model
            assert ProfileFilter in table.list_filter, model
    who = filled.who.profile_id
    for model in (Fact, AuditLog, WorkItem):
        path = f"/admin/memory/{model._meta.model_name}/"
        assert f"/admin/memory/profile/{who}/change/" in operator.page(path).links()
        for query in ("q=anna", f"whose={who}"):
            assert "0 results" not in operator.get(f"{path}?{query}").content.decode()
            assert f"{model._meta.verbose_name}" in operator.get(f"{path}?{query}").content.decode()
        for query in ("q=nobody-of-this-name", "whose=00000000-0000-4000-8000-000000000000", "whose=x"):
            assert "result_list" not in operator.get(f"{path}?{query}").content.decode(), (model, query)


def test_it_asks_as_often_for_many_rows_as_for_few(operator, filled, django_assert_max_num_queries):
    operator.get("/admin/")
    for table in TABLES:
        with django_assert_max_num_queries(14):
            operator.get(table)


def test_it_shows_each_row_and_lets_nobody_add_or_change_past_the_verbs(operator, filled):
    for model in apps.get_app_config("memory").get_models():
        name = model._meta.model_name
        with operator_scope():
            row = model.objects.first()
        assert operator.client.get(f"/admin/memory/{name}/add/").status_code == 403
        if row is None:
            continue
        path = f"/admin/memory/{name}/{row.pk}/"
        page = operator.page(f"{path}change/")
        if name not in EDITABLE:
            assert 'name="_save"' not in str(page.elements)
            assert operator.client.post(f"{path}change/", {}).status_code == 403
        if name != "fact":
            assert operator.client.post(f"{path}delete/", {"post": "yes"}).status_code == 403
            with operator_scope():
                assert model.objects.filter(pk=row.pk).exists()


def test_it_never_shows_a_secret(operator, filled):
    with operator_scope():
        secret = bytes(Installation.objects.get(name="hash_key").value)
        key = ApiKey.objects.first()
        digest = bytes(key.digest)
    pages = b"".join(
        operator.get(path).content
        for path in (
            "/admin/memory/installation/",
            "/admin/memory/installation/hash_key/change/",
            "/admin/memory/apikey/",
            f"/admin/memory/apikey/{key.id}/change/",
        )
    )
    for hidden in (secret, digest):
        assert hidden.hex().encode() not in pages
        assert str(hidden).encode() not in pages
    assert filled.who.key.encode() not in pages


def test_it_lets_only_staff_in(filled):
    user = User.objects.get(id=filled.who.user_id)
    stranger, anna = Client(), Client()
    anna.force_login(user)
    for browser in (stranger, anna):
        for path in ["/admin/", *TABLES, "/admin/auth/user/", "/admin/password_change/", "/admin/login/"]:
            response = browser.get(path)
            assert response.status_code == 302
            assert response["Location"].startswith(("/login/?next=", "/admin/login/?next="))
    assert anna.get("/admin/", follow=True).status_code == 200  # the login page says who is in, and does not loop


def test_it_has_no_door_of_its_own(operator):
    response = Client().post("/admin/login/", {"username": "operator", "password": "guess"})
    assert response.status_code == 302
    assert response["Location"].startswith("/login/")


def test_it_wants_a_csrf_token(operator, filled):
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = operator.client.cookies
    with profile_scope(filled.who.profile_id):
        fact = Fact.objects.first()
    assert strict.post(f"/admin/memory/fact/{fact.id}/delete/", {"post": "yes"}).status_code == 403


def test_it_changes_a_profile_and_a_space_and_writes_it_down(operator, anna):
    path = f"/admin/memory/profile/{anna.who.profile_id}/change/"
    operator.post(path, operator.form(path) | {"timezone": "Europe/Tallinn", "approval": "review"})
    bad = operator.post(path, operator.form(path) | {"timezone": "Mars/Base"})
    assert "imezone is a name such as" in bad.content.decode()
    with operator_scope():
        space = Space.objects.get(profile_id=anna.who.profile_id)
    path = f"/admin/memory/space/{space.id}/change/"
    typed = operator.form(path)
    typed.pop("memory_enabled")
    operator.post(path, typed)
    with operator_scope():
        profile = Profile.objects.get(id=anna.who.profile_id)
        assert (profile.timezone, profile.approval, profile.memory_enabled) == ("Europe/Tallinn", "review", True)
        assert not Space.objects.get(id=space.id).memory_enabled
        rows = AuditLog.objects.filter(event_type="settings.changed", profile=profile).order_by("id")
        assert [row.payload["new"] for row in rows] == [
            {"approval": "review", "timezone": "Europe/Tallinn"},
            {"memory_enabled": False},
        ]
        assert {row.actor for row in rows} == {"operator"}


def test_it_revokes_keys(operator, anna):
    (key,) = apikeys.all_of(anna.who.user_id)
    operator.post("/admin/memory/apikey/", {"action": "revoke", "_selected_action": [str(key.id)]})
    assert apikeys.authenticate(anna.who.key) is None


def test_it_lets_work_be_tried_again(operator, anna):
    for number in range(3):
        tell(anna, f"I like number {number}.", conversation_id=str(number))
    cursor.tick(WorkKind.EXTRACT)
    while claim := work.claim(WorkKind.EXTRACT, worker="t"):
        work.fail(claim, ModelRefusedRequest("no"), work.Costs())
    with operator_scope():
        WorkItem.objects.update(state="dead")
        items = list(WorkItem.objects.order_by("id"))
        WorkItem.objects.filter(id=items[0].id).update(state="running")
    chosen = {"action": "retry", "_selected_action": [str(i.id) for i in items]}
    content = operator.post("/admin/memory/workitem/", chosen).content.decode()
    assert "Done: 2." in content
    assert "A worker is reading it right now." in content
    assert "Not done: 1." in content
    with operator_scope():
        assert sorted(WorkItem.objects.values_list("state", flat=True)) == ["running", "waiting", "waiting"]


def test_accounts_are_made_and_closed_but_not_deleted(operator, anna):
    path = "/admin/auth/user/"
    typed = {
        "username": "carla",
        "usable_password": "true",
        "password1": "a long sentence",
        "password2": "a long sentence",
    }
    assert operator.post(f"{path}add/", typed).status_code == 200
    carla = User.objects.get(username="carla")
    assert carla.check_password("a long sentence")
    assert operator.client.get(f"{path}{carla.id}/delete/").status_code == 403
    assert b"delete_selected" not in operator.get(path).content


ODD_IDS = ["a\0b", "x" * 300, "-1", "9" * 30, ""]


@pytest.mark.parametrize("table", [*TABLES, "/admin/auth/user/"])
def test_it_answers_whatever_is_asked_for(operator, filled, table):
    """No id, search or filter that nobody could have clicked on ends in a failure of ours."""
    for odd in ODD_IDS:
        for action in ("delete_selected", "retry", "revoke"):
            sent = operator.client.post(table, {"action": action, "_selected_action": [odd]})
            assert sent.status_code in (200, 302, 403), (table, odd, action, sent.status_code)
        for name in ("q", "o", "p", "whose", "profile__id__exact", "nonsense__in"):
            assert operator.client.get(table, {name: odd}).status_code in (200, 302, 400), (table, name, odd)
        if odd:
            for page in ("change", "delete", "history"):
                asked = operator.client.get(f"{table}{quote(odd, safe='')}/{page}/")
                assert asked.status_code in (302, 400, 403), (table, odd, page, asked.status_code)


def test_it_answers_a_search_for_nothing_that_is_there(operator):
    for term in ("\0", "x" * 5000):
        asked = {"app_label": "memory", "model_name": "fact", "field_name": "profile", "term": term}
        assert operator.client.get("/admin/autocomplete/", asked).status_code in (200, 400)
