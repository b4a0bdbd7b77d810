"""Proposals, answered by mouse and by keyboard."""

from playwright.sync_api import expect

from memory.db import profile_scope
from memory.models import Fact
from tests.browser.life import knows, waits


def states(who):
    with profile_scope(who.profile_id):
        return dict(Fact.objects.values_list("value", "state"))


def four(who):
    knows(who, "address.city", "Oslo")
    waits(who, "address.city", "Tartu", ["against_pinned"])
    for value in ("white tea", "green tea", "black tea"):
        waits(who, f"preference.{value.replace(' ', '_')}", value, ["low_confidence"])


def test_it_is_answered_by_keyboard_alone(sight, anna):
    four(anna)
    page = sight.open("/dashboard/review")
    page.keyboard.press("j")
    assert "Tartu" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("a")
    page.locator(".answered").wait_for()
    expect(page.locator("#review-count")).to_contain_text("3")
    assert "black tea" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert "black tea" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("r")
    page.locator(".answered").nth(1).wait_for()
    page.keyboard.press("e")
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    # In a field a letter is a letter.
    page.keyboard.press("Control+a")
    page.keyboard.type("jasmine tea")
    page.locator("li.proposal:focus-within").get_by_role("button", name="Approve as edited").press("Enter")
    page.locator(".answered").nth(2).wait_for()
    assert states(anna) == {
        "Oslo": "superseded",
        "Tartu": "current",
        "black tea": "rejected",
        "green tea": "rejected",
        "jasmine tea": "current",
        "white tea": "pending",
    }


def test_it_is_answered_without_a_script(look, anna):
    four(anna)
    page = look(java_script_enabled=False).open("/dashboard/review")
    page.get_by_role("button", name="Replace").click()
    page.get_by_text("Approved.").wait_for()
    page.get_by_role("button", name="Reject", exact=True).first.click()
    page.get_by_text("Rejected.").wait_for()
    assert states(anna)["Tartu"] == "current"


def test_many_are_answered_at_once(sight, anna):
    four(anna)
    page = sight.open("/dashboard/review")
    page.get_by_role("button", name="Tick all").click()
    page.get_by_role("button", name="Approve what is ticked").click()
    page.get_by_text("Oslo").wait_for()
    page.get_by_role("button", name="Approve 4 proposals").click()
    page.get_by_text("Nothing waits for you.").wait_for()
    assert "pending" not in states(anna).values()
