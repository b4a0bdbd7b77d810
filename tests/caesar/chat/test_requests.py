"""The edge of the web process: hosts, methods, sizes, ids, rubbish."""

from __future__ import annotations

import re
import socket
from typing import Any

import httpx
import pytest

from tests import server
from tests.caesar.chat.looking import rows, user
from tests.scripted_model import ScriptedModel
from tests.server import Web

ROUTES = ("/v1/chat", "/v1/chat/completions")
HI = {"messages": [user("Hi")]}


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_it_takes_post_alone(http: httpx.Client, path: str, method: str) -> None:
    answer = http.request(method, path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"
    assert answer.json()["error"]["code"] == "method_not_allowed"


EVERYWHERE = [*ROUTES, "/v1/facts", "/healthz", "/dashboard/audit/live", "/admin/", "/static/dashboard/caesar.css"]


@pytest.mark.parametrize("path", EVERYWHERE)
@pytest.mark.parametrize("host", ["rebound.example", "127.0.0.1.rebound.example", "a@127.0.0.1", "127.0.0.1:x", "[::1"])
def test_it_serves_no_host_that_it_was_not_told_of(http: httpx.Client, path: str, host: str) -> None:
    answer = http.request("POST" if path in ROUTES else "GET", path, headers={"Host": host})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "host_not_allowed"
    assert "CAESAR_ALLOWED_HOSTS" in answer.json()["error"]["message"]


@pytest.mark.parametrize("path", ROUTES)
def test_it_serves_the_hosts_that_it_was_told_of(http: httpx.Client, model: ScriptedModel, path: str) -> None:
    for host in ("localhost:1234", "LOCALHOST", "127.0.0.1", "[::1]:8000"):
        assert http.post(path, json=HI, headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("path", [*ROUTES, "/v1/facts", "/"])
def test_it_bounds_bodies_by_what_they_say_and_by_what_they_are(web: Web, anna: Any, path: str) -> None:
    large = b" " * 20_000_001

    def pieces() -> Any:
        yield from (large[i : i + 1_000_000] for i in range(0, len(large), 1_000_000))

    for content in (large, pieces()):
        answer = httpx.post(web.url + path, headers=anna.auth, content=content, timeout=30)
        assert answer.status_code == 413
        assert answer.json()["error"]["code"] == "request_too_large"


def test_it_refuses_a_large_body_before_it_is_sent(web: Web, anna: Any) -> None:
    head = "POST /v1/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n"
    address = web.url.removeprefix("http://").split(":")
    with socket.create_connection((address[0], int(address[1])), timeout=5) as connection:
        connection.sendall(head.encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_it_gives_each_request_an_id(http: httpx.Client, model: ScriptedModel) -> None:
    assert re.fullmatch(r"[0-9a-f]{32}", http.post("/v1/chat", json=HI).headers["x-request-id"])
    assert http.post("/v1/chat", json=HI, headers={"X-Request-Id": "a-1"}).headers["x-request-id"] == "a-1"
    for insane in ("x" * 101, "a b", "a{b"):
        made = http.post("/v1/chat", json=HI, headers={"X-Request-Id": insane}).headers["x-request-id"]
        assert re.fullmatch(r"[0-9a-f]{32}", made)


RUBBISH = [
    b"",
    b"{",
    b"\xff\xfe",
    b"null",
    b"[]",
    b'{"messages": NaN}',
    b'{"messages": [{"role": "user", "content": "\\ud800"}]}',
    b'{"messages": ' + b"[" * 90_000,
    b'{"messages": ' + b"[" * 500 + b"]" * 500 + b"}",
    b'{"messages": [{"role": "user", "content": "x"}], "seed": ' + b"9" * 5000 + b"}",
    b'{"messages": [{"role": "user", "content": "x"}], "temperature": 1e400}',
    b'{"messages": [{"role": "user", "content": {"a": 1}}]}',
    b'{"messages": [["user", "x"]]}',
    b'{"messages": [{"role": "user", "content": "x"}], "caesar": "off"}',
    b'{"messages": [{"role": "user", "content": "x"}], "caesar": {"memry": "off"}}',
    b'{"messages": [{"role": "user", "content": "x"}], "stream": "yes"}',
    b'{"messages": [{"role": "user", "content": "x"}], "n": 129}',
    b'{"messages": [{"role": "user", "content": "x"}], "n": 1e6, "stream": true}',
]


@pytest.mark.parametrize("body", RUBBISH, ids=range(len(RUBBISH)))
def test_it_answers_rubbish_with_a_sentence(http: httpx.Client, model: ScriptedModel, body: bytes) -> None:
    for path in ROUTES:
        answer = http.post(path, content=body)
        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == "invalid_input"
        assert len(answer.json()["error"]["message"]) >= 20
    assert rows() == []


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": [1, None, [], {"type": 5}, {"type": "text", "text": 5}, {"text": "x"}]},
        {"role": "assistant", "content": None, "tool_calls": "x"},
        {"role": "assistant", "content": "", "tool_calls": [None, {"id": 5}]},
        {"role": "tool", "tool_call_id": {"a": 1}, "content": "x"},
        {"role": "tool", "tool_call_id": "a\0b", "content": "\0"},
        {"role": "function", "name": "f", "content": None},
        {"role": "x_future", "content": "x"},
        {"role": "user", "content": "x", "id": 10**30},
        {"role": "user", "id": "a\0b"},
        {"role": "system", "content": []},
    ],
)
def test_it_leaves_odd_messages_to_the_provider(http: httpx.Client, model: ScriptedModel, message: Any) -> None:
    answer = http.post("/v1/chat/completions", json={"messages": [message, user("Hi")]})
    assert answer.status_code == 200
    assert model.requests[0].json["messages"] == [message, user("Hi")]
    assert len(rows()) == 1


def test_it_respects_the_prefix_of_a_proxy(model: ScriptedModel, anna: Any) -> None:
    # Uvicorn puts the prefix, which the proxy has taken off, back before the path.
    with server.running({**server.with_model(model.url), "UVICORN_ROOT_PATH": "/brain"}) as web:
        for path in ROUTES:
            assert httpx.post(web.url + path, headers=anna.auth, json=HI, timeout=30).status_code == 200


@pytest.mark.parametrize("path", ["/v1/chat", "/v1/facts"])
@pytest.mark.parametrize("name", ["X-Caesar-Profile", "Authorization"])
def test_it_refuses_a_header_that_names_two_people(web: Web, anna: Any, path: str, name: str) -> None:
    headers = [*anna.auth.items(), (name, "one"), (name, "two")]
    with httpx.Client(base_url=web.url, timeout=30) as http:
        answer = http.request("POST", path, headers=headers, json={"messages": [{"role": "user", "content": "Hi"}]})
    assert answer.status_code == 400
    assert "more than once" in answer.json()["error"]["message"]


def test_it_bounds_headers(web: Web, anna: Any) -> None:
    with httpx.Client(base_url=web.url, timeout=30) as http:
        try:
            status = http.get("/v1/facts", headers=anna.auth | {"X-Large": "x" * 200_000}).status_code
        except httpx.TransportError:
            status = 400  # it hung up while the header was still coming: the answer was lost on the way
        assert 400 <= status < 500
        assert http.get("/healthz").status_code == 200
