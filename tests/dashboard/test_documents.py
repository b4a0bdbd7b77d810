"""/dashboard/documents: give a file, see how far it is, answer what it proposes, delete it."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from memory import profiles
from memory.db import profile_scope
from memory.models import Document, Fact, WorkItem
from tests.dashboard.conftest import Page
from tests.everywhere import rows_of
from tests.memory.documents import made
from tests.memory.documents.acts import give
from workers import tasks

PATH = "/dashboard/documents"
CV = made.pdf("I live in Porto.", "My dog is called Beans.")


def send(visitor, *files, **more):
    uploaded = [SimpleUploadedFile(name, content) for name, content in files]
    return visitor.client.post(PATH, {"file": uploaded, **more}, follow=True)


def one(visitor):
    with profile_scope(visitor.who.profile_id):
        return f"{PATH}/{Document.objects.get().id}"


def test_a_file_is_given_read_and_answered(anna):
    assert PATH in anna.page("/dashboard/facts").links()
    assert "No document was given yet." in anna.page(PATH).text
    response = send(anna, ("cv.pdf", CV))
    assert response.redirect_chain == [(one(anna), 303)]
    text = Page(response.content).text
    assert "cv.pdf is being read." in text
    assert "0 of 2 parts" in text
    assert 'hx-trigger="every 2s"' in response.content.decode()
    tasks.drain()
    page = anna.page(one(anna))
    assert "2 of 2 parts" in page.text
    assert "Porto" in page.text
    assert "I live in Porto." in page.text
    assert "cv.pdf, page 2" in " ".join(page.text.split())
    assert "every 2s" not in anna.get(one(anna)).content.decode()
    with profile_scope(anna.who.profile_id):
        city = Fact.objects.get(key="address.city")
    anna.post(f"/dashboard/review/{city.id}", {"answer": "approve", "version": city.version})
    page = anna.page(one(anna))
    assert "What it taught" in page.text
    assert "holds now" in page.text
    assert "cv.pdf, page 2" in " ".join(anna.page("/dashboard/review").text.split())


def test_several_are_taken_one_by_one(anna):
    text = Page(
        send(anna, ("a.txt", b"I live in Porto."), ("b.pdf", b"no PDF"), ("a2.txt", b"I live in Porto.")).content
    ).text
    assert "a.txt is being read." in text
    assert "b.pdf: The name says PDF, but what is in the file is no PDF. Nothing of it was kept." in text
    assert "a.txt is there already." in text
    with profile_scope(anna.who.profile_id):
        assert Document.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("bomb.docx", made.bomb(300_000_000), "unpacks to far more"),
        ("locked.pdf", made.locked(CV), "locked with a password"),
        ("<b>x</b>.png", b"x", "ends in none of"),
    ],
)
def test_what_cannot_be_taken_says_why_and_leaves_nothing(anna, database, name, content, why):
    before = rows_of(database, anna.who.profile_id)
    response = send(anna, (name, content))
    assert why in Page(response.content).text
    assert b"<b>x" not in response.content
    assert rows_of(database, anna.who.profile_id) == before


def test_no_file_and_no_such_space_are_no_failure(anna):
    assert "Choose a file." in Page(send(anna).content).text
    assert "There is no space" in Page(send(anna, ("a.txt", b"I live in Porto."), space="nowhere").content).text


def test_without_consent_there_is_nothing_to_give(anna):
    profiles.update(profile_id=anna.who.profile_id, changes={"memory_enabled": False})
    assert "Memory is off" in anna.page(PATH).text
    assert "Memory is off here" in Page(send(anna, ("a.txt", b"I live in Porto.")).content).text


def test_what_could_not_be_read_says_why(anna):
    give(anna.who, "a.txt", b"I live in Porto.")
    with profile_scope(anna.who.profile_id):
        WorkItem.objects.update(state="dead", error="The model said nothing.", error_code="model_nonsense")
    assert "not all could be read" in anna.page(PATH).text
    page = anna.page(one(anna))
    assert "The model said nothing." in page.text
    assert "/dashboard/workers?state=dead" in page.links()


def test_deleting_asks_first_and_takes_all_along(anna):
    send(anna, ("cv.pdf", CV))
    tasks.drain()
    path = one(anna)
    assert "Delete this document?" in anna.page(f"{path}/delete").text
    response = anna.client.post(f"{path}/delete", follow=True)
    assert "The document is deleted. 2 facts went with it." in Page(response.content).text
    assert anna.get(path).status_code == anna.post(f"{path}/delete").status_code == 404
    with profile_scope(anna.who.profile_id):
        assert set(Fact.objects.values_list("state", flat=True)) == {"deleted"}
    assert "was deleted with all that came from it" in anna.page("/dashboard/audit").text


def test_the_timeline_names_its_pages(anna):
    send(anna, ("cv.pdf", CV))
    text = anna.page("/dashboard/audit").text
    assert "Given to be read: cv.pdf" in text
    assert "Document “cv.pdf”, page 2" in text


def test_it_is_nobody_elses(anna, bert):
    send(anna, ("cv.pdf", CV))
    path = one(anna)
    assert bert.get(path).status_code == bert.get(f"{path}/delete").status_code == 404
    assert bert.post(f"{path}/delete").status_code == 404
    assert "cv.pdf" not in bert.page(PATH).text
