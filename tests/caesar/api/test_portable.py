"""GET /v1/export, POST /v1/import."""

from __future__ import annotations

import json

import httpx
import pytest

from memory import files, profiles
from memory.db import profile_scope
from memory.models import AuditLog
from tests.everywhere import rows_of
from tests.memory.portable import archives
from tests.memory.portable.acts import full
from tests.people import person

FOG = archives.claude(archives.thread("a", "I like fog.", "Noted."))


def body(response) -> bytes:
    return b"".join(response.streaming_content)


def send(api, content: bytes, query: str = "", **headers: str):
    return api.call(
        "POST", f"/v1/import{query}", raw=content, **({"content-type": "application/octet-stream"} | headers)
    )


def facts_of(api):
    return sorted((f["key"] or "", f["value"]) for f in api.get("/v1/facts?page_size=200").json()["results"])


def test_it_exports_and_imports_what_is_known(anna, bert):
    full(anna.who)
    response = anna.get("/v1/export")
    assert response["Content-Type"] == "application/x-ndjson"
    assert response["Content-Disposition"].startswith('attachment; filename="caesar-')
    assert response["Cache-Control"] == "no-store"
    exported = body(response)
    report = send(bert, exported, "?name=anna.jsonl")
    assert report.status_code == 200, report.content
    assert report.json()["counts"]["facts"]["new"] == 5
    assert facts_of(bert) == facts_of(anna)
    (row,) = bert.get("/v1/import").json()["results"]
    assert (row["format"], row["state"], row["name"], row["done"]) == ("caesar", "done", "anna.jsonl", row["records"])
    assert row["id"] == report.json()["id"]


@pytest.mark.parametrize(("form", "kind"), [("markdown", "text/markdown"), ("csv", "text/csv")])
def test_it_exports_for_people(anna, form, kind):
    anna.author("dog.name", "Beans")
    response = anna.get(f"/v1/export?format={form}")
    assert response["Content-Type"].startswith(kind)
    assert b"Beans" in body(response)


def test_each_export_is_in_the_log(anna):
    body(anna.get("/v1/export?format=csv"))
    with profile_scope(anna.who.profile_id):
        row = AuditLog.objects.get(event_type="memory.exported")
        assert row.payload == {"format": "csv", "rows": {"fact": 0}}


def test_a_dry_run_changes_nothing(anna, database):
    before = rows_of(database, anna.who.profile_id)
    report = send(anna, FOG, "?dry_run=true").json()
    assert (report["dry_run"], report["counts"]) == (True, {"conversations": {"new": 1}, "messages": {"new": 2}})
    assert rows_of(database, anna.who.profile_id) == before


@pytest.mark.parametrize("kind", ["application/json", "application/zip", "text/plain", "", "x/y"])
def test_the_type_that_a_client_says_does_not_matter(anna, kind):
    assert send(anna, FOG, **{"content-type": kind}).status_code == 200


@pytest.mark.parametrize(
    ("content", "query", "status"),
    [
        (b"", "", 400),
        (b"Dear Anna", "", 400),
        (b"\xff\xfe\0", "", 400),
        (b"[" * 1_000_000, "", 400),
        (FOG[:-9], "", 400),
        (FOG, "?dry=true", 400),
        (FOG, "?dry_run=perhaps", 400),
        (b"PK\x03\x04 no archive", "", 400),
    ],
)
def test_what_cannot_be_taken_is_answered_in_a_sentence(anna, database, content, query, status):
    before = rows_of(database, anna.who.profile_id)
    response = send(anna, content, query)
    assert response.status_code == status
    assert response.json()["error"]["code"] == "invalid_input"
    assert response.json()["error"]["message"].endswith(".")
    assert rows_of(database, anna.who.profile_id) == before
    assert not any(path.is_file() for path in files.folder_of(anna.who.profile_id).rglob("*"))


def test_a_form_is_told_how_to_send_a_file(anna):
    response = send(anna, b"--x--", **{"content-type": "multipart/form-data; boundary=x"})
    assert (response.status_code, response.json()["error"]["code"]) == (415, "unsupported_media_type")


def test_nobody_gets_or_gives_anything_without_a_key(nobody):
    assert nobody.get("/v1/export").status_code == 401
    assert send(nobody, FOG).status_code == 401


def test_fields_that_name_somebody_else_change_no_owner(anna, bert, database):
    anna.author("salary", "61k")
    before = rows_of(database, anna.who.profile_id)
    mine = json.dumps([{"value": "Likes fog", "user_id": anna.who.user_id, "profile_id": str(anna.who.profile_id)}])
    assert send(bert, mine.encode(), "?name=x", **{"x-user-id": "anna"}).status_code == 200
    assert rows_of(database, anna.who.profile_id) == before
    assert facts_of(bert) == [("", "Likes fog")]
    assert b"61k" not in body(bert.get("/v1/export"))
    assert bert.get("/v1/import").json()["results"][0]["name"] == "x"
    assert anna.get("/v1/import").json()["results"] == []


def test_it_says_how_many_chats_wait_to_be_read(anna):
    send(anna, FOG)
    assert anna.get("/v1/import").json()["results"][0]["unread"] == 1


def test_settings_come_along_where_that_is_wanted(anna, bert):
    profiles.update(profile_id=anna.who.profile_id, changes={"timezone": "Europe/Tallinn"})
    exported = body(anna.get("/v1/export"))
    send(bert, exported)
    assert bert.get("/v1/profile").json()["timezone"] == "UTC"
    send(bert, exported, "?with_settings=true")
    assert bert.get("/v1/profile").json()["timezone"] == "Europe/Tallinn"


def test_a_real_server_sends_and_takes_files(web):
    who = person("carla")
    with httpx.Client(base_url=web.url, headers=who.auth, timeout=30) as client:
        facts = json.dumps([{"value": f"Likes the number {n}"} for n in range(300)])
        assert client.post("/v1/import", content=facts).json()["counts"] == {"facts": {"new": 300}}
        with client.stream("GET", "/v1/export") as response:
            lines = list(response.iter_lines())
        assert json.loads(lines[-1])["rows"]["fact"] == 300
        again = client.post("/v1/import?dry_run=true", content="\n".join(lines) + "\n")
        assert again.json()["counts"]["facts"] == {"known": 300}
        assert client.post("/v1/import", content=b"x" * 21_000_000).status_code == 413
