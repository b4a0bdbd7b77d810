"""`POST /v1/chat`, the product's own route."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.caesar.chat.looking import know, row, rows, said, user
from tests.scripted_model import ScriptedModel
from tests.server import MODEL

if TYPE_CHECKING:
    from tests.people import Person


def test_it_answers_with_what_was_remembered_and_where_it_is_recorded(
    http: httpx.Client, model: ScriptedModel, anna: Person
) -> None:
    fact = know(anna.profile_id, "dog.name", "Beans")
    model.reply("Beans.")
    body = http.post("/v1/chat", json={"messages": [user("What is my dog called?")]}).json()
    (recorded,) = rows()
    assert body["message"] == {"role": "assistant", "content": "Beans."}
    assert body["model"] == MODEL
    assert body["audit_log_id"] == str(recorded.id)
    assert body["decision_id"] == recorded.payload["decision_id"]
    assert body["usage"] == {"input_tokens": 9, "output_tokens": 2, "total_tokens": 11}
    assert body["conversation_id"] == str(recorded.conversation_id)
    ((known),) = body["memory"]["facts"]
    assert known["id"] == str(fact.id)
    assert "Beans" in known["text"]
    assert body["memory"]["episodes"] == []


def test_it_keeps_a_conversation_by_the_name_the_client_gave_it(http: httpx.Client, model: ScriptedModel) -> None:
    for text in ("One", "Two"):
        body = {"messages": [user(text)], "conversation_id": "Küche 7"}
        answer = http.post("/v1/chat", json=body)
        assert answer.json()["conversation_id"] == "Küche 7"
        assert answer.headers["x-caesar-conversation-id"] == "Küche 7"
    one, two = rows()
    assert one.conversation_id == two.conversation_id


def test_it_goes_on_with_a_conversation_by_the_id_it_gave(http: httpx.Client, model: ScriptedModel) -> None:
    first = http.post("/v1/chat", json={"messages": [user("One")]}).json()["conversation_id"]
    again = http.post("/v1/chat", json={"messages": [user("Two")], "conversation_id": first}).json()["conversation_id"]
    assert first == again
    one, two = rows()
    assert one.conversation_id == two.conversation_id


def test_it_remembers_nothing_off_the_record(http: httpx.Client, model: ScriptedModel, anna: Person) -> None:
    know(anna.profile_id, "dog.name", "Beans")
    answer = http.post("/v1/chat", json={"messages": [user("My secret is zebra")], "memory": "off"})
    assert answer.json()["conversation_id"] is None
    assert answer.json()["memory"] == {"facts": [], "episodes": []}
    assert answer.headers["x-caesar-memory"] == "off"
    assert "x-caesar-facts" not in answer.headers
    assert model.requests[0].json["messages"] == [user("My secret is zebra")]
    (recorded,) = rows()
    assert "zebra" not in str(recorded.payload)
    assert recorded.payload["off_record"] is True
    assert not recorded.mine_facts
    assert not recorded.mine_summary


def test_it_serves_a_person_without_memory(web: Any, model: ScriptedModel, database: Any) -> None:
    from tests.people import person

    carl = person("carl", memory=False)
    answer = httpx.post(f"{web.url}/v1/chat", headers=carl.auth, json={"messages": [user("Hi")]}, timeout=30)
    assert answer.status_code == 200
    assert answer.headers["x-caesar-memory"] == "off"
    (recorded,) = rows()
    assert not recorded.mine_facts


def test_it_stores_the_rest_of_a_message_with_a_nul(http: httpx.Client, model: ScriptedModel) -> None:
    assert http.post("/v1/chat", json={"messages": [user("o\0ce hours")]}).status_code == 200
    assert said(row())[0] == ("user", "oce hours")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": "Hi"}, "messages"),
        ({"messages": {"role": "user"}}, "messages"),
        ({"messages": [None]}, "messages[0]"),
        ({"messages": [user("Hi"), {"content": "Hi"}]}, "messages[1]"),
        ({"messages": [{"role": 1, "content": "Hi"}]}, "messages[0]"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
        ({"messages": [user("Hi")], "model": 5}, "model"),
        ({"messages": [user("Hi")], "memory": "perhaps"}, "memory"),
        ({"messages": [user("Hi")], "memory": True}, "memory"),
        ({"messages": [user("Hi")], "space": ["x"]}, "space"),
        ({"messages": [user("Hi")], "space": "a\0b"}, "space"),
        ({"messages": [user("Hi")], "conversation_id": 7}, "conversation_id"),
        ({"messages": [user("Hi")], "conversation_id": ""}, "conversation_id"),
        ({"messages": [user("Hi")], "conversation_id": "x" * 201}, "conversation_id"),
        ({"messages": [user("Hi")], "conversation_id": "a\nb"}, "conversation_id"),
        ({"messages": [user("Hi")], "user": ""}, "profile"),
        ({"messages": [user("Hi")], "user": 5}, "user"),
        ({"messages": [user("Hi")], "user": "a\nb"}, "profile"),
        ({"messages": [user("Hi")], "stream": True, "tools": []}, "stream, tools"),
        ({"messages": [user("Hi")] * 5001}, "5000"),
    ],
)
def test_it_says_what_is_wrong_with_a_request(
    http: httpx.Client, model: ScriptedModel, body: dict[str, Any], sentence: str
) -> None:
    answer = http.post("/v1/chat", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid_input"
    assert sentence in answer.json()["error"]["message"]
    assert rows() == []
    assert model.requests == []


def test_it_knows_no_space_that_was_not_made(http: httpx.Client, model: ScriptedModel) -> None:
    answer = http.post("/v1/chat", json={"messages": [user("Hi")], "space": "work"})
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"
