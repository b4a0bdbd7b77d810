"""What models cost, by the price list that comes along with litellm; nobody is asked, and litellm is not loaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from memory.config import conf
from memory.llm.providers import BUILTIN

LIST = "model_prices_and_context_window_backup.json"
AT_HOME = frozenset({BUILTIN, "ollama"})  # what runs on a machine of one's own costs nothing by the token
OFFICIAL = {"openai": "api.openai.com", "anthropic": "api.anthropic.com"}


@dataclass(frozen=True)
class Price:
    """US dollars for each token. What a provider takes less for, such as what it has cached, is not told apart."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        return self.input * input_tokens + self.output * output_tokens


FREE = Price(0.0, 0.0)


def price_of(identity: str) -> Price | None:
    """The price of `provider/model`, as a route is called; None where the list does not know it.

    An OpenAI-compatible server elsewhere takes its own prices, whatever its models are called.
    """
    provider, _slash, model = identity.partition("/")
    if provider in AT_HOME:
        return FREE
    if _elsewhere(provider):
        return None
    return _prices().get((provider, model))


def _elsewhere(provider: str) -> bool:
    official = OFFICIAL.get(provider)
    address = getattr(getattr(conf().llm, provider), "base_url", "") if official else ""
    return bool(address) and urlsplit(address).hostname != official


@cache
def _prices() -> dict[tuple[str, str], Price]:
    """By (provider, model). The list has some models with their provider before them, others without."""
    found = {}
    for name, entry in _listed().items():
        if isinstance(entry, Mapping) and (price := _price(entry)) is not None:
            # It tells apart kinds of a provider: vertex_ai-anthropic_models, bedrock_converse.
            provider = str(entry.get("litellm_provider", "")).partition("-")[0].removesuffix("_converse")
            found[provider, name.removeprefix(f"{provider}/")] = price
    return found


def _listed() -> dict[str, Any]:
    spec = find_spec("litellm")
    where = spec.submodule_search_locations if spec else None
    if not where:
        return {}
    listed: dict[str, Any] = json.loads(Path(where[0], LIST).read_text(encoding="utf-8"))
    return listed


def _price(entry: Mapping[str, Any]) -> Price | None:
    given, produced = (entry.get(f"{way}_cost_per_token") for way in ("input", "output"))
    if not isinstance(given, int | float) or not isinstance(produced, int | float):
        return None
    return Price(float(given), float(produced))
