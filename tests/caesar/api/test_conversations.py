"""GET /v1/conversations."""

from tests.caesar.api.told import tell


def test_it_lists_those_begun_last_first(anna):
    tell(anna, "I like tea.", conversation_id="a")
    tell(anna, "I like rice.", conversation_id="b")
    tell(anna, "I like fog.", conversation_id="a")
    rows = anna.get("/v1/conversations").json()["results"]
    assert [row["id"] for row in rows] == ["b", "a"]
    assert rows[1]["last_said_at"] > rows[0]["last_said_at"]
    assert set(rows[0]) == {"id", "space", "started_at", "last_said_at"}


def test_it_does_not_list_what_was_off_the_record(anna):
    tell(anna, "I like tea.", memory_on=False)
    assert anna.get("/v1/conversations").json()["results"] == []
