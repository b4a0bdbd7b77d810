"""The dashboard while the database is away: a page that says so, in the dashboard's style."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests import server
from tests.browser.conftest import NARROW, WIDE
from tests.server import Web

NOWHERE = "postgresql://anna:hunter2@127.0.0.1:1/caesar"


@pytest.fixture(scope="module")
def alone(cluster: Any) -> Iterator[Web]:
    with server.running({"CAESAR_DATABASE_URL": NOWHERE}) as web:
        yield web


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_it_says_so(look, alone, size):
    sight = look(web=alone, viewport=size, color_scheme="dark")
    response = sight.page.goto("/dashboard/facts?q=tea")
    assert response.status == 503
    assert response.headers["retry-after"]
    expect(sight.page.get_by_role("heading", name="The database is away")).to_be_visible()
    again = sight.page.get_by_role("link", name="Try again")
    assert again.get_attribute("href") == "/dashboard/facts?q=tea"
    assert "hunter2" not in sight.page.content()
    assert sight.serious() == []
    wide = sight.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    sight.troubles = [each for each in sight.troubles if "503" not in each]


def test_what_a_page_asks_meanwhile_is_told_on_it(sight, anna):
    page = sight.open("/dashboard/facts")
    page.route("**/dashboard/facts?q=*", lambda route: route.fulfill(status=503, body="away"))
    page.get_by_role("searchbox").fill("tea")
    expect(page.get_by_text("The database does not answer. Try again in a moment.")).to_be_visible()
    sight.troubles = [each for each in sight.troubles if "503" not in each]
