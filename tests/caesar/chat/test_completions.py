"""`POST /v1/chat/completions`, asked by the official client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import openai
import pytest
from drf_spectacular.generators import SchemaGenerator

from tests.caesar.chat.looking import know, row, said, user
from tests.scripted_model import Body, ScriptedModel, Status, Text, ToolCalls
from tests.scripted_model.strict import complaint
from tests.server import MODEL, UPSTREAM_KEY

if TYPE_CHECKING:
    from tests.people import Person

WEATHER: Any = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}


def test_it_answers_as_openai_does(client: openai.OpenAI, model: ScriptedModel) -> None:
    model.reply("Hello, Anna.")
    answer = client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "Hi"}])
    assert answer.choices[0].message.content == "Hello, Anna."
    assert answer.choices[0].finish_reason == "stop"
    assert answer.object == "chat.completion"
    assert answer.usage is not None
    assert answer.usage.total_tokens == 11
    assert model.requests[0].json == {"model": MODEL, "messages": [user("Hi")], "stream": False}
    assert model.requests[0].headers["authorization"] == f"Bearer {UPSTREAM_KEY}"


def test_it_writes_one_row_that_the_headers_name(client: openai.OpenAI, model: ScriptedModel, anna: Person) -> None:
    fact = know(anna.profile_id, "dog.name", "Beans")
    model.reply("Beans!")
    raw = client.chat.completions.with_raw_response.create(
        model="m", messages=[{"role": "user", "content": "What is my dog called?"}]
    )
    payload = row()
    assert said(payload) == [("user", "What is my dog called?"), ("assistant", "Beans!")]
    assert payload["usage"] == {"input_tokens": 9, "output_tokens": 2, "total_tokens": 11}
    assert payload["complete"] is True
    assert payload["facts"] == [str(fact.id)]
    body: Any = raw.parse().model_dump()
    assert raw.headers["x-caesar-audit-id"] == body["caesar"]["audit_id"]
    assert raw.headers["x-caesar-conversation-id"] == body["caesar"]["conversation_id"]
    assert raw.headers["x-caesar-facts"] == str(fact.id)
    assert raw.headers["x-caesar-memory"] == body["caesar"]["memory"] == "on"
    assert raw.headers["x-caesar-model"] == f"openai/{MODEL}"
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    told = {name.lower() for name in paths["/v1/chat/completions"]["post"]["responses"]["200"]["headers"]}
    assert told == {name for name in raw.headers if name.startswith("x-caesar-")}


def test_it_gives_the_model_what_is_known(client: openai.OpenAI, model: ScriptedModel, anna: Person) -> None:
    know(anna.profile_id, "dog.name", "Beans")
    asked: Any = [{"role": "system", "content": "Be brief."}, user("What is my dog called?")]
    client.chat.completions.create(model="m", messages=asked)
    brief, memory, question = model.requests[0].json["messages"]
    assert [brief, question] == asked
    assert memory["role"] == "system"
    assert "Beans" in memory["content"]


def test_it_passes_unknown_fields_on_and_keeps_its_own_to_itself(http: httpx.Client, model: ScriptedModel) -> None:
    ours = {"caesar": {"memory": "on", "conversation_id": "c-1"}}
    theirs = {
        "temperature": 0.3,
        "user": "default",
        "x_future": {"deep": [1, None]},
        "metadata": {"user_id": "bert"},
        "reasoning_effort": "low",
        "store": None,
    }
    body = {"model": "m", "messages": [{**user("Hi"), "name": "anna", "x_new": 1}], **theirs, **ours}
    assert http.post("/v1/chat/completions", json=body).status_code == 200
    assert model.requests[0].json == {"model": MODEL, "messages": body["messages"], "stream": False, **theirs}


def test_it_passes_unknown_parts_of_an_answer_on(http: httpx.Client, model: ScriptedModel) -> None:
    message = {"role": "assistant", "content": "Hi", "x_thought": "hm", "reasoning_content": "because"}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None, "x_score": 1}
    model.reply(
        Body({"id": "c1", "object": "chat.completion", "created": 1, "model": "m2", "choices": [choice], "x": 2})
    )
    body = http.post("/v1/chat/completions", json={"messages": [user("Hi")]}).json()
    assert body["choices"][0]["message"] == message
    assert body["choices"][0]["x_score"] == 1
    assert (body["id"], body["model"], body["x"]) == ("c1", "m2", 2)


def test_it_takes_several_choices_and_keeps_the_first(client: openai.OpenAI, model: ScriptedModel) -> None:
    answer = client.chat.completions.create(model="m", n=2, messages=[{"role": "user", "content": "Hi"}])
    assert [c.index for c in answer.choices] == [0, 1]
    assert model.requests[0].json["n"] == 2
    assert said(row()) == [("user", "Hi"), ("assistant", "ok")]


def test_it_passes_a_response_format_on(client: openai.OpenAI, model: ScriptedModel) -> None:
    schema: Any = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}, "strict": True}}
    model.reply('{"a": 1}')
    answer = client.chat.completions.create(
        model="m", response_format=schema, messages=[{"role": "user", "content": "Hi"}]
    )
    assert answer.choices[0].message.content == '{"a": 1}'
    assert model.requests[0].json["response_format"] == schema


def test_it_takes_pictures_sound_and_parts_of_the_future(
    http: httpx.Client, model: ScriptedModel, anna: Person
) -> None:
    know(anna.profile_id, "boat.name", "Sirocco")
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 2_000_000, "detail": "low"}}
    sound = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
    first = [
        {"type": "text", "text": "For context:"},
        {"type": "text", "text": " this is my boat Sirocco, moored in Brest."},
        picture,
        sound,
        {"type": "x_future", "x": 1},
    ]
    messages = [
        {"role": "user", "content": first},
        {"role": "assistant", "content": None, "refusal": "no"},
        {"role": "user", "content": []},
        {"role": "user", "content": [{"type": "text", "text": "Where is my boat?"}]},
    ]
    response = http.post("/v1/chat/completions", json={"model": "m", "messages": messages})
    assert response.status_code == 200
    assert model.requests[0].json["messages"][1:] == messages
    payload = row()
    assert "moored in Brest" in payload["messages"][0]["text"]
    assert payload["messages"][0]["other_parts"] == ["image_url", "input_audio", "x_future"]
    assert "AAAA" not in str(payload)


@pytest.mark.parametrize("streamed", [False, True])
def test_it_serves_an_agent_with_tools_over_three_turns(
    client: openai.OpenAI, model: ScriptedModel, anna: Person, streamed: bool
) -> None:
    know(anna.profile_id, "home.city", "Lille")
    model.on(lambda r: complaint(r.messages) is not None, lambda r: Status(400, complaint(r.messages) or ""))
    calls = [
        {"id": i, "type": "function", "function": {"name": "weather", "arguments": f'{{"city":"{c}"}}'}}
        for i, c in (("a", "Lille"), ("b", "Lens"))
    ]
    history: list[Any] = [
        {"role": "system", "content": "Be brief."},
        user("Weather at home and at my office?"),
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "a", "content": "7C rain"},
        {"role": "tool", "tool_call_id": "b", "content": "6C fog"},
    ]
    tomorrow = '{"city":"Lille","day":"tomorrow"}'
    model.script([Text("Rain, then fog."), ToolCalls([("c", "weather", tomorrow)], fragments=4), Text("Sun.")])

    first = ask(client, history, streamed)
    assert first["content"] == "Rain, then fog."
    history += [first, user("Thanks. And tomorrow?")]
    second = ask(client, history, streamed)
    assert second["finish_reason"] == "tool_calls"
    (call,) = second["tool_calls"]
    assert (call["id"], call["function"]["name"], call["function"]["arguments"]) == ("c", "weather", tomorrow)
    history += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "21C sun"},
    ]
    assert ask(client, history, streamed)["content"] == "Sun."

    assert [r.status for r in model.requests] == [200, 200, 200]
    for request in model.requests:
        assert sum(m["role"] == "system" for m in request.messages) == 2
        assert "Lille" in request.messages[1]["content"]
        without = [m for i, m in enumerate(request.messages) if i != 1]
        assert without == [plain(m) for m in history[: len(without)]]


def ask(client: openai.OpenAI, history: list[Any], streamed: bool) -> dict[str, Any]:
    """The assistant's message with its finish reason, as a client would put it together."""
    messages = [plain(m) for m in history]
    if not streamed:
        choice = client.chat.completions.create(model="m", tools=[WEATHER], messages=messages).choices[0]
        found = choice.message.model_dump(exclude_none=True)
        return {**found, "finish_reason": choice.finish_reason}
    with client.chat.completions.stream(model="m", tools=[WEATHER], messages=messages) as stream:
        choice = stream.get_final_completion().choices[0]
    found = choice.message.to_dict()
    found.pop("parsed", None)
    calls: Any = found.get("tool_calls") or []
    for call in calls:
        call["function"].pop("parsed_arguments", None)
        call.pop("index", None)
    return {**found, "finish_reason": choice.finish_reason}


def plain(message: dict[str, Any]) -> Any:
    return {k: v for k, v in message.items() if k != "finish_reason"}
