"""What would it know, and what was discussed: by mouse."""

from playwright.sync_api import expect

from memory.db import profile_scope
from memory.models import EpisodeSummary
from tests.browser.life import discussions, knows


def test_a_message_is_typed_and_its_notes_appear(sight, anna):
    knows(anna, "dog.name", "Beans")
    discussions(anna)
    page = sight.open("/dashboard/context")
    page.evaluate("window.mine = true")
    page.get_by_label("Message").fill("Is Beans afraid of the heat pump?")
    page.get_by_role("button", name="Look").click()
    expect(page.locator("pre.block")).to_contain_text("Your dog's name is Beans.")
    expect(page.locator("pre.block")).to_contain_text("Possibly relevant past conversations:")
    assert page.evaluate("window.mine")
    item = page.locator(".recalled", has_text="Your dog's name is Beans.")
    item.get_by_text("Rank").click()
    expect(item.get_by_text("the question names Beans")).to_be_visible()
    assert sight.serious() == []


def test_it_works_without_javascript(look, anna):
    knows(anna, "dog.name", "Beans")
    page = look(java_script_enabled=False).open("/dashboard/context")
    page.get_by_label("Message").fill("Where is Beans?")
    page.get_by_role("button", name="Look").click()
    expect(page.locator("pre.block")).to_contain_text("Your dog's name is Beans.")


def test_a_conversation_is_found_opened_and_its_summary_deleted(sight, anna):
    discussions(anna)
    page = sight.open("/dashboard/episodes")
    page.get_by_role("searchbox").fill("heat")
    expect(page.locator("#found li.fact")).to_have_count(1)
    page.get_by_role("link", name="Open").click()
    expect(page.get_by_text("Take the offer of Nordkuhl")).to_be_visible()
    page.locator(".facts").get_by_text("Rank").click()
    expect(page.get_by_text("Words of the question in it")).to_be_visible()
    page.locator(".facts").get_by_role("link").click()
    expect(page.locator(".said").first).to_contain_text("When does the heat pump come?")
    page.go_back()
    page.get_by_role("link", name="Delete the summary").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("The summary is deleted.")).to_be_visible()
    with profile_scope(anna.profile_id):
        assert EpisodeSummary.objects.count() == 1
