"""Who and what the facts are about: found as one types, and all that is known about one."""

import pytest
from playwright.sync_api import expect

from memory.db import profile_scope
from memory.models import Fact
from tests.browser.life import lived


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_one_is_found_and_all_that_is_known_about_it_is_there(look, anna, script):
    lived(anna)
    page = look(java_script_enabled=script).open("/dashboard/entities")
    expect(page.locator("li.fact")).to_have_count(4)
    page.get_by_label("Find", exact=True).fill("bea")
    if not script:
        page.get_by_role("button", name="Find").click()
    expect(page.locator("li.fact")).to_have_count(1)
    page.get_by_role("link", name="Beans").click()
    expect(page.get_by_role("heading", name="Beans")).to_be_visible()
    expect(page.locator("p.sentence", has_text="Your dog's name is Beans.")).to_be_visible()
    expect(page.get_by_text("first mentioned")).to_be_visible()
    page.get_by_role("link", name="your words").first.click()
    expect(page.locator("mark")).to_contain_text("Our dog is called Beans")


def test_a_kind_is_chosen(sight, anna):
    lived(anna)
    page = sight.open("/dashboard/entities")
    page.get_by_label("Kind").select_option("pet")
    expect(page.locator("li.fact")).to_have_count(1)


def test_what_is_known_about_it_is_corrected_in_its_place(sight, anna):
    lived(anna)
    with profile_scope(anna.profile_id):
        entity = Fact.objects.get(value="Beans").entity_id
    page = sight.open(f"/dashboard/entities/{entity}")
    page.get_by_role("link", name="Edit Your dog's name is Beans.").click()
    page.get_by_label("Value").fill("Bean")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("p.sentence", has_text="Your dog's name is Bean.")).to_be_visible()
