"""/login/ and /logout/."""

import re
import threading
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from pydantic import SecretStr

from caesar.login import tokens
from caesar.login.models import LoginToken
from memory import profiles
from memory.db import operator_scope
from memory.models import AuditLog

PASSWORD = "correct horse battery"
TOKEN = "a-long-token-of-the-operators-own"

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def operator():
    user = User.objects.get(id=profiles.ensure_operator().user_id)
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def dashboard_token(settings):
    made = settings.CAESAR.dashboard.model_copy(update={"token": SecretStr(TOKEN)})
    settings.CAESAR = settings.CAESAR.model_copy(update={"dashboard": made})


@pytest.fixture
def browser():
    return Client(raise_request_exception=False)


def is_in(browser):
    return browser.get("/dashboard/facts").status_code == 200


def failures():
    with operator_scope():
        return list(AuditLog.objects.filter(event_type="auth.failed").values_list("payload", flat=True))


def token_of(path):
    return re.fullmatch(r"/login/\?token=([\w-]{40,})", path)[1]


def test_it_lets_an_account_in(operator, browser):
    assert not is_in(browser)
    response = browser.post("/login/", {"username": "operator", "password": PASSWORD})
    assert (response.status_code, response["Location"]) == (303, "/dashboard/facts")
    assert is_in(browser)


@pytest.mark.parametrize(
    "typed",
    [
        {"username": "operator", "password": "wrong"},
        {"username": "nobody", "password": PASSWORD},
        {"username": "operator", "password": ""},
        {"username": "opera\0tor", "password": PASSWORD},
        {},
        {"dashboard_token": ""},
        {"dashboard_token": TOKEN},
    ],
)
def test_it_lets_nobody_else_in_and_writes_it_down(operator, browser, typed):
    response = browser.post("/login/", typed)
    assert response.status_code == 400
    assert not is_in(browser)
    assert failures() == [{"address": "127.0.0.1", "door": "password"}]


def test_it_has_no_way_in_with_a_password_before_one_was_set(browser):
    profiles.ensure_operator()
    for password in ("operator", "admin", "changeme", "!", "None"):
        assert browser.post("/login/", {"username": "operator", "password": password}).status_code == 400
    assert not is_in(browser)


def test_it_lets_the_dashboards_token_in(operator, dashboard_token, browser):
    assert browser.post("/login/", {"dashboard_token": TOKEN + "x"}).status_code == 400
    assert browser.post("/login/", {"dashboard_token": TOKEN}).status_code == 303
    assert is_in(browser)


def test_it_opens_a_link_by_its_button_and_once_only(operator, browser):
    path = tokens.make()
    for _ in range(3):  # a preview of the link, and the person
        page = browser.get(path)
        assert page.status_code == 200
        assert "no-store" in page["Cache-Control"]
    assert not is_in(browser)
    assert browser.post("/login/", {"token": token_of(path)}).status_code == 303
    assert is_in(browser)
    other = Client()
    again = other.post("/login/", {"token": token_of(path)})
    assert again.status_code == 400
    assert b"used before or is too old" in again.content
    assert not is_in(other)
    assert failures() == [{"address": "127.0.0.1", "door": "link"}]


def test_it_opens_a_link_for_one_of_two_clicks_at_once(operator):
    token = token_of(tokens.make())
    seen = []

    def click():
        try:
            seen.append(tokens.consume(token))
        finally:
            connection.close()

    threads = [threading.Thread(target=click) for _ in range(6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert sorted(user is None for user in seen) == [False, True, True, True, True, True]


def test_it_opens_no_link_that_is_too_old_or_made_up(operator):
    token = token_of(tokens.make())
    LoginToken.objects.update(expires_at=Now() - timedelta(seconds=1))
    for given in (token, "", "x", "\0", "x" * 100_000, "\udc80"):
        assert tokens.consume(given) is None


def test_it_opens_no_link_of_an_account_that_was_closed(operator):
    token = token_of(tokens.make())
    User.objects.update(is_active=False)
    assert tokens.consume(token) is None


def test_it_keeps_the_link_as_a_hash(operator):
    token = token_of(tokens.make())
    (kept,) = LoginToken.objects.all()
    assert token.encode() not in bytes(kept.digest)


def test_it_forgets_old_links(operator):
    tokens.make()
    LoginToken.objects.update(expires_at=Now() - timedelta(days=2))
    tokens.make()
    assert LoginToken.objects.count() == 1


def test_it_makes_an_address_wait_after_ten_wrong_tries(operator, browser):
    for _ in range(10):
        assert browser.post("/login/", {"username": "operator", "password": "guess"}).status_code == 400
    right = browser.post("/login/", {"username": "operator", "password": PASSWORD})
    assert right.status_code == 429
    assert not is_in(browser)
    assert len(failures()) == 10
    elsewhere = Client(REMOTE_ADDR="10.1.2.3")
    assert elsewhere.post("/login/", {"username": "operator", "password": PASSWORD}).status_code == 303
    assert browser.post("/login/", {"token": token_of(tokens.make())}).status_code == 303


def test_it_takes_the_addresses_of_one_ipv6_network_for_one(operator):
    for host in range(10):
        guessing = Client(REMOTE_ADDR=f"2001:db8:1:2::{host:x}")
        assert guessing.post("/login/", {"username": "operator", "password": "guess"}).status_code == 400
    assert guessing.post("/login/", {"username": "operator", "password": PASSWORD}).status_code == 429
    beside = Client(REMOTE_ADDR="2001:db8:1:3::1")
    assert beside.post("/login/", {"username": "operator", "password": PASSWORD}).status_code == 303


def test_it_wants_a_csrf_token(operator):
    browser = Client(enforce_csrf_checks=True)
    response = browser.post("/login/", {"username": "operator", "password": PASSWORD})
    assert response.status_code == 403
    assert b"load it again" in response.content
    assert not is_in(browser)


@pytest.mark.parametrize(
    ("wanted", "lands"),
    [
        ("/admin/", "/admin/"),
        ("/dashboard/audit?before=3", "/dashboard/audit?before=3"),
        ("https://evil.example/", "/dashboard/facts"),
        ("//evil.example/", "/dashboard/facts"),
        ("/\\evil.example", "/dashboard/facts"),
        ("javascript:alert(1)", "/dashboard/facts"),
        ("admin", "/dashboard/facts"),
        ("", "/dashboard/facts"),
    ],
)
def test_it_goes_on_to_pages_of_ours_alone(operator, browser, wanted, lands):
    response = browser.post("/login/", {"username": "operator", "password": PASSWORD, "next": wanted})
    assert response["Location"] == lands


def test_it_gives_a_new_session_to_who_logs_in(operator, browser):
    browser.get("/login/")
    session = browser.session
    session["planted"] = "1"
    session.save()
    before = browser.cookies["sessionid"].value
    browser.post("/login/", {"username": "operator", "password": PASSWORD})
    assert browser.cookies["sessionid"].value != before
    assert browser.cookies["sessionid"]["httponly"]
    assert browser.cookies["sessionid"]["samesite"] == "Lax"


def test_it_logs_out_by_a_button_only(operator, browser):
    browser.force_login(operator)
    assert browser.get("/logout/").status_code == 405
    assert is_in(browser)
    assert browser.post("/logout/").status_code == 303
    assert not is_in(browser)


def test_it_shows_what_was_asked_for_as_text(browser):
    page = browser.get("/login/?token=%22%3E%3Cscript%3E&next=%22%3E%3Cb%3E").content
    assert b"<script" not in page
    assert b"<b>" not in page


@pytest.mark.parametrize("secure", [True, False])
def test_its_cookies_go_by_https_alone_where_there_is_https(operator, browser, secure):
    browser.get("/login/", secure=secure)
    browser.post("/login/", {"username": "operator", "password": PASSWORD}, secure=secure)
    assert {"sessionid", "csrftoken"} <= set(browser.cookies)
    assert [bool(cookie["secure"]) for cookie in browser.cookies.values()] == [secure] * len(browser.cookies)
    assert browser.cookies["sessionid"]["max-age"] == 7 * 24 * 3600
