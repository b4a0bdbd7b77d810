"""Every block of settings in the documentation is taken, and means a model that can be asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from caesar import config
from memory.llm import routing
from memory.llm.embedding import choosing
from tests.docs import reading
from tests.docs.reading import Block
from tests.docs.test_named import settings_that_are

BLOCKS = reading.of_language("ini")


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_it_is_taken(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: object) -> None:
    lines = block.text.splitlines()
    assert all(reading.ASSIGNMENT.match(line) for line in lines)
    assert {line.partition("=")[0] for line in lines} <= settings_that_are()
    (tmp_path / "anthropic-key").write_text("sk-ant-not-a-real-key")
    env = tmp_path / ".env"
    env.write_text(block.text.replace("/etc/caesar", str(tmp_path)).replace("...", "not-a-real-key"))
    for name in [name for name in os.environ if name.startswith("CAESAR_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CAESAR_ENV_FILE", str(env))
    taken = settings.CAESAR = config.load()  # type: ignore[attr-defined]
    routing.default_route(taken.llm)
    for task in ("memory_extract", "memory_summarise"):
        routing.route_for(task)
    choosing.configured()
