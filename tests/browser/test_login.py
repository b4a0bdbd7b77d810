"""In by a password, a link or the dashboard's token, and out again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from caesar.login import tokens
from memory import profiles
from tests import server
from tests.server import Web

PASSWORD = "correct horse battery"
TOKEN = "a-long-token-of-the-operators-own"


@pytest.fixture
def door(look: Any) -> Any:
    """A window of somebody who is not logged in."""
    sight = look()
    sight.context.clear_cookies()
    return sight


@pytest.fixture(scope="module")
def with_token(cluster: Any) -> Iterator[Web]:
    with server.running({"CAESAR_DASHBOARD__TOKEN": TOKEN}) as web:
        yield web


def test_who_has_a_password_gets_in_where_they_wanted_to_go_and_out(door, anna):
    user = User.objects.get(id=anna.user_id)
    user.set_password(PASSWORD)
    user.save()
    page = door.page
    page.goto("/dashboard/review")
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    page.get_by_label("Name").fill("anna")
    page.get_by_label("Password").fill("a guess")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_have_text("That is not right.")
    page.get_by_label("Name").fill("anna")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Review")).to_be_visible()
    assert page.url.endswith("/dashboard/review")
    page.get_by_role("button", name="Log out anna").click()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    page.goto("/dashboard/facts")
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    door.troubles = [each for each in door.troubles if "400 (Bad Request)" not in each]


def test_who_guesses_has_to_wait(door):
    page = door.page
    page.goto("/login/")
    for _ in range(11):
        page.get_by_label("Name").fill("operator")
        page.get_by_label("Password").fill("a guess")
        page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_contain_text("Too many wrong tries")
    assert door.serious() == []
    door.troubles = [each for each in door.troubles if "400 (Bad" not in each and "429 (Too" not in each]


def test_a_link_opens_the_dashboard_by_its_button_and_a_password_is_set(door):
    profiles.ensure_operator()
    page = door.page
    page.goto(tokens.make())
    page.get_by_role("button", name="Open the dashboard").click()
    expect(page.get_by_role("heading", name="Facts")).to_be_visible()
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Set a password").click()
    page.get_by_label("New password").fill("short")
    page.get_by_label("The same again").fill("short")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("too short")
    assert door.serious() == []
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_label("The same again").fill(PASSWORD)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.get_by_role("link", name="Change the password").click()
    expect(page.get_by_label("Old password")).to_be_visible()
    assert User.objects.get(username="operator").check_password(PASSWORD)
    door.troubles = [each for each in door.troubles if "400 (Bad Request)" not in each]


def test_the_dashboards_token_opens_it(look, with_token):
    profiles.ensure_operator()
    sight = look(web=with_token)
    sight.context.clear_cookies()
    page = sight.page
    page.goto("/login/")
    assert sight.serious() == []
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Log in").nth(1).click()
    expect(page.get_by_role("button", name="Log out operator")).to_be_visible()
