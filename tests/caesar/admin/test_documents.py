"""Documents in the admin: looked at, and deleted by memory's own verb."""

from memory.db import profile_scope
from memory.models import AuditLog, Document, Passage
from tests.memory.documents.acts import give

LIST = "/admin/memory/document/"


def test_it_shows_and_deletes_a_document_with_its_text_through_the_verb(operator, anna):
    document = give(anna.who, "zanzibar.txt", b"I sail to Zanzibar.").document
    assert "zanzibar.txt" in operator.get(LIST).content.decode()
    page = operator.get(f"{LIST}{document.id}/change/").content.decode()
    assert "zanzibar.txt" in page
    assert 'name="_save"' not in page
    response = operator.post(f"{LIST}{document.id}/delete/", {"post": "yes"})
    assert "Done." in response.content.decode()
    with profile_scope(anna.who.profile_id):
        assert Document.objects.count() == Passage.objects.count() == 0
        row = AuditLog.objects.get(event_type="memory.document.deleted")
    assert (row.actor, row.payload["document_id"]) == ("operator", str(document.id))


def test_it_deletes_several(operator, anna):
    rows = [give(anna.who, f"{n}.txt", b"I have %d boats." % n).document for n in range(3)]
    chosen = {"action": "delete_selected", "_selected_action": [str(row.id) for row in rows[:2]], "post": "yes"}
    assert "Done: 2." in operator.post(LIST, chosen).content.decode()
    with profile_scope(anna.who.profile_id):
        assert [row.name for row in Document.objects.all()] == ["2.txt"]
