"""Which provider and model serve a task."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from memory.config import LLM, Task, conf
from memory.errors import ModelMisconfigured

BUILTIN = "builtin"
# Reached by OpenAI's protocol with nothing rewritten on the way.
_OPENAI_PROTOCOL = frozenset({"openai", BUILTIN})


@dataclass(frozen=True)
class Route:
    """How a model is reached. The key shows in no repr.

    `provider` and `model` are the names the operator uses; `base_url` is empty where the provider's own
    address holds; `api_key` is empty where none is configured (litellm then looks for the provider's usual
    variable).
    """

    provider: str
    model: str
    api_key: str = field(default="", repr=False)
    # It may carry a password.
    base_url: str = field(default="", repr=False)
    timeout_seconds: float = 60.0
    # Whose settings named it.
    section: str = "CAESAR_LLM"

    @property
    def identity(self) -> str:
        """`provider/model`, as /v1/models lists it and audit rows keep it."""
        return f"{self.provider}/{self.model}" if self.model else self.provider

    @property
    def address(self) -> str:
        """The base URL as it may be shown: without what stands before an @."""
        return re.sub(r"//[^/@]*@", "//", self.base_url)

    @property
    def is_rule_based(self) -> bool:
        """No language model: `memory.builtin` answers, extracts and summarises."""
        return self.provider == BUILTIN and not self.base_url

    @property
    def speaks_openai(self) -> bool:
        """A request can be passed on exactly as the client wrote it."""
        return self.provider in _OPENAI_PROTOCOL

    @property
    def litellm_model(self) -> str:
        """The model's name in litellm's words."""
        prefix = {BUILTIN: "openai", "ollama": "ollama_chat"}.get(self.provider, self.provider)
        return f"{prefix}/{self.model}"


def route_for(task: Task, *, requested_model: str | None = None) -> Route:
    """The route for a task; for chat the client may name a model.

    A client's `requested_model` is taken in this order, and never chooses an address or a key:
    1. the identity or the bare name of a model that is configured for any task: that one;
    2. `provider/model` of a provider that is configured: that model there;
    3. any name, where the operator named no model (`CAESAR_LLM__MODEL` unset) of a real provider: passed on;
    4. anything else ("gpt-4o" from a client that was never told otherwise): the configured model.
    """
    llm = conf().llm
    if task != "chat":
        routed = llm.task_routing.get(task)
        if routed is not None:
            provider = routed.provider.strip().lower()
            same = provider == llm.provider
            return _named(llm, provider, routed.model or (llm.model if same else ""))
        return default_route(llm)
    wanted = (requested_model or "").strip()
    if wanted and (route := _requested(llm, wanted)) is not None:
        return route
    return default_route(llm)


def default_route(llm: LLM) -> Route:
    """What `CAESAR_LLM__PROVIDER` and `CAESAR_LLM__MODEL` say."""
    return _named(llm, llm.provider, llm.model)


def configured_routes(llm: LLM) -> list[Route]:
    """The default's and the tasks' routes, each once, the default first; none without a model."""
    named = [(llm.provider, llm.model)]
    named += [(r.provider.strip().lower(), r.model) for r in llm.task_routing.values()]
    routes = [_build(llm, provider, model) for provider, model in named if model or provider == BUILTIN]
    return list({route.identity: route for route in routes}.values())


def _requested(llm: LLM, wanted: str) -> Route | None:
    for route in configured_routes(llm):
        if wanted in (route.identity, route.model):
            return route
    provider, slash, model = wanted.partition("/")
    if slash and model and provider.lower() in _usable_providers(llm):
        return _named(llm, provider.lower(), model)
    if not llm.model and llm.provider != BUILTIN:
        return _named(llm, llm.provider, wanted)
    return None


def _usable_providers(llm: LLM) -> set[str]:
    """Providers that the operator set up, by choosing them or by giving their key or address."""
    usable = {llm.provider, *(r.provider.strip().lower() for r in llm.task_routing.values())}
    if llm.anthropic.api_key.get_secret_value():
        usable.add("anthropic")
    if llm.openai.api_key.get_secret_value() or llm.openai.base_url:
        usable.add("openai")
    if "base_url" in llm.ollama.model_fields_set:
        usable.add("ollama")
    # What runs in the box is one fixed model; its name is matched above.
    return usable - {BUILTIN}


def _named(llm: LLM, provider: str, model: str) -> Route:
    route = _build(llm, provider, model)
    if not route.model and not route.is_rule_based:
        raise ModelMisconfigured(
            f"No model is named for the provider {provider}. Set CAESAR_LLM__MODEL (or the model in "
            f"CAESAR_LLM__TASK_ROUTING) to one that it offers.",
            provider=provider,
        )
    return route


def _build(llm: LLM, provider: str, model: str) -> Route:
    api_key, base_url = "", ""
    if provider == BUILTIN:
        path = llm.builtin.model_path
        model, base_url = (path.stem, llm.builtin.server_url) if path is not None else ("", "")
    elif provider == "anthropic":
        api_key, base_url = llm.anthropic.api_key.get_secret_value(), llm.anthropic.base_url
    elif provider == "openai":
        api_key, base_url = llm.openai.api_key.get_secret_value(), llm.openai.base_url
    elif provider == "ollama":
        base_url = llm.ollama.base_url
    return Route(provider, model, api_key, base_url, llm.timeout_seconds)
