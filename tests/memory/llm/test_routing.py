"""Which provider and model a task or a client's request gets."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory.config import LLM
from memory.errors import ModelMisconfigured
from memory.llm.catalogue import available_models
from memory.llm.routing import Route, route_for

Configure = Callable[..., LLM]


def test_it_shows_no_key_in_its_repr() -> None:
    route = Route("openai", "gpt-x", "sk-topsecret", "http://me:topsecret@127.0.0.1:1/v1")
    assert "topsecret" not in repr(route) + str(route) + route.address
    assert route.address == "http://127.0.0.1:1/v1"


def test_it_uses_the_default_where_no_task_is_routed(configured: Configure) -> None:
    configured(provider="openai", model="gpt-x", openai={"api_key": "k", "base_url": "http://h/v1"})
    for task in ("chat", "memory_extract", "memory_summarise"):
        assert route_for(task) == Route("openai", "gpt-x", "k", "http://h/v1", 60.0)


def test_it_routes_each_background_task_by_itself(configured: Configure) -> None:
    configured(
        provider="anthropic",
        model="claude-x",
        anthropic={"api_key": "ka"},
        task_routing={"memory_extract": {"provider": "Ollama", "model": "llama3.1:8b"}},
    )
    assert route_for("memory_extract").identity == "ollama/llama3.1:8b"
    assert route_for("memory_extract").base_url == "http://127.0.0.1:11434"
    assert route_for("memory_summarise").identity == "anthropic/claude-x"
    assert route_for("memory_summarise").api_key == "ka"


def test_it_has_no_language_model_when_nothing_is_configured(configured: Configure) -> None:
    configured()
    assert route_for("chat").is_rule_based
    assert route_for("chat", requested_model="gpt-4o").is_rule_based
    assert route_for("memory_extract").identity == "builtin"


def test_it_reaches_the_model_in_the_box_on_loopback(configured: Configure) -> None:
    configured(builtin={"model_path": "/models/smol.gguf", "port": 9123})
    route = route_for("chat", requested_model="gpt-4o")
    assert route == Route("builtin", "smol", "", "http://127.0.0.1:9123/v1", 60.0)
    assert not route.is_rule_based
    assert route.litellm_model == "openai/smol"


def test_it_keeps_the_operators_model_when_a_client_asks_for_one_it_was_never_told_of(
    configured: Configure,
) -> None:
    configured(provider="ollama", model="llama3.1:8b")
    for asked in ("gpt-4o", "", None, "anthropic/claude-x", "openai/gpt-4o", "groq/x"):
        assert route_for("chat", requested_model=asked).identity == "ollama/llama3.1:8b", asked


def test_it_takes_a_model_that_the_list_of_models_offers(configured: Configure) -> None:
    configured(
        provider="anthropic",
        model="claude-x",
        task_routing={"memory_extract": {"provider": "ollama", "model": "llama3.1:8b"}},
    )
    for listed in [m["id"] for m in available_models()["data"]]:
        assert route_for("chat", requested_model=listed).identity == listed
    assert route_for("chat", requested_model="llama3.1:8b").identity == "ollama/llama3.1:8b"


def test_it_takes_any_model_of_a_provider_that_is_set_up(configured: Configure) -> None:
    configured(provider="ollama", model="llama3.1:8b", openai={"api_key": "k"})
    assert route_for("chat", requested_model="openai/gpt-4o").identity == "openai/gpt-4o"
    assert route_for("chat", requested_model="openai/gpt-4o").api_key == "k"
    assert route_for("chat", requested_model="ollama/qwen3").identity == "ollama/qwen3"


def test_it_passes_the_clients_model_on_where_the_operator_named_none(configured: Configure) -> None:
    configured(provider="openai", openai={"base_url": "http://127.0.0.1:9/v1"})
    assert route_for("chat", requested_model="whatever-7b").identity == "openai/whatever-7b"
    assert route_for("chat", requested_model="org/whatever-7b").model == "org/whatever-7b"


def test_it_never_takes_an_address_or_a_key_from_the_client(configured: Configure) -> None:
    configured(provider="openai", openai={"api_key": "k", "base_url": "http://right/v1"})
    for asked in ("http://evil/v1", "openai/http://evil/v1", "custom_openai/x", "../../x"):
        route = route_for("chat", requested_model=asked)
        assert (route.provider, route.base_url) == ("openai", "http://right/v1")


def test_it_says_which_setting_is_missing_when_no_model_is_named(configured: Configure) -> None:
    configured(provider="anthropic", task_routing={"memory_extract": {"provider": "ollama"}})
    with pytest.raises(ModelMisconfigured, match="CAESAR_LLM__MODEL"):
        route_for("chat")
    with pytest.raises(ModelMisconfigured, match="ollama"):
        route_for("memory_extract")


def test_it_lists_the_configured_models_as_openai_does(configured: Configure) -> None:
    configured(
        provider="openai",
        model="gpt-x",
        openai={"api_key": "k-secret"},
        task_routing={
            "memory_extract": {"provider": "ollama", "model": "qwen3"},
            "memory_summarise": {"provider": "openai", "model": "gpt-x"},
        },
    )
    listed = available_models()
    assert listed["object"] == "list"
    assert [m["id"] for m in listed["data"]] == ["openai/gpt-x", "ollama/qwen3"]
    assert all(m["object"] == "model" for m in listed["data"])
    assert "secret" not in repr(listed)


def test_it_lists_the_rules_as_a_model_when_there_is_no_other(configured: Configure) -> None:
    configured()
    assert [m["id"] for m in available_models()["data"]] == ["builtin"]
