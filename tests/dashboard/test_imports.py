"""/dashboard/settings/import: a file, what would come of it, and the import."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from memory import files, profiles
from memory.db import profile_scope
from memory.models import AuditLog, Fact
from tests.dashboard.conftest import Page
from tests.everywhere import rows_of
from tests.memory.portable import archives
from tests.memory.portable.acts import export, full

FOG = archives.claude(archives.thread("a", "I like fog.", "Noted."))
PATH = "/dashboard/settings/import"


def look(visitor, content, name="archive.json"):
    return visitor.post(PATH, {"file": SimpleUploadedFile(name, content)})


def kept(visitor):
    return [path for path in files.folder_of(visitor.who.profile_id).rglob("*") if path.is_file()]


def go(response):
    return re.search(rf"{PATH}/[0-9a-f-]{{36}}", response.content.decode())[0]


def test_it_is_linked_from_the_settings(anna):
    assert PATH in anna.page("/dashboard/settings").links()
    assert "Choose a file" in anna.page(PATH).text


def test_a_file_is_looked_through_first_and_then_imported(anna, database):
    before = rows_of(database, anna.who.profile_id)
    response = look(anna, FOG)
    text = Page(response.content).text
    assert "conversations of Claude" in text
    assert "Messages: 2 new" in text
    assert rows_of(database, anna.who.profile_id) == before
    done = anna.post(go(response), {"do": "import", "name": "archive.json"})
    assert (done.status_code, done["Location"]) == (303, PATH)
    page = anna.page(PATH)
    assert "Imported. Conversations: 1 new; Messages: 2 new" in page.text
    assert "archive.json" in page.text
    assert "1 of 1 record" in page.text
    assert "1 chat waits to be read" in page.text
    assert kept(anna) == []
    with profile_scope(anna.who.profile_id):
        assert AuditLog.objects.filter(event_type="chat.completed").count() == 1
    assert "Imported: archive.json" in anna.page("/dashboard/audit").text


def test_a_file_that_is_left_is_not_kept(anna, database):
    before = rows_of(database, anna.who.profile_id)
    response = look(anna, FOG)
    assert len(kept(anna)) == 1
    assert anna.post(go(response), {"do": "drop"}).status_code == 303
    assert kept(anna) == []
    assert rows_of(database, anna.who.profile_id) == before


def test_an_export_may_bring_its_settings(anna, bert):
    full(anna.who)
    profiles.update(profile_id=anna.who.profile_id, changes={"timezone": "Europe/Tallinn"})
    exported = export(anna.who)
    for typed, zone in (({}, "UTC"), ({"with_settings": "on"}, "Europe/Tallinn")):
        anna_s = look(bert, exported, "anna.jsonl")
        assert "Take over the settings" in Page(anna_s.content).text
        bert.post(go(anna_s), {"do": "import", **typed})
        assert profiles.bound(bert.who.profile_id).timezone == zone
    with profile_scope(bert.who.profile_id):
        assert Fact.objects.filter(key="address.city", state="current").count() == 1


@pytest.mark.parametrize("content", [b"", b"Dear Anna", FOG[:-9], b"PK\x03\x04", b"\0\xff"])
def test_what_cannot_be_read_is_said_and_not_kept(anna, content):
    response = look(anna, content)
    assert response.status_code == 400
    assert 'role="alert"' in response.content.decode()
    assert kept(anna) == []


def test_without_a_file_it_asks_for_one(anna):
    response = anna.post(PATH)
    assert response.status_code == 400
    assert "Choose a file." in Page(response.content).text


def test_somebody_elses_file_is_not_there(anna, bert):
    response = look(anna, FOG)
    assert bert.post(go(response), {"do": "import"}).status_code == 404
    with profile_scope(bert.who.profile_id):
        assert not AuditLog.objects.filter(event_type="chat.completed").exists()
    assert len(kept(anna)) == 1


def test_names_of_files_and_what_is_in_them_do_no_harm(anna):
    odd = "<img src=x onerror=alert(1)>.json"
    response = look(anna, b'[{"value": ""}, {"value": "Likes <script>fog</script>"}]', odd)
    page = Page(response.content)
    assert "record 1, a fact without a value" in page.text
    assert not [tag for tag, _ in page.elements if tag == "img"]
    anna.post(go(response), {"do": "import", "name": odd})
    assert not [tag for tag, _ in anna.page(PATH).elements if tag == "img"]
