"""What models cost: litellm's list, read without litellm."""

import subprocess
import sys

import pytest

from memory.config import LLM
from memory.llm import prices
from memory.llm.prices import FREE, price_of


@pytest.mark.parametrize(
    "identity",
    [
        "anthropic/claude-haiku-4-5-20251001",
        "openai/gpt-4o-mini",
        "gemini/gemini-2.5-flash",
        "mistral/mistral-small-latest",
        "deepseek/deepseek-chat",
        "bedrock/anthropic.claude-haiku-4-5-20251001-v1:0",
        "vertex_ai/claude-sonnet-4-5",
    ],
)
def test_it_has_the_price_that_litellm_itself_takes(identity):
    from memory.llm import library

    litellm = library.load()
    price = price_of(identity)
    wanted = litellm.cost_per_token(model=identity, prompt_tokens=1000, completion_tokens=100)
    assert price is not None
    assert price.of(1000, 100) == pytest.approx(sum(wanted))
    assert price.of(1000, 100) > 0


@pytest.mark.parametrize("identity", ["ollama/llama3.1:8b", "builtin", "builtin/my-model"])
def test_what_runs_at_home_costs_nothing(identity):
    assert price_of(identity) == FREE


@pytest.mark.parametrize(
    "identity",
    ["", "/", "openai", "openai/", "openai/no-such-model", "nobody/gpt-4o", "anthropic/gpt-4o", "sample_spec"],
)
def test_it_does_not_guess(identity):
    assert price_of(identity) is None


def test_a_compatible_server_elsewhere_takes_its_own_prices(settings):
    def at(url):
        settings.CAESAR = settings.CAESAR.model_copy(update={"llm": LLM(openai={"base_url": url})})
        return price_of("openai/gpt-4o-mini")

    assert at("http://127.0.0.1:9/v1") is None
    assert at("https://api.openai.com.evil.example/v1") is None
    assert at("https://api.openai.com/v1") == at("")


def test_without_the_list_no_price_is_known(monkeypatch):
    monkeypatch.setattr(prices, "find_spec", lambda name: None)
    prices._prices.cache_clear()
    try:
        assert price_of("openai/gpt-4o-mini") is None
    finally:
        prices._prices.cache_clear()


def test_it_does_not_load_litellm():
    code = (
        "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'caesar.settings'; django.setup();"
        "from memory.llm.prices import price_of; assert price_of('openai/gpt-4o-mini');"
        "assert 'litellm' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-W", "ignore::RuntimeWarning", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
