"""Traces: who did what for how long, tied together, and not a word of what was said."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests import processes, server
from tests.people import person
from tests.processes import eventually

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


class Collector:
    """Takes what an OTLP exporter sends."""

    def __init__(self) -> None:
        self.raw: list[bytes] = []
        self.spans: list[tuple[str, Any]] = []  # (service, span)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                sent = ExportTraceServiceRequest.FromString(_unzipped(body, self.headers.get("content-encoding")))
                for part in sent.resource_spans:
                    names = {each.key: each.value.string_value for each in part.resource.attributes}
                    for scope in part.scope_spans:
                        outer.spans += [(names["service.name"], span) for span in scope.spans]
                outer.raw.append(sent.SerializeToString())
                self.send_response(200)
                self.end_headers()

            def log_message(self, *args: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def named(self, name: str) -> list[tuple[str, Any]]:
        return [(service, span) for service, span in self.spans if span.name == name]


def _unzipped(body: bytes, encoding: str | None) -> bytes:
    import gzip

    return gzip.decompress(body) if encoding == "gzip" else body


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def told(span: Any) -> dict[str, Any]:
    return {each.key: each.value for each in span.attributes}


def test_a_chat_and_its_reading_are_seen_without_their_words(database, broker, model, collector):
    anna = person("anna")
    model.on("Beans", "A fine name, Zanzibar.")
    env = {**server.with_model(model.url), "CAESAR_OTLP_ENDPOINT": collector.url}
    with server.running(env) as web, processes.worker(env) as worker:
        body = {"messages": [{"role": "user", "content": "My dog is called Beans."}]}
        answer = httpx.post(f"{web.url}/v1/chat", json=body, headers={**anna.auth, "traceparent": PARENT}, timeout=30)
        assert answer.status_code == 200
        from workers import tasks

        tasks.tick()
        eventually(lambda: collector.named("reading"), seconds=30, what=worker.said)
        eventually(lambda: len(collector.named("model")) >= 2, seconds=30, what=lambda: collector.spans)
        eventually(lambda: collector.named("POST request"), seconds=10)
    ((service, asked),) = collector.named("POST request")
    assert (service, asked.trace_id.hex()) == ("caesar-web", TRACE)
    assert told(asked)["http.response.status_code"].int_value == 200
    assert told(asked)["caesar.request_id"].string_value == answer.headers["x-request-id"]
    by_service = dict(collector.named("model"))
    assert by_service["caesar-web"].parent_span_id == asked.span_id
    ((_, reading),) = collector.named("reading")
    assert by_service["caesar-worker"].parent_span_id == reading.span_id
    assert told(reading)["caesar.items"].array_value.values
    said = b"".join(collector.raw).lower()
    assert b"beans" not in said
    assert b"zanzibar" not in said
    assert anna.key.encode() not in b"".join(collector.raw)


def test_a_collector_that_is_away_is_nobodys_business(database, model):
    anna = person("anna")
    model.on("tea", "Tea it is.")
    with server.running({**server.with_model(model.url), "CAESAR_OTLP_ENDPOINT": "http://127.0.0.1:1"}) as web:
        body = {"messages": [{"role": "user", "content": "tea"}]}
        answer = httpx.post(f"{web.url}/v1/chat", json=body, headers=anna.auth, timeout=30)
    assert answer.status_code == 200
