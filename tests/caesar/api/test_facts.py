"""GET, POST /v1/facts and GET, PATCH, DELETE /v1/facts/{id}."""

import threading

import pytest
from django.db import connection

from memory.db import profile_scope
from memory.models import AuditLog, Fact
from tests.caesar.api.conftest import Api

FIELDS = {
    "id", "key", "value", "text", "category", "status", "scope", "space", "confidence", "importance", "cardinality",
    "source_kind", "source_audit_id", "quote", "pinned", "first_seen_at", "last_confirmed_at", "last_used_at",
    "created_at",
    "expires_at", "valid_from", "valid_to", "superseded_by", "edit_count", "sensitive", "score", "version", "reasons",
    "entity",
    "op",
}  # fmt: skip


def events(api):
    with profile_scope(api.who.profile_id):
        return list(AuditLog.objects.order_by("id").values_list("event_type", flat=True))


def test_it_shows_a_fact_with_every_field_of_the_contract(anna):
    made = anna.author("dog.name", "Beans", importance=0.9)
    assert set(made) == FIELDS
    assert made["key"] == "dog.name"
    assert "Beans" in made["text"]
    assert (made["status"], made["scope"], made["space"]) == ("approved", "profile", None)
    assert (made["source_kind"], made["source_audit_id"], made["pinned"]) == ("authored", None, True)
    assert 0 < made["score"] <= 1
    assert made["first_seen_at"].endswith("Z")
    assert anna.get(f"/v1/facts/{made['id']}").json()["value"] == "Beans"


def test_it_lists_what_holds_now_and_history_on_request(anna):
    anna.author("city", "Oslo")
    anna.author("city", "Tallinn")
    assert [f["value"] for f in anna.get("/v1/facts").json()["results"]] == ["Tallinn"]
    everything = anna.get("/v1/facts?include_superseded=true").json()["results"]
    assert [(f["value"], f["status"], f["valid_to"] is None) for f in everything] == [
        ("Tallinn", "approved", True),
        ("Oslo", "approved", False),
    ]
    assert everything[1]["superseded_by"] == everything[0]["id"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("key=dog.name", {"Beans"}),
        ("key=Dog%20Name", {"Beans"}),
        ("key=office_city", {"Kobe"}),
        ("key=%F0%9F%90%B6", set()),
        ("category=preference", {"tea"}),
        ("q=bea", {"Beans"}),
        ("q=BEANS%00", {"Beans"}),
        ("q=%00", {"Beans", "tea", "Kobe"}),
        ("q=DRINK", {"tea"}),
        ("q=%25", set()),
        ("space=work", {"Kobe"}),
        ("space=nowhere", set()),
        ("status=pending", set()),
        ("status=approved", {"Beans", "tea", "Kobe"}),
    ],
)
def test_it_narrows_the_list(anna, query, found):
    anna.post("/v1/spaces", {"slug": "work"})
    anna.author("dog.name", "Beans")
    anna.author("preference.drink", "tea", category="preference")
    anna.author("office.city", "Kobe", space="work")
    assert {f["value"] for f in anna.get(f"/v1/facts?{query}").json()["results"]} == found


def test_it_corrects_a_fact_and_keeps_what_it_said(anna):
    made = anna.author("dog.name", "Beans")
    edited = anna.patch(f"/v1/facts/{made['id']}", {"value": "Bean", "confidence": 0.8, "version": made["version"]})
    assert edited.status_code == 200
    assert edited.json()["id"] == made["id"]
    assert (edited.json()["value"], edited.json()["confidence"], edited.json()["edit_count"]) == ("Bean", 0.8, 1)
    history = anna.get(f"/v1/facts/{made['id']}/history").json()["results"]
    assert [f["value"] for f in history] == ["Bean", "Beans"]
    assert events(anna) == ["memory.fact.added", "memory.fact.user_edited"]


def test_it_notices_that_somebody_edited_it_meanwhile(anna):
    made = anna.author("dog.name", "Beans")
    anna.patch(f"/v1/facts/{made['id']}", {"value": "Bean"})
    stale = anna.patch(f"/v1/facts/{made['id']}", {"value": "Been", "version": made["version"]})
    assert stale.status_code == 409
    assert stale.json()["error"]["code"] == "conflict"
    assert anna.get(f"/v1/facts/{made['id']}").json()["value"] == "Bean"


def test_one_of_two_edits_at_once_is_told_so(anna):
    made = anna.author("dog.name", "Beans")
    seen = []

    def change(value):
        try:
            body = {"value": value, "version": made["version"]}
            seen.append(Api(anna.who).patch(f"/v1/facts/{made['id']}", body).status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=change, args=(value,)) for value in ("one", "two")]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert sorted(seen) == [200, 409]


def test_it_deletes_a_fact_from_every_list(anna):
    made = anna.author("dog.name", "Beans")
    gone = anna.delete(f"/v1/facts/{made['id']}")
    assert (gone.status_code, gone.content) == (204, b"")
    assert anna.get(f"/v1/facts/{made['id']}").status_code == 404
    assert anna.get(f"/v1/facts/{made['id']}/history").status_code == 404
    assert anna.get("/v1/facts?include_superseded=true").json()["results"] == []
    assert anna.delete(f"/v1/facts/{made['id']}").status_code == 404
    assert events(anna) == ["memory.fact.added", "memory.fact.user_deleted"]


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "value"),
        ({"value": ""}, "value"),
        ({"value": 5}, "value"),
        ({"value": "x" * 1001}, "value"),
        ({"value": "\0"}, "value"),
        ({"value": "x", "key": 5}, "key"),
        ({"value": "x", "key": "!!!"}, "key"),
        ({"value": "x", "category": "nope"}, "category"),
        ({"value": "x", "category": []}, "category"),
        ({"value": "x", "importance": 2}, "importance"),
        ({"value": "x", "importance": True}, "importance"),
        ({"value": "x", "importance": "high"}, "importance"),
        ({"value": "x", "expires_at": "tomorrow"}, "expires_at"),
        ({"value": "x", "expires_at": "2030-01-01T00:00:00"}, "expires_at"),
        ({"value": "x", "expires_at": 7}, "expires_at"),
        ({"value": "x", "space": 7}, "space"),
        ({"value": "x", "user_id": "anna"}, "user_id"),
        ({"value": "x", "confidence": 1}, "confidence"),
    ],
)
def test_it_says_what_is_wrong_with_a_new_fact(anna, body, named):
    response = anna.post("/v1/facts", body)
    assert response.status_code == 400, response.content
    assert response.json()["error"]["code"] == "invalid_input"
    assert named in response.json()["error"]["message"]
    assert anna.get("/v1/facts").json()["results"] == []


@pytest.mark.parametrize(
    "changes",
    [
        {"key": "cat.name"},
        {"value": None},
        {"confidence": -0.1},
        {"confidence": "95%"},
        {"importance": None},
        {"status": "rejected"},
        {"version": "1"},
        {"version": True},
        {"version": 1.5},
        {"expires_at": "9999-99-99"},
        {"pinned": False},
    ],
)
def test_it_says_what_is_wrong_with_an_edit_and_changes_nothing(anna, changes):
    made = anna.author("dog.name", "Beans")
    response = anna.patch(f"/v1/facts/{made['id']}", {"value": "other", **changes})
    assert response.status_code == 400, response.content
    now = anna.get(f"/v1/facts/{made['id']}").json()
    assert now | {"score": 0} == made | {"score": 0}


def test_it_refuses_what_is_known_already(anna):
    anna.author("dog.name", "Beans")
    assert anna.post("/v1/facts", {"key": "dog.name", "value": "beans"}).status_code == 409


def test_it_has_no_space_that_was_not_made(anna):
    response = anna.post("/v1/facts", {"value": "x", "space": "work"})
    assert response.status_code == 404


@pytest.mark.parametrize(
    "query",
    ["status=maybe", "category=x", "include_superseded=perhaps", "page_size=0", "page_size=201", "page_size=x",
     "cursor=AAAA", "cursor=%00", "cursor=b25vdC1hbi1pZA", "statsu=pending", "user_id=anna",
     "status=pending&status=approved", "q=" + "x" * 1001],
)  # fmt: skip
def test_it_refuses_a_filter_that_it_does_not_understand(anna, query):
    anna.author("dog.name", "Beans")
    response = anna.get(f"/v1/facts?{query}")
    assert response.status_code == 400, response.content
    assert response.json()["error"]["code"] == "invalid_input"


@pytest.mark.parametrize("fact_id", ["1", "x", "%00", "not-a-uuid", "0" * 400, "{" + "0" * 32 + "}", "%ff"])
def test_it_answers_a_malformed_id_like_one_that_is_nobodys(anna, fact_id):
    unknown = anna.get("/v1/facts/0190aaaa-0000-7000-8000-000000000000")
    assert unknown.status_code == 404
    for method in ("GET", "PATCH", "DELETE"):
        response = anna.call(method, f"/v1/facts/{fact_id}", {} if method == "PATCH" else None)
        assert response.status_code == 404
        assert response.json() == unknown.json()


def test_it_pages_through_a_list_that_grows(anna):
    for number in range(7):
        anna.author(None, f"thing {number}")
    first = anna.get("/v1/facts?page_size=3").json()
    anna.author(None, "thing 7, which came meanwhile")
    second = anna.get(first["next"]).json()
    third = anna.get(second["next"]).json()
    seen = [f["value"] for page in (first, second, third) for f in page["results"]]
    assert seen == [f"thing {number}" for number in range(6, -1, -1)]
    assert third["next"] is None
    back = anna.get(third["previous"]).json()
    assert [f["id"] for f in back["results"]] == [f["id"] for f in second["results"]]
    newest = anna.get(first["previous"] or anna.get(second["previous"]).json()["previous"]).json()
    assert [f["value"] for f in newest["results"]] == ["thing 7, which came meanwhile"]
    assert newest["previous"] is None


def test_it_keeps_a_filter_while_it_pages(anna):
    for number in range(3):
        anna.author(None, f"tea & cake {number}")
        anna.author(None, f"coffee {number}")
    first = anna.get("/v1/facts?q=tea+%26&page_size=2").json()
    assert [f["value"] for f in anna.get(first["next"]).json()["results"]] == ["tea & cake 0"]


def test_it_asks_the_database_as_often_for_many_facts_as_for_few(anna, django_assert_max_num_queries):
    for number in range(30):
        anna.author(None, f"thing {number}")
    with django_assert_max_num_queries(12):
        assert len(anna.get("/v1/facts").json()["results"]) == 30


def test_it_expires(anna):
    made = anna.author("visa", "valid", expires_at="2020-01-01T00:00:00+01:00")
    assert made["expires_at"] == "2019-12-31T23:00:00Z"
    assert anna.get("/v1/facts").json()["results"] == []
    assert len(anna.get("/v1/facts?include_superseded=1").json()["results"]) == 1


def test_it_takes_text_of_any_script_and_drops_what_no_text_is(anna):
    made = anna.post("/v1/facts", raw='{"value": "<b>\\u202eعربي</b> \\ud83d\\ude00 a\\u0000b\\ud800"}').json()
    assert "\0" not in made["value"]
    assert made["value"].startswith("<b>")
    assert "😀" in made["value"]
    with profile_scope(anna.who.profile_id):
        assert Fact.objects.count() == 1


@pytest.mark.parametrize("at", ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "1000-01-01T00:00:00Z"])
def test_it_refuses_a_time_that_the_database_could_not_give_back(anna, at):
    fact = anna.author("dog.name", "Beans")
    assert anna.post("/v1/facts", {"key": "thing", "value": "x", "expires_at": at}).status_code == 400
    assert anna.patch(f"/v1/facts/{fact['id']}", {"expires_at": at}).status_code == 400
    assert anna.get("/v1/facts").status_code == 200


@pytest.mark.parametrize("value", ["\u200b", "\u202e", "\u200b \u2060"])
def test_it_refuses_a_value_in_which_nothing_can_be_seen(anna, value):
    assert anna.post("/v1/facts", {"key": "thing", "value": value}).status_code == 400
