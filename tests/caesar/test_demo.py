"""`manage.py demo`: told on Monday, known on Thursday, with nothing but this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from caesar.calling import CallFailed
from caesar.config import ROOT
from caesar.demo import Demo

# Without these an operator has no provider's key, whatever the tests' own environment holds.
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "CAESAR_LLM__PROVIDER", "CAESAR_LLM__MODEL")


def cut_off() -> list[str]:
    """What a command is put behind so that it sees no network."""
    return ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--net"]


@pytest.mark.timeout(240)
def test_it_needs_no_network_and_no_key(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if name not in KEYS}
    story = subprocess.run(
        [*cut_off(), sys.executable, "-m", "tests.caesar.offline", str(tmp_path)],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert story.returncode == 0, story.stdout + story.stderr
    told = story.stdout
    assert told.index("== Monday") < told.index('"key": "dog.name"') < told.index("== Thursday")
    assert told.index("chat.completed") < told.index("memory.fact.added") < told.index("| <caesar-memory>")
    assert "|   - Your dog's name is Beans." in told
    assert "Told on Monday, known on Thursday." in told
    assert told.rstrip().endswith("(`make demo ARGS=--keep` keeps it).")


def test_it_says_that_no_server_answers() -> None:
    lines: list[str] = []
    with pytest.raises(CallFailed, match="start it with `make up`"):
        Demo(url="http://127.0.0.1:1", key="k", wake=lambda: None, say=lines.append).play()
    assert lines == []
