"""Facts, with a mouse, a keyboard and a script; and without a script."""

import re

import pytest
from playwright.sync_api import expect

from memory.db import profile_scope
from memory.models import Fact
from tests.browser.life import knows, lived, told


def states(who):
    with profile_scope(who.profile_id):
        return dict(Fact.objects.values_list("value", "state"))


def reads(page, sentence):
    page.locator("p.sentence").get_by_text(sentence, exact=True).wait_for()


def test_it_finds_as_one_types(sight, anna):
    lived(anna)
    page = sight.open("/dashboard/facts")
    page.get_by_label("Find", exact=True).press_sequentially("hazel")
    page.wait_for_url("**q=hazel**")
    page.locator("li.fact").nth(1).wait_for(state="detached")
    assert page.locator("li.fact").count() == 1
    assert "hazelnuts" in page.locator("li.fact").inner_text()
    assert page.evaluate("document.activeElement.id") == "q"
    page.go_back()
    expect(page.locator("li.fact")).to_have_count(12)


def test_it_narrows_when_a_choice_is_made(sight, anna):
    lived(anna)
    page = sight.open("/dashboard/facts")
    page.get_by_label("Category").select_option("goal")
    expect(page.locator("li.fact")).to_have_count(1)
    page.get_by_label("Category").select_option("")
    page.get_by_label("Grouped by").select_option("entity")
    page.get_by_role("heading", name="Beans").wait_for()


def test_it_edits_in_its_place_by_keyboard(sight, anna):
    knows(anna, "dog.name", "Beans")
    page = sight.open("/dashboard/facts")
    page.get_by_role("link", name="Edit").focus()
    page.keyboard.press("Enter")
    value = page.get_by_label("Value")
    value.wait_for()
    assert page.evaluate("document.activeElement.name") == "value"
    value.fill("Bean")
    page.get_by_role("button", name="Save").press("Enter")
    reads(page, "Your dog's name is Bean.")
    expect(page.locator("#said")).to_have_text("Saved.")
    assert page.evaluate("document.activeElement.textContent").startswith("Edit")
    assert states(anna) == {"Beans": "superseded", "Bean": "current"}


def test_it_says_in_its_place_what_cannot_be(sight, anna):
    fact = knows(anna, "dog.name", "Beans")
    page = sight.open("/dashboard/facts")
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Value").fill("My card is 4111 1111 1111 1111")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("alert").get_by_text("never").wait_for()
    page.get_by_role("link", name="Leave it").click()
    reads(page, "Your dog's name is Beans.")
    assert page.locator(f"#fact-{fact.id}").count() == 1
    # What the server refuses is no error of the page, though the browser notes it.
    sight.troubles = [each for each in sight.troubles if "400 (Bad Request)" not in each]


def test_it_deletes_and_takes_back_in_one_place(sight, anna):
    knows(anna, "dog.name", "Beans")
    page = sight.open("/dashboard/facts")
    page.get_by_role("link", name="Delete").click()
    undo = page.get_by_role("button", name="Undo")
    undo.wait_for()
    assert states(anna) == {"Beans": "deleted"}
    assert page.evaluate("document.activeElement.textContent") == "Undo"
    undo.press("Enter")
    reads(page, "Your dog's name is Beans.")
    assert states(anna) == {"Beans": "current"}


def test_it_deletes_what_is_ticked_after_showing_it(sight, anna):
    for number in range(3):
        knows(anna, f"thing.{number}", f"thing {number}")
    page = sight.open("/dashboard/facts")
    page.get_by_role("button", name="Tick all").click()
    page.get_by_role("checkbox").nth(1).uncheck()
    page.get_by_role("button", name="Delete what is ticked").click()
    page.get_by_text("Nothing has changed yet").wait_for()
    assert set(states(anna).values()) == {"current"}
    page.get_by_role("button", name="Delete 2 facts").click()
    page.get_by_text("2 facts: done.").wait_for()
    assert sorted(states(anna).values()) == ["current", "deleted", "deleted"]


def test_the_score_opens_into_its_parts(sight, anna):
    knows(anna, "dog.name", "Beans", confidence=0.5)
    page = sight.open("/dashboard/facts")
    assert not page.get_by_text("Freshness").is_visible()
    page.locator(".score summary").press("Enter")
    assert page.get_by_text("Freshness").is_visible()


def test_its_source_leads_to_the_very_words(sight, anna):
    said = "Let me tell you something. Our dog is called Beans.\nShe is a beagle."
    audit_id = told(anna, said)
    knows(anna, "dog.name", "Beans", quote="our dog is called Beans", audit_id=audit_id)
    page = sight.open("/dashboard/facts")
    page.get_by_role("link", name="your words").click()
    page.wait_for_url(re.compile("#quote$"))
    assert page.locator("mark#quote").inner_text() == "Our dog is called Beans"
    assert page.locator("mark").count() == 1


def test_a_former_value_is_used_again(sight, anna):
    fact = knows(anna, "address.city", "Oslo")
    page = sight.open("/dashboard/facts")
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Value").fill("Tartu")
    page.get_by_role("button", name="Save").click()
    reads(page, "You live in Tartu.")
    page.get_by_role("link", name="History").click()
    page.get_by_role("button", name="Use this value again").click()
    page.get_by_text("This value holds again.").wait_for()
    assert states(anna) == {"Oslo": "current", "Tartu": "superseded"}
    assert fact.id


def test_a_fact_is_added(sight, anna):
    page = sight.open("/dashboard/facts")
    page.get_by_role("link", name="Add a fact").click()
    page.get_by_label("Value").fill("Beans")
    page.get_by_label("Key").fill("dog.name")
    page.get_by_label("Expires on").fill("2031-01-31")
    page.get_by_role("button", name="Add", exact=True).click()
    reads(page, "Your dog's name is Beans.")
    assert states(anna) == {"Beans": "current"}


def test_everything_works_without_a_script(look, anna):
    knows(anna, "dog.name", "Beans")
    sight = look(java_script_enabled=False)
    page = sight.open("/dashboard/facts")
    page.get_by_label("Find", exact=True).fill("bea")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Value").fill("Bean")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("It is back.").wait_for()
    assert states(anna) == {"Beans": "superseded", "Bean": "current"}


def test_it_says_so_where_the_server_is_away(sight, anna):
    knows(anna, "dog.name", "Beans")
    page = sight.open("/dashboard/facts")
    sight.context.set_offline(True)
    page.get_by_role("link", name="Delete").click()
    page.get_by_text("The server does not answer").wait_for()
    sight.context.set_offline(False)
    assert states(anna) == {"Beans": "current"}
    # The browser and htmx note it too.
    noted = ("ERR_INTERNET_DISCONNECTED", "htmx:")
    sight.troubles = [each for each in sight.troubles if not any(word in each for word in noted)]


@pytest.mark.parametrize(
    "value",
    ["<img src=x onerror=alert(1)>", "\u202egnp.exe \u2066 عربي", "w" * 1000, "</script><script>alert(1)</script>"],
)
def test_no_value_breaks_out(look, anna, value):
    knows(anna, "note.one", value, quote=value, audit_id=told(anna, value))
    sight = look(viewport={"width": 390, "height": 844})
    alerts = []
    sight.page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    for path in ("/dashboard/facts", "/dashboard/audit"):
        page = sight.open(path)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, path
    page = sight.open("/dashboard/facts")
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Value").wait_for()
    assert page.get_by_label("Value").input_value() == value
    assert alerts == []
