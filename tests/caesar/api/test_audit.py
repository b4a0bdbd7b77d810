"""GET /v1/audit."""

import pytest

from tests.caesar.api.told import tell


def test_it_shows_a_chat_with_what_was_said(anna):
    tell(anna, "I like tea.", conversation_id="thread")
    (row,) = anna.get("/v1/audit").json()["results"]
    assert (row["event_type"], row["actor"], row["conversation_id"]) == ("chat.completed", "person", "thread")
    assert row["space"] == "general"
    assert row["payload"]["messages"][0]["text"] == "I like tea."
    assert isinstance(row["id"], str)


def test_it_narrows_by_type_time_and_conversation(anna):
    tell(anna, "I like tea.", conversation_id="a")
    tell(anna, "I like rice.", conversation_id="b")
    anna.author("dog.name", "Beans")
    rows = anna.get("/v1/audit").json()["results"]
    assert [r["event_type"] for r in rows] == ["memory.fact.added", "chat.completed", "chat.completed"]

    def found(query):
        response = anna.get(f"/v1/audit?{query}")
        assert response.status_code == 200, response.content
        return [r["id"] for r in response.json()["results"]]

    ids = [r["id"] for r in rows]
    assert found("event_type=memory.fact.added") == ids[:1]
    assert found("conversation_id=a") == ids[2:]
    assert found("conversation_id=nobodys") == []
    middle = rows[1]["at"]
    assert found(f"since={middle}") == ids[:2]
    assert found(f"until={middle}") == ids[2:]
    assert found(f"since={middle.replace('Z', '+00:00')}") == ids[:2]
    assert found(f"since={middle}&event_type=chat.completed") == ids[1:2]


@pytest.mark.parametrize(
    "query",
    [
        "event_type=nope",
        "event_type=",
        "since=yesterday",
        "since=2026-01-01",
        "since=2026-01-01T00:00:00",
        "until=%00",
        "since=0001-01-01T00:00:00%2B14:00",
        "until=9999-12-31T23:59:59-14:00",
        "conversation=a",
        "page_size=-1",
        "profile_id=1",
    ],
)
def test_it_refuses_a_filter_that_it_does_not_understand(anna, query):
    response = anna.get(f"/v1/audit?{query}")
    assert response.status_code == 400, response.content
    assert response.json()["error"]["message"]


def test_it_pages(anna):
    for number in range(5):
        anna.author(None, f"thing {number}")
    first = anna.get("/v1/audit?page_size=2&event_type=memory.fact.added").json()
    second = anna.get(first["next"]).json()
    third = anna.get(second["next"]).json()
    assert [len(p["results"]) for p in (first, second, third)] == [2, 2, 1]
    assert third["next"] is None


def test_it_asks_the_database_as_often_for_many_rows_as_for_few(anna, django_assert_max_num_queries):
    for number in range(20):
        tell(anna, f"I like number {number}.", conversation_id=str(number))
    with django_assert_max_num_queries(12):
        assert len(anna.get("/v1/audit").json()["results"]) == 20
