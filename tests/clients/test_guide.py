"""docs/how-to/openai-clients.md: each of its Python blocks runs as it stands there and prints what it says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.processes import ROOT
from tests.scripted_model import Recorded, ScriptedModel, Text, ToolCalls
from tests.server import Web

if TYPE_CHECKING:
    from tests.people import Person

GUIDE = (ROOT / "docs" / "how-to" / "openai-clients.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
WHERE = "http://127.0.0.1:8000/v1"
SHOWN = re.compile(r"^ *print\(.*\)  # (.+)$", re.MULTILINE)


def answered(request: Recorded) -> Text | ToolCalls:
    """As a model would that was given what is known."""
    if "weather" in request.text:
        return ToolCalls([("c1", "weather", '{"city": "Lille"}')])
    if "response_format" in request.json:
        return Text('{"name": "Beans"}')
    return Text("Your dog is called Beans." if "Beans" in request.text else "I do not know.")


def test_each_of_its_blocks_does_what_it_says(
    web: Web, anna: Person, model: ScriptedModel, litellm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.reply(answered)
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "api-key").write_text(f"{anna.key}\n")
    monkeypatch.chdir(tmp_path)
    assert len(BLOCKS) >= 6
    assert sum(WHERE in block for block in BLOCKS) == 1
    told = "A reader's file"
    space: dict[str, Any] = {"__name__": told}
    for block in BLOCKS:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(block.replace(WHERE, web.openai_url), told, "exec"), space)
        expected = SHOWN.findall(block)
        said = [line for line in out.getvalue().replace("Beans.", "Beans.\n").splitlines() if line]
        for line in expected:
            assert line in said, (block, said)
    # Two of them stream.
    assert len([request for request in model.chats if request.streams]) == 2


def test_the_readme_says_the_same() -> None:
    assert 'OpenAI(base_url="http://127.0.0.1:8000/v1"' in (ROOT / "README.md").read_text()
