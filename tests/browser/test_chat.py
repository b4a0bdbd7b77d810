"""The chat page: the answer as it comes, what memory gave, and what goes wrong."""

import json

import pytest
from playwright.sync_api import expect

from memory import spaces
from memory.db import profile_scope
from memory.models import AuditLog
from tests.browser.conftest import NARROW
from tests.browser.life import discussions, knows
from tests.dashboard.test_facts import HOSTILE
from tests.scripted_model.replies import Hang, HangUp, Status, Text


def say(page, text):
    page.get_by_label("Message").fill(text)
    page.get_by_role("button", name="Send").click()


def overlook_refusals(sight):
    """The browser itself reports each answer that is an error."""
    sight.troubles = [each for each in sight.troubles if "Failed to load resource" not in each]


def chats(who):
    with profile_scope(who.profile_id):
        return list(AuditLog.objects.filter(event_type="chat.completed").order_by("id"))


def test_the_answer_comes_piece_by_piece_with_what_memory_gave(sight, anna, model):
    knows(anna, "dog.name", "Beans")
    knows(anna, "address.city", "Tartu")
    discussions(anna)
    model.reply(Text(pieces=["It ", "is ", "<b>Beans</b>."], interval=0.8))
    page = sight.open("/dashboard/chat")
    say(page, "Does Beans like the heat pump?")
    answer = page.locator(".said").nth(1)
    expect(answer.locator("> p")).to_have_text("It")
    assert answer.get_attribute("aria-busy") == "true"
    expect(answer.locator("> p")).to_have_text("It is <b>Beans</b>.")
    expect(answer.locator(".chip")).to_have_count(3)
    expect(page.get_by_label("Message")).to_be_focused()
    chip = answer.locator(".chip", has_text="Your dog's name is Beans.")
    chip.locator("summary").click()
    expect(chip.get_by_text("asked for")).to_be_visible()
    expect(chip.get_by_text("Words of the question in it")).to_be_visible()
    expect(answer.locator(".chip[data-rule=alike]")).to_contain_text("heat pump")
    assert sight.serious() == []
    answer.get_by_role("link", name="What it taught").click()
    expect(page.get_by_role("heading", name="What it was given from memory")).to_be_visible()


def test_what_was_said_goes_along_and_enter_sends(sight, anna, model):
    model.script(["Noted.", "Beans."])
    page = sight.open("/dashboard/chat")
    say(page, "My dog is called Beans.")
    expect(page.locator(".given")).to_have_count(1)
    page.get_by_label("Message").fill("What is it")
    page.keyboard.press("End")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("called?")
    page.keyboard.press("Enter")
    expect(page.locator(".given")).to_have_count(2)
    sent = [(m["role"], m["content"]) for m in model.chats[1].messages if m["role"] != "system"]
    assert sent == [
        ("user", "My dog is called Beans."),
        ("assistant", "Noted."),
        ("user", "What is it\ncalled?"),
    ]
    assert len({row.conversation_id for row in chats(anna)}) == 1
    page.get_by_role("link", name="New chat").click()
    expect(page.locator(".said")).to_have_count(0)


def test_off_the_record_and_in_a_space(sight, anna, model):
    spaces.create_space(profile_id=anna.profile_id, fields={"slug": "work", "name": "Office"})
    knows(anna, "dog.name", "Beans")
    model.reply("Fine.")
    page = sight.open("/dashboard/chat")
    page.get_by_label("Space").select_option("work")
    page.get_by_label("Off the record", exact=True).check()
    say(page, "My zebra is sick, and Beans too.")
    expect(page.get_by_text("Off the record: memory gave nothing")).to_be_visible()
    (row,) = chats(anna)
    assert row.payload["space"] == "work"
    assert "zebra" not in json.dumps(row.payload)
    assert "Beans." not in model.chats[0].text.replace("Beans too.", "")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Status(429, headers={"Retry-After": "7"}), "takes no more requests for now"),
        (HangUp(), "cannot be reached"),
        (Text(""), "nothing"),
    ],
)
def test_what_fails_is_a_sentence_and_the_message_is_not_lost(sight, anna, model, reply, words):
    model.reply(reply)
    page = sight.open("/dashboard/chat")
    say(page, "Hello there")
    expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()
    expect(page.get_by_label("Message")).to_have_value("Hello there")
    expect(page.locator(".said")).to_have_count(0)
    model.reset().reply("Hi.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".said").nth(1)).to_contain_text("Hi.")
    expect(page.locator("#problem")).to_be_hidden()
    overlook_refusals(sight)


def test_an_answer_that_breaks_off_stays_and_is_told(sight, anna, model):
    model.reply(Text(pieces=["one ", "two ", "three"], hang_up_after=2))
    page = sight.open("/dashboard/chat")
    say(page, "Count")
    expect(page.locator("#problem")).to_be_visible()
    expect(page.locator(".said").nth(1)).to_contain_text("one two")


def test_it_is_stopped(sight, anna, model):
    model.reply(Text(pieces=["one ", "two "], stall_after=1))
    page = sight.open("/dashboard/chat")
    say(page, "Count")
    expect(page.locator(".said").nth(1)).to_contain_text("one")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    model.reset().reply(Hang())
    say(page, "Again")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_label("Message")).to_have_value("Again")
    model.wait_for(lambda each: each.open_answers == 0)


def test_it_works_without_javascript(look, anna, model):
    knows(anna, "dog.name", "Beans")
    model.script(["It is Beans.", Status(429)])
    sight = look(java_script_enabled=False, viewport=NARROW)
    page = sight.open("/dashboard/chat")
    say(page, "What is my dog called?")
    expect(page.locator(".said").nth(1)).to_contain_text("It is Beans.")
    page.locator(".chip summary").click()
    expect(page.get_by_text("asked for")).to_be_visible()
    say(page, "And my cat?")
    expect(page.get_by_role("alert").filter(has_text="takes no more requests for now")).to_be_visible()
    expect(page.get_by_label("Message")).to_have_value("And my cat?")
    expect(page.locator(".said")).to_have_count(2)
    assert len(chats(anna)) == 1
    overlook_refusals(sight)


@pytest.mark.parametrize(
    "text", [HOSTILE[0], HOSTILE[1], HOSTILE[5], "w" * 16_384], ids=["tag", "image", "rtl", "long"]
)
def test_hostile_words_are_words(look, anna, model, text):
    knows(anna, "note.one", text[:1000])
    model.reply(text)
    sight = look(viewport=NARROW)
    page = sight.open("/dashboard/chat")
    say(page, "note one " + text)
    expect(page.locator(".given")).to_have_count(1)
    assert page.locator(".said > p").nth(1).text_content() == text
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    assert page.locator("#talk img, #talk script").count() == 0
