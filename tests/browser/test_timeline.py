"""The timeline: what happens appears, and every row can be opened."""

from playwright.sync_api import expect

from tests.browser.life import knows, told


def test_what_happens_appears_without_loading_the_page_again(sight, anna):
    told(anna, "I like tea.")
    page = sight.open("/dashboard/audit")
    expect(page.get_by_text("Live: what happens appears here.")).to_be_visible()
    page.evaluate("window.mine = true")
    page.locator("#timeline a").first.focus()
    told(anna, "I like cake.")
    told(anna, "I like jam.")
    expect(page.locator("#timeline li").first).to_contain_text("I like jam.")
    told(anna, "I like pie.")
    expect(page.locator("#timeline li").first).to_contain_text("I like pie.")
    knows(anna, "dog.name", "Beans")
    expect(page.locator("#timeline li").first).to_contain_text("Learned dog.name: Beans")
    assert page.evaluate("window.mine")
    assert "I like tea" in page.evaluate("document.activeElement.textContent")


def test_it_works_without_a_script(look, anna):
    told(anna, "I like tea.")
    knows(anna, "dog.name", "Beans")
    page = look(java_script_enabled=False).open("/dashboard/audit")
    expect(page.locator("#timeline li")).to_have_count(2)
    page.get_by_label("What", exact=True).select_option("facts")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#timeline li")).to_have_count(1)
    page.get_by_role("link", name="Learned dog.name: Beans").click()
    page.get_by_text("All that the row holds").click()
    expect(page.locator("pre")).to_contain_text("Beans")


def test_it_is_narrowed_and_a_row_is_opened(sight, anna):
    told(anna, "I like tea.")
    knows(anna, "dog.name", "Beans")
    page = sight.open("/dashboard/audit")
    page.get_by_label("What", exact=True).select_option("chats")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#timeline li")).to_have_count(1)
    page.locator("#timeline a").first.click()
    expect(page.locator(".said").first).to_contain_text("I like tea.")
    page.get_by_text("All that the row holds").click()
    expect(page.locator("pre")).to_contain_text('"decision_id"')
    with page.expect_navigation():
        page.get_by_role("link", name="JSON").click()
    assert page.url.endswith("/json")
