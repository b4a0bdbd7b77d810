"""POST /v1/documents, GET and DELETE of documents."""

from __future__ import annotations

import uuid

import pytest

from memory import facts, profiles
from tests.everywhere import in_tables, rows_of
from tests.memory.documents import made
from workers import tasks

CV = made.pdf("I live in Porto.", "My dog is called Beans.")
FILE = {"content-type": "application/octet-stream"}


def send(api, data: bytes = CV, query: str = "?name=cv.pdf"):
    return api.call("POST", f"/v1/documents{query}", raw=data, **FILE)


def form(api, data: bytes = CV, name: str = "cv.pdf", field: str = "file", query: str = ""):
    head = f'--cut\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'.encode()
    body = head + data + b"\r\n--cut--\r\n"
    return api.call("POST", f"/v1/documents{query}", raw=body, **{"content-type": "multipart/form-data; boundary=cut"})


@pytest.mark.parametrize("way", [send, form])
def test_a_document_is_read_and_shows_its_progress(anna, way):
    response = way(anna)
    assert response.status_code == 201, response.content
    document = response.json()
    assert (document["name"], document["format"], document["pages"], document["space"]) == (
        "cv.pdf",
        "pdf",
        2,
        "general",
    )
    assert document["progress"] == {
        "state": "reading", "parts": 2, "read": 0, "waiting": 2, "running": 0, "failed": 0, "stopped": 0,
    }  # fmt: skip
    tasks.drain()
    whole = anna.get(f"/v1/documents/{document['id']}").json()
    assert (whole["progress"]["state"], whole["progress"]["read"]) == ("done", 2)
    assert [(f["key"], f["value"], f["status"], f["page"]) for f in whole["facts"]] == [
        ("address.city", "Porto", "pending", 1),
        ("dog.name", "Beans", "pending", 2),
    ]
    assert whole["facts"][0]["quote"] == "I live in Porto."
    (listed,) = anna.get("/v1/documents").json()["results"]
    assert listed == {name: value for name, value in whole.items() if name != "facts"}
    (pending, _) = anna.get("/v1/facts?status=pending").json()["results"]
    assert pending["source_kind"] == "document"


def test_it_is_found_by_question(anna):
    send(anna)
    tasks.drain()
    found = anna.post("/v1/recall", {"query": "what is the dog called?", "kinds": ["passages"]}).json()["results"]
    assert found[0]["source_ids"] == ["cv.pdf#page=2"]


def test_the_same_file_again_is_the_same_document(anna):
    first = send(anna).json()
    again = send(anna, query="?name=copy.pdf")
    assert (again.status_code, again.json()["id"]) == (200, first["id"])


def test_it_is_no_conversation(anna):
    send(anna)
    assert anna.get("/v1/conversations").json()["results"] == []


def test_deleting_it_removes_what_it_taught(anna):
    document = send(anna).json()
    tasks.drain()
    (dog, _) = anna.get("/v1/facts?status=pending").json()["results"]
    facts.approve(profile_id=anna.who.profile_id, fact_id=uuid.UUID(dog["id"]))
    path = f"/v1/documents/{document['id']}"
    assert anna.delete(path).status_code == 204
    assert anna.get(path).status_code == anna.delete(path).status_code == 404
    assert anna.get("/v1/facts").json()["results"] == anna.get("/v1/facts?status=pending").json()["results"] == []
    assert anna.post("/v1/recall", {"query": "dog", "kinds": ["passages"]}).json()["results"] == []
    assert [row["event_type"] for row in anna.get("/v1/audit?event_type=memory.document.deleted").json()["results"]]


@pytest.mark.parametrize(
    ("data", "query", "status", "code"),
    [
        (CV, "", 400, "invalid_input"),
        (CV, "?name=cv", 415, "document_unsupported"),
        (CV, "?name=cv.docx", 415, "document_mismatch"),
        (made.locked(CV), "?name=cv.pdf", 422, "document_encrypted"),
        (made.bomb(300_000_000), "?name=cv.docx", 413, "document_bomb"),
        (b"", "?name=cv.txt", 422, "document_empty"),
        (CV, "?name=cv.pdf&space=nowhere", 404, "not_found"),
        (CV, "?name=cv.pdf&spaces=general", 400, "invalid_input"),
    ],
)
def test_what_cannot_be_taken_is_refused_and_leaves_nothing(anna, database, data, query, status, code):
    before = rows_of(database, anna.who.profile_id)
    response = send(anna, data, query)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)
    assert rows_of(database, anna.who.profile_id) == before


@pytest.mark.parametrize("field", ["document", "files"])
def test_a_form_needs_its_file(anna, field):
    response = form(anna, field=field)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_input")


def test_a_form_that_is_none_is_refused(anna):
    response = anna.call("POST", "/v1/documents", raw=b"x", **{"content-type": "multipart/form-data"})
    assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_input")


def test_without_consent_it_is_refused(anna, database):
    profiles.update(profile_id=anna.who.profile_id, changes={"memory_enabled": False})
    before = rows_of(database, anna.who.profile_id)
    response = send(anna, b"I sail to Zanzibar.", "?name=a.txt")
    assert (response.status_code, response.json()["error"]["code"]) == (409, "conflict")
    assert rows_of(database, anna.who.profile_id) == before
    assert in_tables(database, "zanzibar") == []


def test_it_is_nobody_elses(anna, bert, nobody):
    document = send(anna).json()
    path = f"/v1/documents/{document['id']}"
    assert bert.get(path).status_code == bert.delete(path).status_code == 404
    assert bert.get("/v1/documents").json()["results"] == []
    assert send(bert).json()["id"] != document["id"]
    assert nobody.get("/v1/documents").status_code == send(nobody).status_code == 401
    assert anna.get(path).status_code == 200
    assert anna.get("/v1/documents/nonsense").status_code == 404
