"""A document, given and answered in a browser."""

from playwright.sync_api import expect

from memory.db import profile_scope
from memory.models import Document, Fact
from tests.memory.documents import made
from workers import tasks

CV = {"name": "cv.pdf", "mimeType": "application/pdf", "buffer": made.pdf("I live in Porto.", "I have a boat.")}


def test_it_is_given_watched_and_answered(sight, anna):
    page = sight.open("/dashboard/documents")
    assert sight.serious() == []
    page.get_by_label("Give documents to be read").set_input_files(CV)
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.locator("#progress")).to_contain_text("0 of 2 parts")
    tasks.drain()
    # The page looks again by itself.
    expect(page.locator("#progress")).to_contain_text("2 of 2 parts")
    proposal = page.locator("li.proposal", has_text="Porto")
    expect(proposal).to_contain_text("cv.pdf, page 1")
    assert sight.serious() == []
    proposal.get_by_role("button", name="Approve", exact=True).click()
    page.locator(".answered").wait_for()
    with profile_scope(anna.profile_id):
        assert Fact.objects.get(key="address.city").state == "current"


def test_it_works_without_a_script(look, anna):
    page = look(java_script_enabled=False).open("/dashboard/documents")
    page.get_by_label("Give documents to be read").set_input_files(CV)
    page.get_by_role("button", name="Read", exact=True).click()
    page.get_by_text("cv.pdf is being read.").wait_for()
    tasks.drain()
    page.get_by_role("link", name="Look again").click()
    expect(page.locator("#progress")).to_contain_text("2 of 2 parts")
    page.get_by_role("link", name="Delete").first.click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_text("The document is deleted.").wait_for()
    with profile_scope(anna.profile_id):
        assert not Document.objects.exists()


def test_what_is_refused_is_said(sight, anna):
    page = sight.open("/dashboard/documents")
    bad = {"name": "cv.pdf", "mimeType": "application/pdf", "buffer": b"no PDF"}
    page.get_by_label("Give documents to be read").set_input_files(bad)
    page.get_by_role("button", name="Read", exact=True).click()
    page.get_by_text("what is in the file is no PDF").wait_for()
