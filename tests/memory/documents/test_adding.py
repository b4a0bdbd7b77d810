"""Taking documents: what is kept of a good one, and that nothing is kept of a bad one."""

from __future__ import annotations

import threading

import pytest
from django.db import connection

from memory import profiles, spaces
from memory.db import profile_scope
from memory.documents.formats import MOST_NAME
from memory.errors import Conflict, InvalidInput, NotFound
from memory.models import AuditLog, Document, Passage, WorkItem
from tests.everywhere import in_tables, rows_of
from tests.memory.documents import made
from tests.memory.documents.acts import give, progress
from tests.memory.portable.acts import export, load
from tests.people import Person, person

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def anna() -> Person:
    return person("anna")


def test_it_keeps_the_text_page_by_page_and_lets_it_be_read(anna):
    added = give(anna)
    assert added.new
    document = added.document
    assert (document.name, document.format, document.pages, document.parts) == ("cv.pdf", "pdf", 2, 2)
    with profile_scope(anna.profile_id):
        rows = list(AuditLog.objects.filter(conversation_id=document.conversation_id).order_by("id"))
        assert [row.payload["messages"][0]["text"] for row in rows] == list(made.CV)
        assert [row.payload["document"]["page"] for row in rows] == [1, 2]
        assert rows[0].said_at < rows[1].said_at
        assert list(WorkItem.objects.values_list("kind", "state")) == [("extract", "waiting")] * 2
        passages = list(Passage.objects.order_by("position"))
        assert [p.source_ids for p in passages] == [["cv.pdf#page=1"], ["cv.pdf#page=2"]]
        assert [p.text for p in passages] == list(made.CV)
        told = AuditLog.objects.get(event_type="memory.document.added").payload
    assert told == {"document_id": str(document.id), "name": "cv.pdf", "format": "pdf", "pages": 2, "parts": 2}
    assert progress(anna, document).state == "reading"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("brief.txt", b"I live in Porto."),
        ("brief.md", b"# Me\n\n* I live in Porto."),
        ("brief.docx", made.word("I live in Porto.")),
        ("C:\\files\\BRIEF.PDF", made.pdf("I live in Porto.")),
    ],
)
def test_it_takes_text_markdown_pdf_and_docx(anna, name, data):
    document = give(anna, name, data).document
    assert "\\" not in document.name
    with profile_scope(anna.profile_id):
        assert "I live in Porto." in Passage.objects.get().text


def test_the_same_file_given_again_is_the_document_that_is_there(anna, database):
    first = give(anna)
    before = rows_of(database, anna.profile_id)
    again = give(anna, "other-name.pdf")
    assert (again.new, again.document.id) == (False, first.document.id)
    assert rows_of(database, anna.profile_id) == before


def test_a_long_page_becomes_parts_that_keep_its_number(anna):
    document = give(
        anna, "long.pdf", made.pdf("Short.", "\n".join(f"Line {n} about the harbour." for n in range(250)))
    ).document
    assert document.pages == 2
    assert document.parts > 2
    with profile_scope(anna.profile_id):
        pages = [
            p["page"]
            for p in AuditLog.objects.filter(payload__has_key="document")
            .order_by("id")
            .values_list("payload__document", flat=True)
        ]
    assert pages == [1] + [2] * (document.parts - 1)


BAD = [
    ("bomb.docx", made.bomb(300_000_000), "document_bomb", 413),
    ("locked.pdf", made.locked(made.pdf("Zanzibar")), "document_encrypted", 422),
    ("locked.docx", b"\xd0\xcf\x11\xe0" + b"\0" * 600, "document_encrypted", 422),
    ("pages.pdf", made.pdf(*["Zanzibar"] * 10_000), "document_too_many_pages", 413),
    ("picture.png", b"\x89PNG\r\n\x1a\n", "document_unsupported", 415),
    ("noending", b"Zanzibar", "document_unsupported", 415),
    ("wrong.pdf", b"Zanzibar is far.", "document_mismatch", 415),
    ("wrong.docx", made.pdf("Zanzibar"), "document_mismatch", 415),
    ("wrong.txt", made.word("Zanzibar"), "document_mismatch", 415),
    ("wrong.md", b"\x89PNG\r\n\x1a\n\0\0Zanzibar", "document_mismatch", 415),
    ("archive.docx", made.with_part(b"PK\x05\x06" + b"\0" * 18, "zanzibar.txt", b"Zanzibar"), "document_mismatch", 415),
    ("damaged.pdf", b"%PDF-1.4 Zanzibar", "document_damaged", 422),
    ("cut.docx", made.word("Zanzibar")[:900], "document_damaged", 422),
    ("empty.txt", b" \n", "document_empty", 422),
    ("scan.pdf", made.pdf(""), "document_no_text", 422),
    ("hyphens.txt", "\u00ad\u00ad".encode(), "document_no_text", 422),
    ("unseen.md", "\u200b\n\u200d".encode(), "document_no_text", 422),
]


@pytest.mark.parametrize(("name", "data", "code", "status"), BAD, ids=[bad[0] for bad in BAD])
def test_a_bad_file_is_refused_and_leaves_nothing(anna, database, name, data, code, status):
    before = rows_of(database, anna.profile_id)
    with pytest.raises(InvalidInput) as refused:
        give(anna, name, data)
    assert (refused.value.code, refused.value.status) == (code, status), str(refused.value)
    assert "Nothing of it was kept." in str(refused.value)
    assert rows_of(database, anna.profile_id) == before
    assert in_tables(database, "zanzibar") == []


def test_a_name_with_secrets_is_no_longer_than_others_and_comes_back_from_an_export(anna, tmp_path):
    document = give(anna, "4111111111111111 " * 11 + "cv.txt", b"I live in Porto.").document
    assert document.name.startswith("[redacted: payment] ")
    assert document.name.endswith(".txt")
    assert len(document.name) <= MOST_NAME
    bert = person("bert")
    assert load(bert, export(anna), tmp_path).counts["documents"] == {"new": 1}


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_a_pdf_that_only_forbids_copying_can_be_read(anna, algorithm):
    locked = made.locked(made.pdf(*made.CV), user="", algorithm=algorithm)
    assert give(anna, "cv.pdf", locked).document.pages == 2


def with_limits(settings, **limits):
    memory = settings.CAESAR.memory
    documents = memory.documents.model_copy(update=limits)
    memory = memory.model_copy(update={"documents": documents})
    settings.CAESAR = settings.CAESAR.model_copy(update={"memory": memory})


def test_it_is_held_to_its_size_and_length(anna, settings):
    with_limits(settings, max_bytes=100)
    with pytest.raises(InvalidInput, match="larger than 100 bytes"):
        give(anna, "a.txt", b"x" * 101)
    with_limits(settings, max_bytes=1_000_000, max_chars=50)
    with pytest.raises(InvalidInput, match="more than 50 characters"):
        give(anna, "a.txt", b"x" * 51)


def test_it_is_held_to_its_time(anna, settings, database):
    with_limits(settings, timeout_seconds=1)
    slow = made.pdf(*["\n".join(f"Line {n} of a page with words." for n in range(400))] * 250)
    before = rows_of(database, anna.profile_id)
    with pytest.raises(InvalidInput, match="within 1 seconds") as refused:
        give(anna, "slow.pdf", slow)
    assert refused.value.code == "document_too_slow"
    assert rows_of(database, anna.profile_id) == before


def test_it_is_held_to_its_memory(anna, settings, database):
    with_limits(settings, memory_mb=256)
    tall = b"<w:p/>" * 12_000_000  # 72 MB of empty paragraphs, many times that as a tree
    space = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    body = b"<w:document %s><w:body>%s</w:body></w:document>" % (space, tall)
    before = rows_of(database, anna.profile_id)
    with pytest.raises(InvalidInput) as refused:
        give(anna, "tall.docx", made.with_part(made.word("a"), "word/document.xml", body))
    assert refused.value.code in ("document_too_hungry", "document_damaged")
    assert rows_of(database, anna.profile_id) == before


def test_entities_of_an_xml_file_are_not_expanded(anna):
    entities = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 12))
    body = (
        b'<!DOCTYPE w [<!ENTITY l0 "zanzibar">'
        + entities
        + b']><w:document xmlns:w="http://schemas.openxmlformats.org/'
        b'wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&l11;</w:t></w:r></w:p></w:body></w:document>'
    )
    with pytest.raises(InvalidInput):
        give(anna, "lol.docx", made.with_part(made.word("a"), "word/document.xml", body))


def test_without_consent_nothing_is_taken(database):
    bert = person("bert", memory=False)
    before = rows_of(database, bert.profile_id)
    with pytest.raises(Conflict, match="Memory is off"):
        give(bert)
    assert rows_of(database, bert.profile_id) == before


def test_it_goes_into_the_space_that_is_named(anna):
    with pytest.raises(NotFound):
        give(anna, space="work")
    spaces.create_space(profile_id=anna.profile_id, fields={"slug": "work"})
    document = give(anna, space="work").document
    with profile_scope(anna.profile_id):
        assert Document.objects.get(id=document.id).conversation.space.slug == "work"
        assert set(Passage.objects.values_list("space__slug", flat=True)) == {"work"}


def test_consent_withdrawn_stops_the_reading(anna):
    document = give(anna).document
    profiles.update(profile_id=anna.profile_id, changes={"memory_enabled": False})
    assert progress(anna, document).state == "stopped"


def test_secrets_are_in_no_table(anna, database):
    text = "My card is 4111 1111 1111 1111.\nThe password is tulip-Harbor-88.\nI live in Porto."
    give(anna, "notes.txt", text.encode())
    assert in_tables(database, "4111 1111 1111 1111") == []
    assert in_tables(database, "tulip-harbor-88") == []


def test_given_twice_at_once_it_is_one_document(anna):
    found = []

    def giving() -> None:
        found.append(give(anna))
        connection.close()

    threads = [threading.Thread(target=giving) for _ in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len({added.document.id for added in found}) == 1
    assert sorted(added.new for added in found) == [False, False, True]
    with profile_scope(anna.profile_id):
        assert Document.objects.count() == 1
        assert WorkItem.objects.count() == 2
