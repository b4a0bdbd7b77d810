"""The scripted model does what its tests rely on."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.scripted_model import Body, HangUp, ScriptedModel, Status, Text, ToolCalls

ROOT = Path(__file__).parents[2]


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted


def ask(url: str, *messages: dict[str, Any] | str, **more: Any) -> httpx.Response:
    listed = [{"role": "user", "content": m} if isinstance(m, str) else m for m in messages]
    return httpx.post(f"{url}/chat/completions", json={"model": "m", "messages": listed, **more}, timeout=5)


def text(response: httpx.Response) -> Any:
    return response.json()["choices"][0]["message"]["content"]


EXTRACT = {"role": "system", "content": 'Answer with {"facts": []}.'}


def test_it_starts_fast_and_closes_its_port() -> None:
    started = time.monotonic()
    with ScriptedModel() as model:
        assert time.monotonic() - started < 0.5
        url = model.url
    with pytest.raises(httpx.ConnectError):
        ask(url, "hi")


def test_it_answers_by_rules_then_extraction_then_queue_then_default(model: ScriptedModel) -> None:
    model.reply("default").script(["first", Status(429, headers={"Retry-After": "7"})])
    model.on("weather", ["rain", "fog"]).extraction('{"facts": [1]}')
    assert text(ask(model.url, "the weather")) == "rain"
    assert text(ask(model.url, EXTRACT, "hi")) == '{"facts": [1]}'
    assert text(ask(model.url, "hi")) == "first"
    refused = ask(model.url, "hi")
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "7")
    assert text(ask(model.url, "hi")) == "default"
    assert [text(ask(model.url, "weather")) for _ in range(2)] == ["fog", "fog"]
    assert len(model.extractions) == 1
    assert len(model.chats) == 6


def test_it_learns_nothing_from_an_extraction_that_was_not_scripted(model: ScriptedModel) -> None:
    model.script(["for the chat"])
    assert json.loads(text(ask(model.url, EXTRACT, "hi")))["facts"] == []
    assert text(ask(model.url, "hi")) == "for the chat"


def test_it_answers_by_a_function_of_the_request(model: ScriptedModel) -> None:
    model.reply(lambda request: Text(request.text.upper()))
    assert text(ask(model.url, "hi")) == "HI"


def test_it_sends_a_body_as_it_is(model: ScriptedModel) -> None:
    model.reply(Body({"a": [None]}, status=203))
    response = ask(model.url, "hi", stream=True)
    assert (response.status_code, response.json()) == (203, {"a": [None]})


def test_it_streams_words_and_usage_when_asked(model: ScriptedModel) -> None:
    model.reply("one two")
    lines = ask(model.url, "hi", stream=True, stream_options={"include_usage": True}).text.split("\n\n")
    chunks = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    pieces = [c["choices"][0]["delta"].get("content") for c in chunks if c["choices"]]
    assert pieces == ["", "one", " two", None]
    assert chunks[-1]["usage"]["total_tokens"] == 11
    assert lines[-2] == "data: [DONE]"


def test_it_streams_tool_calls_in_fragments(model: ScriptedModel) -> None:
    model.reply(ToolCalls([("a", "w", '{"city": "Lille"}')], fragments=4))
    lines = ask(model.url, "hi", stream=True).text.split("\n\n")
    chunks = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    calls = [t for c in chunks for t in c["choices"][0]["delta"].get("tool_calls", [])]
    assert len(calls) == 5
    assert "".join(c["function"]["arguments"] for c in calls) == '{"city": "Lille"}'


def test_it_hangs_up(model: ScriptedModel) -> None:
    model.script([HangUp(), Text("a b c", hang_up_after=1)])
    for _ in range(2):
        with pytest.raises(httpx.TransportError):
            ask(model.url, "hi", stream=True)


def test_it_knows_when_the_caller_left(model: ScriptedModel) -> None:
    model.reply(Text("w " * 100, interval=0.05))
    with httpx.stream("POST", f"{model.url}/chat/completions", json={"stream": True}) as response:
        next(response.iter_bytes())
    model.wait_for(lambda m: m.requests[0].closed_at is not None)
    assert model.requests[0].sent < 20


def test_it_insists_on_tool_answers_when_it_is_strict() -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "a"}]}
    answer = {"role": "tool", "tool_call_id": "a", "content": "x"}
    with ScriptedModel(strict=True) as model:
        assert ask(model.url, "hi", call, answer).status_code == 200
        for wrong in ([call, "between", answer], [answer], [call], [call, {**answer, "tool_call_id": "b"}]):
            assert ask(model.url, *wrong).status_code == 400


def test_it_runs_as_a_process_under_control(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"default": "from the file", "rules": [{"contains": "x", "replies": ["y"]}]}))
    command = [sys.executable, "-m", "tests.scripted_model", "--reply-file", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            url = process.stdout.readline().strip()
            control = url.removesuffix("/v1")
            assert text(ask(url, "hi")) == "from the file"
            assert text(ask(url, "x")) == "y"
            wanted = {"queue": [{"kind": "status", "status": 503}], "extraction": "{}"}
            assert httpx.post(f"{control}/__script", json=wanted).json() == {"ok": True}
            assert ask(url, "hi").status_code == 503
            assert text(ask(url, EXTRACT)) == "{}"
            assert httpx.post(f"{control}/__script", json={"default": {"kind": "hang", "x": 1}}).status_code == 400
            seen = httpx.get(f"{control}/__requests").json()
            assert seen["counts"] == {"/v1/chat/completions": 4}
            assert [r["status"] for r in seen["requests"]] == [200, 200, 503, 200]
            httpx.post(f"{control}/__reset")
            assert httpx.get(f"{control}/__requests").json()["requests"] == []
            assert text(ask(url, "x")) == "ok"
        finally:
            process.terminate()
