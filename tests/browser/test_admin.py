"""Django admin, by mouse: a fact is found, corrected by the same rules, and the log cannot be changed."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from memory.db import profile_scope
from memory.models import AuditLog, Fact
from tests.browser.life import knows, waits


@pytest.fixture
def operator(sight, anna):
    User.objects.filter(id=anna.user_id).update(is_superuser=True, is_staff=True)
    return sight


def test_a_fact_is_found_and_an_edit_goes_the_way_of_every_edit(operator, anna):
    knows(anna, "dog.name", "Beans")
    knows(anna, "address.city", "Oslo")
    page = operator.open("/dashboard/facts")
    page.get_by_role("link", name="Admin").click()
    page.locator("#content").get_by_role("link", name="Facts", exact=True).click()
    page.locator("#searchbar").fill("Beans")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#result_list tbody tr")).to_have_count(1)
    page.get_by_role("link", name="dog.name").click()
    page.locator("#id_value").fill("Bean")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Done.")).to_be_visible()
    with profile_scope(anna.profile_id):
        assert dict(Fact.objects.values_list("value", "state")) == {
            "Beans": "superseded",
            "Bean": "current",
            "Oslo": "current",
        }
        assert AuditLog.objects.get(event_type="memory.fact.user_edited").actor == "operator"


def test_proposals_are_narrowed_and_answered(operator, anna):
    waits(anna, "preference.tea", "white tea", ["low_confidence"])
    knows(anna, "dog.name", "Beans")
    page = operator.open("/admin/memory/fact/")
    page.get_by_role("link", name="pending").click()
    expect(page.locator("#result_list tbody tr")).to_have_count(1)
    page.locator("input.action-select").check()
    page.locator("select[name=action]").select_option("approve")
    page.get_by_role("button", name="Go").click()
    expect(page.get_by_text("Done.")).to_be_visible()
    with profile_scope(anna.profile_id):
        assert set(Fact.objects.values_list("state", flat=True)) == {"current"}


def test_the_log_is_there_to_be_read_alone(operator, anna):
    knows(anna, "dog.name", "Beans")
    page = operator.open("/admin/memory/auditlog/")
    page.locator("#result_list tbody a").first.click()
    expect(page.locator("pre")).to_contain_text("Beans")
    assert page.locator("input[type=submit]").count() == 0
    page.get_by_role("link", name="default").first.click()
    expect(page.get_by_role("heading", name="Change profile")).to_be_visible()
