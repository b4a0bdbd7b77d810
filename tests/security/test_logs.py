"""What processes log: one line per outcome, with ids that lead on, and not a word of what was said."""

from __future__ import annotations

import json
from typing import Any

import httpx

from memory.db import operator_scope
from memory.models import WorkItem
from tests import processes, server
from tests.people import person
from tests.processes import eventually
from tests.scripted_model import Status
from workers import tasks

SAID = ("Zanzibar", "Quokkaville", "Wombatella")


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def test_they_name_the_request_and_the_items_and_nothing_that_was_said(database, broker, model):
    anna = person("anna")
    model.on("Zanzibar", "Quokkaville is far.")
    model.on("broken", Status(400, '{"error": {"message": "I refuse to speak of Wombatella"}}'))
    env = {**server.with_model(model.url), "CAESAR_LOG_FORMAT": "json", "CAESAR_LOG_LEVEL": "DEBUG"}
    with server.running(env) as web, processes.worker(env) as worker:

        def ask(text: str, **headers: str) -> httpx.Response:
            body = {"messages": [{"role": "user", "content": text}]}
            return httpx.post(f"{web.url}/v1/chat", json=body, headers={**anna.auth, **headers}, timeout=30)

        assert ask("My dog is called Zanzibar.").status_code == 200
        refused = ask("broken Wombatella", **{"X-Request-ID": "asked-by-a-test"})
        assert refused.status_code == 400
        model.extraction("Zanzibar cannot be written as JSON")
        tasks.tick()
        eventually(lambda: "reading_failed" in worker.said() or '"read"' in worker.said(), what=worker.said)
        told = lines(web.said)
        (failed,) = [line for line in told if line.get("request_id") == "asked-by-a-test"]
        assert failed["level"] in ("warning", "error", "info")
        read = [line for line in lines(worker.said()) if "items" in line]
        with operator_scope():
            ids = set(WorkItem.objects.values_list("id", flat=True))
        assert read
        assert all(set(line["items"]) <= ids for line in read)
        for line in (*told, *lines(worker.said())):
            assert {"timestamp", "level", "message", "logger"} <= set(line), line
            assert line["timestamp"].endswith("Z")
        for log in (web.said, worker.said()):
            for word in (*SAID, anna.key, server.UPSTREAM_KEY):
                assert word.lower() not in log.lower(), (word, log[-3000:])
