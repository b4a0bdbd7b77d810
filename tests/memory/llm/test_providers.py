"""Which providers may be named in the settings."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import ValidationError

from memory.config import LLM
from memory.llm import library, providers


def test_it_knows_those_that_litellm_knows() -> None:
    theirs = {str(getattr(name, "value", name)) for name in library.load().provider_list}
    assert providers.names() - {"builtin"} == theirs
    assert providers.FILE.read_text().split() == sorted(theirs)


@pytest.mark.parametrize("name", ["anthropic", " OpenAI ", "ollama", "builtin", "", "mistral", "bedrock", "gemini"])
def test_it_takes_them_however_they_are_written(name: str) -> None:
    assert LLM.model_validate({"provider": name}).provider == (name.strip().lower() or "builtin")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("antropic", "did you mean anthropic"),
        ("openia", "did you mean openai"),
        ("lmstudio", "did you mean lm_studio"),
        ("nonsense", "the usual ones are builtin, anthropic, openai"),
        ("x" * 10_000, "there is no provider 'xxx"),
    ],
)
def test_it_says_what_is_near(name: str, said: str) -> None:
    for given in ({"provider": name}, {"task_routing": {"memory_extract": {"provider": name}}}):
        with pytest.raises(ValidationError) as caught:
            LLM.model_validate(given)
        assert said in str(caught.value.errors()[0]["msg"])
        assert len(caught.value.errors()[0]["msg"]) < 300


def test_it_does_not_load_litellm_for_that() -> None:
    code = "import sys, memory.config; memory.config.LLM(provider='mistral'); sys.exit('litellm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
