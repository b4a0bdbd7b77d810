"""Background work: one and all read again, what the operator sees, charts."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from memory import workers
from memory.db import profile_scope
from memory.models import WorkItem
from tests.browser.life import read, told, worked


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_all_that_was_given_up_is_read_again(look, anna, script):
    for n in range(3):
        read(anna, told(anna, f"It rains, {n}."), state="dead", error="no JSON in it", error_code="model_nonsense")
    page = look(java_script_enabled=script).open("/dashboard/workers")
    page.get_by_role("button", name="Read all 3 again").click()
    expect(page.get_by_text("3 chats are read again.")).to_be_visible()
    with profile_scope(anna.profile_id):
        assert set(WorkItem.objects.values_list("state", flat=True)) == {"waiting"}


def test_it_shows_where_the_work_stands_and_what_it_took(sight, anna):
    worked(anna)
    page = sight.open("/dashboard/workers")
    page.get_by_role("link", name="Failing").click()
    expect(page.get_by_text("openai does not answer")).to_be_visible()
    page.get_by_role("link", name="Read", exact=True).click()
    expect(page.locator("li.fact")).to_have_count(20)
    expect(page.get_by_role("img", name="Tokens a day")).to_be_visible()
    assert page.locator("figure rect").count() == 120
    # 12,860 tokens in and 1,200 out, at $1 and $5 a million.
    expect(page.locator("figure", has_text="Cost a day")).to_contain_text("$0.0189 in all")
    expect(page.get_by_text("The whole installation")).to_have_count(0)


def test_the_operator_sees_the_installation(sight, anna):
    User.objects.filter(id=anna.user_id).update(is_superuser=True, is_staff=True)
    read(anna, told(anna, "It rains."), state="dead", error="no", error_code="x")
    workers.report(name="worker@attic", queues=["extract"], threads=4, problem="", begins=True)
    page = sight.open("/dashboard/workers")
    expect(page.get_by_text("worker@attic")).to_be_visible()
    assert sight.serious() == []
    page.get_by_role("button", name="Read everybody's again").click()
    expect(page.get_by_text("1 chat is read again.")).to_be_visible()
