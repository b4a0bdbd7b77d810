"""GET /v1/conversations and DELETE /v1/conversations/{id}."""

from tests.caesar.api.told import tell
from tests.memory.saying import tell as say


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


def test_it_deletes_a_conversation_and_lists_what_it_taught(anna):
    audit_id = tell(anna, "My dog is Beans.", conversation_id="one")
    say(anna.who, "dog.name", "Beans", audit_id=audit_id)
    gone = anna.delete("/v1/conversations/one")
    assert gone.status_code == 200, gone.content
    (fact,) = anna.get("/v1/facts").json()["results"]
    taught = [{"id": fact["id"], "key": "dog.name", "value": "Beans", "deleted": False}]
    assert gone.json() == {"id": "one", "chats": 1, "facts": taught}
    assert fact["source_audit_id"] is None
    assert anna.get("/v1/conversations").json()["results"] == []
    assert anna.get("/v1/audit?event_type=chat.completed").json()["results"] == []
    assert anna.delete("/v1/conversations/one").status_code == 404


def test_it_deletes_the_facts_too_where_that_is_asked_for(anna, bert):
    audit_id = tell(anna, "My dog is Beans.", conversation_id="one")
    say(anna.who, "dog.name", "Beans", audit_id=audit_id)
    assert bert.delete("/v1/conversations/one?facts=true").status_code == 404
    assert anna.delete("/v1/conversations/one?facts=perhaps").status_code == 400
    gone = anna.delete("/v1/conversations/one?facts=true").json()
    assert [f["deleted"] for f in gone["facts"]] == [True]
    assert anna.get("/v1/facts?include_superseded=true").json()["results"] == []
