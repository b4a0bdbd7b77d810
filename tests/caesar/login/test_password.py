"""/dashboard/settings/password: set for the first time, changed, guessed at."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from caesar.login import tokens
from memory import profiles
from memory.db import operator_scope
from memory.models import AuditLog

OLD, NEW = "correct horse battery", "a tram in the rain"
PATH = "/dashboard/settings/password"

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def operator():
    return User.objects.get(id=profiles.ensure_operator().user_id)


@pytest.fixture
def browser(operator):
    browser = Client()
    token = re.fullmatch(r"/login/\?token=([\w-]{40,})", tokens.make())[1]
    assert browser.post("/login/", {"token": token}).status_code == 303
    return browser


@pytest.fixture
def known(operator):
    operator.set_password(OLD)
    operator.save()
    browser = Client()
    browser.force_login(operator)
    return browser


def lets_in(password):
    return Client().post("/login/", {"username": "operator", "password": password}).status_code == 303


def told():
    with operator_scope():
        return list(
            AuditLog.objects.filter(event_type="settings.changed", payload__subject="account").values(
                "payload", "actor"
            )
        )


def test_who_came_by_a_link_sets_one_and_logs_in_with_it(browser):
    assert b"It has no password yet" in browser.get("/dashboard/settings").content
    assert b"Old password" not in browser.get(PATH).content
    response = browser.post(PATH, {"new_password1": NEW, "new_password2": NEW})
    assert (response.status_code, response["Location"]) == (303, "/dashboard/settings")
    page = browser.get("/dashboard/settings").content
    assert b"Saved." in page
    assert b"with a password" in page
    assert lets_in(NEW)
    assert NEW not in str(told())
    assert [(each["payload"]["did"], each["actor"]) for each in told()] == [("password set", "person")]


def test_it_is_changed_by_who_knows_the_old_one_and_ends_other_sessions(operator, known):
    elsewhere = Client()
    elsewhere.force_login(operator)
    typed = {"old_password": OLD, "new_password1": NEW, "new_password2": NEW}
    assert known.post(PATH, typed).status_code == 303
    assert known.get("/dashboard/facts").status_code == 200
    assert elsewhere.get("/dashboard/facts").status_code == 302
    assert lets_in(NEW)
    assert not lets_in(OLD)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({}, "This field is required"),
        ({"old_password": "guess", "new_password1": NEW, "new_password2": NEW}, "was entered incorrectly"),
        ({"old_password": OLD, "new_password1": NEW, "new_password2": "other"}, "match"),
        ({"old_password": OLD, "new_password1": "short", "new_password2": "short"}, "too short"),
        ({"old_password": OLD, "new_password1": "password123", "new_password2": "password123"}, "too common"),
        ({"old_password": OLD, "new_password1": "nul\0in the middle", "new_password2": "nul\0in the middle"}, "Null"),
        ({"new_password1": NEW, "new_password2": NEW}, "This field is required"),
    ],
)
def test_it_says_what_is_wrong_and_shows_no_password(known, typed, said):
    response = known.post(PATH, typed)
    page = response.content.decode()
    assert response.status_code == 400
    assert said in page
    assert not any(word in page for word in (OLD, NEW, "password123", "nul"))
    assert lets_in(OLD)
    assert told() == []


def test_guessing_at_the_old_one_is_locked_out_as_at_the_login(known):
    wrong = {"old_password": "guess", "new_password1": NEW, "new_password2": NEW}
    assert [known.post(PATH, wrong).status_code for _ in range(11)] == [400] * 10 + [429]
    response = known.post(PATH, {**wrong, "old_password": OLD})
    assert response.status_code == 429
    assert b"Too many wrong tries" in response.content


def test_a_long_one_is_taken_and_nobody_gets_there_without_a_login(browser):
    assert Client().get(PATH).status_code == 302
    assert Client().post(PATH, {"new_password1": NEW, "new_password2": NEW}).status_code == 302
    long = "long word " * 1638
    assert browser.post(PATH, {"new_password1": long, "new_password2": long}).status_code == 303
    assert lets_in(long)


def test_it_wants_a_csrf_token(operator):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(operator)
    assert browser.post(PATH, {"new_password1": NEW, "new_password2": NEW}).status_code == 403
