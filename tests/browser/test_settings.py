"""People, workers and settings, by mouse."""

from pathlib import Path

from django.contrib.auth.models import User
from playwright.sync_api import expect

from memory import apikeys, spaces
from memory.db import profile_scope
from memory.models import Profile, Space, WorkItem
from tests.browser.life import knows, worked


def test_consent_is_switched(sight, anna):
    spaces.create_space(profile_id=anna.profile_id, fields={"slug": "work", "name": "Office"})
    page = sight.open("/dashboard/people")
    page.get_by_label("Sum up conversations, Everywhere").uncheck()
    page.get_by_label("Learn facts, Office").uncheck()
    page.get_by_label("Time zone").fill("Europe/Tallinn")
    page.get_by_label("Everything waits for review").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    with profile_scope(anna.profile_id):
        now = Profile.objects.get()
        assert (now.memory_enabled, now.summaries_enabled, now.approval) == (True, False, "review")
        assert now.timezone == "Europe/Tallinn"
        assert not Space.objects.get(slug="work").memory_enabled
    expect(page.get_by_label("Learn facts, Office")).not_to_be_checked()


def test_a_space_comes_and_goes(sight, anna):
    page = sight.open("/dashboard/people")
    page.get_by_label("New space").fill("work")
    page.get_by_role("button", name="Add New space").click()
    page.get_by_role("link", name="Remove").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("The space is removed.")).to_be_visible()


def test_what_was_given_up_is_read_again(sight, anna):
    worked(anna)
    page = sight.open("/dashboard/workers")
    expect(page.get_by_text("no JSON in it")).to_be_visible()
    page.get_by_text("What the model said").click()
    expect(page.get_by_text("flat: 54 m2")).to_be_visible()
    page.get_by_role("button", name="Read again").click()
    expect(page.get_by_text("as soon as a worker is free")).to_be_visible()
    with profile_scope(anna.profile_id):
        assert not WorkItem.objects.filter(state="dead").exists()


def test_a_key_is_made_and_revoked(sight, anna):
    page = sight.open("/dashboard/settings")
    page.get_by_label("Name of a new key").fill("lamp")
    page.get_by_role("button", name="Make a key").click()
    secret = page.locator(".secret").inner_text()
    assert apikeys.authenticate(secret)
    page.get_by_role("button", name="Revoke lamp").click()
    expect(page.get_by_text("The key opens nothing any more.")).to_be_visible()
    assert apikeys.authenticate(secret) is None


def test_a_model_is_tested(sight, anna, model):
    User.objects.filter(id=anna.user_id).update(is_superuser=True)
    model.reply("ready")
    page = sight.open("/dashboard/settings")
    page.get_by_role("button", name="Test this model Chat").click()
    expect(page.locator("#tried")).to_contain_text("it answered after")
    expect(page.locator("#tried pre")).to_have_text("ready")


def test_people_and_settings_work_without_a_script(look, anna):
    page = look(java_script_enabled=False).open("/dashboard/people")
    page.get_by_label("Language").fill("et")
    page.get_by_label("Learn facts, Everywhere").uncheck()
    page.get_by_label("Diagnoses, medication, test results").select_option("review")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    with profile_scope(anna.profile_id):
        now = Profile.objects.get()
        assert (now.language, now.memory_enabled, now.sensitive_policy["health"]) == ("et", False, "review")
    page.goto("/dashboard/settings")
    page.get_by_label("Name of a new key").fill("lamp")
    page.get_by_role("button", name="Make a key").click()
    assert apikeys.authenticate(page.locator(".secret").inner_text())


def test_everything_is_downloaded(sight, anna):
    knows(anna, "dog.name", "Beans")
    page = sight.open("/dashboard/settings")
    page.get_by_label("A file from the profile").select_option("markdown")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename.endswith(".md")
    assert "Beans" in Path(download.value.path()).read_text()


def test_settings_tell_how_long_things_are_kept_and_how_facts_read(sight, anna):
    User.objects.filter(id=anna.user_id).update(is_superuser=True)
    page = sight.open("/dashboard/settings")
    expect(page.get_by_text("Chats, their summaries and passages: 90 days. Facts stay.")).to_be_visible()
    expect(page.get_by_text("CAESAR_MEMORY__RETENTION_DAYS")).to_be_visible()
    expect(page.get_by_text("CAESAR_MEMORY__TEMPLATES_PATH")).to_be_visible()
    assert not page.get_by_text("Your name is {value}.").is_visible()
    page.get_by_text("sentences", exact=False).locator("xpath=self::summary").click()
    expect(page.get_by_text("Your name is {value}.")).to_be_visible()


def test_a_profile_is_chosen(sight, anna):
    page = sight.open("/dashboard/people")
    page.get_by_label("New profile").fill("house")
    page.get_by_role("button", name="Add New profile").click()
    page.get_by_label("Profile", exact=True).select_option("house")
    page.get_by_role("button", name="Switch").click()
    expect(page.get_by_text("Memory is off for this profile")).to_be_visible()
    page.goto("/dashboard/settings/erase")
    page.get_by_role("textbox").fill("house")
    page.get_by_role("button", name="Erase everything").click()
    expect(page.get_by_text("Erased:")).to_be_visible()
    expect(page.get_by_label("Profile", exact=True)).to_have_count(0)
