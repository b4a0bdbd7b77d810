"""Nothing that a client sends makes the server reach out: it speaks to the configured models and to nobody else."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.caesar.api.test_fuzz import operations, resolved, schema
from tests.people import person
from tests.scripted_model import ScriptedModel
from tests.server import Web
from workers import tasks


class Trap:
    """A port of this machine that nobody has any business with; it counts who comes."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.came: list[bytes] = []
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while True:
            try:
                link, _ = self._socket.accept()
            except OSError:
                return
            with link:
                link.settimeout(1)
                try:
                    self.came.append(link.recv(1000))
                except OSError:
                    self.came.append(b"")

    @property
    def addresses(self) -> list[str]:
        host = f"127.0.0.1:{self.port}"
        return [f"http://{host}/latest/meta-data", f"gopher://{host}/x", f"redis://{host}/0", f"//{host}/x", host]

    def close(self) -> None:
        self._socket.close()
        self._thread.join(2)


@pytest.fixture
def trap() -> Iterator[Trap]:
    made = Trap()
    yield made
    made.close()


def body_for(node: dict[str, Any], value: str, depth: int = 0) -> Any:
    """A request with the address in every text that it may have."""
    node = resolved(node)
    for name in ("allOf", "oneOf", "anyOf"):
        if name in node:
            return body_for(node[name][0], value, depth)
    if node.get("type") == "object" and depth < 4:
        return {name: body_for(part, value, depth + 1) for name, part in node.get("properties", {}).items()}
    if node.get("type") == "array" and depth < 4:
        return [body_for(node.get("items", {}), value, depth + 1)]
    return {"boolean": True, "integer": 1, "number": 1}.get(str(node.get("type")), value)


def test_no_field_of_any_route_is_an_address_to_go_to(web: Web, trap: Trap) -> None:
    anna = person("anna")
    with httpx.Client(base_url=web.url, headers=anna.auth, timeout=30) as client:
        for address in trap.addresses[:2]:
            for method, path in operations():
                operation = schema()["paths"][path][method]
                query, target = {}, path
                for raw in operation.get("parameters", []):
                    parameter = resolved(raw)
                    if parameter["in"] == "path":
                        target = target.replace("{" + parameter["name"] + "}", "x")
                    elif parameter["in"] == "query":
                        query[parameter["name"]] = address
                body = None
                if "requestBody" in operation:
                    (content,) = list(operation["requestBody"]["content"].values())[:1]
                    body = body_for(content.get("schema", {}), address)
                headers = {"X-Forwarded-Host": address, "Referer": address, "X-Request-ID": address, "Origin": address}
                answer = client.request(method, target, params=query, json=body, headers=headers)
                assert answer.status_code < 500 or path == "/readyz", (method, path, answer.text)
    assert trap.came == []


def test_pictures_and_tools_are_passed_on_and_never_fetched(web: Web, model: ScriptedModel, trap: Trap) -> None:
    anna = person("anna")
    model.on("look", "A picture.")
    address = trap.addresses[0]
    parts = [
        {"type": "text", "text": f"look at {address}"},
        {"type": "image_url", "image_url": {"url": address}},
        {"type": "file", "file": {"file_id": address, "file_data": address}},
    ]
    body = {
        "model": "default",
        "messages": [{"role": "user", "content": parts}],
        "base_url": address,
        "api_base": address,
        "webhook": address,
        "metadata": {"callback": address},
        "tools": [{"type": "function", "function": {"name": "f", "description": address, "parameters": {}}}],
    }
    answer = httpx.post(f"{web.url}/v1/chat/completions", json=body, headers=anna.auth, timeout=30)
    assert answer.status_code < 500, answer.text
    for each in ("openai/x", address, f"openai/{address}"):
        more = httpx.post(
            f"{web.url}/v1/chat",
            json={"messages": [{"role": "user", "content": "look"}], "model": each},
            headers=anna.auth,
        )
        assert more.status_code < 500, more.text
    assert trap.came == []


def test_what_is_learned_is_read_without_a_look_at_it(web: Web, model: ScriptedModel, trap: Trap) -> None:
    """Addresses in what people say, and in what models answer about it."""
    anna = person("anna")
    address = trap.addresses[0]
    model.on("site", "Noted.")
    said = {"messages": [{"role": "user", "content": f"My site is {address}"}]}
    assert httpx.post(f"{web.url}/v1/chat", json=said, headers=anna.auth, timeout=30).status_code == 200
    model.extraction(json.dumps({"facts": [{"key": "site", "value": address, "confidence": 0.9, "quote": address}]}))
    tasks.drain()
    found = httpx.post(f"{web.url}/v1/recall", json={"query": f"site {address}"}, headers=anna.auth, timeout=30)
    assert found.status_code == 200
    assert trap.came == []
