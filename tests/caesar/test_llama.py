"""A chat and a reading through a real llama.cpp server: the wire and the grounding check, with a model that invents."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests import server
from tests.memory.builtin.test_server import command, model, runs_llama, wait_until_it_answers
from tests.people import person
from tests.processes import free_port
from tests.server import Web

pytestmark = [pytest.mark.llama, runs_llama, pytest.mark.timeout(300)]


@pytest.fixture
def llm() -> Iterator[dict[str, Any]]:
    """The settings of an installation whose builtin provider runs a GGUF file, with that server running."""
    port = free_port()
    child = subprocess.Popen([*command(model(), port), "--context", "5120"], stdin=subprocess.PIPE)
    try:
        wait_until_it_answers(f"http://127.0.0.1:{port}")
        yield {
            "provider": "builtin",
            "builtin": {"model_path": str(model()), "port": port},
            "timeout_seconds": 120,
        }
    finally:
        child.terminate()
        child.wait(20)
        if child.stdin:
            child.stdin.close()


@pytest.fixture
def web(database: object, llm: dict[str, Any]) -> Iterator[Web]:
    env = {
        "CAESAR_LLM__PROVIDER": "builtin",
        "CAESAR_LLM__BUILTIN__MODEL_PATH": llm["builtin"]["model_path"],
        "CAESAR_LLM__BUILTIN__PORT": str(llm["builtin"]["port"]),
        "CAESAR_LLM__TIMEOUT_SECONDS": "120",
    }
    with server.running(env) as running:
        yield running


def test_it_chats_and_reads_through_a_real_model(web: Web, llm: dict[str, Any], settings: Any):
    from memory.config import LLM
    from memory.db import profile_scope
    from memory.models import Fact, WorkItem
    from workers import tasks

    anna = person("anna")
    said = "My dog's name is Beans and I live in Porto."
    with httpx.Client(base_url=web.url, headers=anna.auth, timeout=180) as http:
        asked = {"model": "", "messages": [{"role": "user", "content": said}], "max_tokens": 48}
        answer = http.post("/v1/chat/completions", json=asked)
    assert answer.status_code == 200, answer.text
    assert answer.json()["choices"][0]["message"]["content"].strip()
    assert answer.json()["usage"]["completion_tokens"] > 0
    settings.CAESAR = settings.CAESAR.model_copy(update={"llm": LLM.model_validate(llm)})
    assert tasks.drain() == 1
    with profile_scope(anna.profile_id):
        item = WorkItem.objects.get(kind="extract")
        current = list(Fact.objects.filter(state="current").values_list("value", flat=True))
    assert item.calls >= 1
    assert item.model.startswith("builtin")
    assert item.state == "done" or (item.state == "waiting" and item.error_code == "model_nonsense"), item.error
    # Whatever it invents, only what stands in the person's words may hold.
    assert all(word.strip(".,").casefold() in said.casefold() for value in current for word in value.split())
