"""Which embedder the settings mean."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from memory.config import MemorySections, Semantic
from memory.errors import ModelMisconfigured
from memory.llm import embedding
from memory.llm.embedding import Identity, choosing, embedder, for_identity, known, runtime, warm_up

Configure = Callable[..., MemorySections]


def test_nothing_set_is_the_model_in_the_box_by_what_is_installed(
    configured: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured()
    assert embedder().spec.provider == "local"
    monkeypatch.setattr(runtime, "installed", lambda package: package != "sentence_transformers")
    assert embedder().spec.provider == "onnx"
    assert embedder().identity == Identity("local", "all-MiniLM-L6-v2", 384)


@pytest.mark.parametrize("provider", ["", "local", "onnx", " ONNX "])
@pytest.mark.parametrize("model", ["", "all-MiniLM-L6-v2", "sentence-transformers/all-minilm-l6-v2"])
def test_local_and_onnx_share_one_identity(
    configured: Configure, monkeypatch: pytest.MonkeyPatch, provider: str, model: str
) -> None:
    monkeypatch.setattr(embedding, "_made", {})
    monkeypatch.setattr(embedding, "_loaded", {})
    configured(provider=provider, model=model)
    assert embedder().identity.name == "all-MiniLM-L6-v2/384"
    assert not embedder().ready  # saying so loads nothing


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"provider": "voyage"}, "voyage/voyage-3.5/1024"),
        ({"provider": "voyage", "embedding_dim": 512}, "voyage/voyage-3.5/512"),
        ({"provider": "openai"}, "openai/text-embedding-3-small/1536"),
        ({"provider": "openai", "model": "text-embedding-3-large", "embedding_dim": 300}, None),
        ({"provider": "openai", "model": "whatever", "embedding_dim": 300}, "openai/whatever/300"),
        ({"provider": "ollama"}, "ollama/nomic-embed-text/768"),
        ({"provider": "ollama", "embedding_dim": 128}, "ollama/nomic-embed-text/128"),
        ({"provider": "local", "model": "intfloat/multilingual-e5-small"}, "intfloat/multilingual-e5-small/384"),
    ],
)
def test_a_provider_has_its_usual_model_and_length(configured: Configure, settings: Any, name: str | None) -> None:
    configured(**settings)
    assert embedder().identity.name == (name or "openai/text-embedding-3-large/300")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"embedding_dim": 256}, "all-MiniLM-L6-v2 gives vectors of 384 numbers, and they are to have 256"),
        ({"provider": "voyage", "embedding_dim": 300}, "gives vectors of 1024 numbers, and they are to have 300"),
        ({"provider": "openai", "model": "text-embedding-ada-002", "embedding_dim": 512}, "of 1536 numbers"),
        ({"provider": "ollama", "embedding_dim": 32}, "of 768 numbers"),
        ({"provider": "ollama", "model": "qwen3-embedding:8b"}, "4000 are the most that can be kept"),
        ({"provider": "onnx", "model": "bge-m3"}, "onnx runs all-MiniLM-L6-v2 alone"),
        ({"provider": "jina_ai"}, "No embedding model is named for jina_ai: set CAESAR_SEMANTIC__MODEL"),
    ],
)
def test_what_cannot_be_meant_is_said_in_a_sentence(configured: Configure, settings: Any, sentence: str) -> None:
    configured(**settings)
    with pytest.raises(ModelMisconfigured, match=re.escape(sentence)):
        embedder()
    warm_up()  # a process that starts does not fail by it


def test_old_vectors_keep_their_embedder_while_the_settings_go_on(configured: Configure) -> None:
    configured(provider="onnx")
    old = embedder()
    configured(provider="openai", llm={"openai": {"api_key": "sk-1"}})
    assert embedder().identity.provider == "openai"
    found = for_identity(old.identity)
    assert found.identity == old.identity
    configured(provider="onnx")
    assert for_identity(old.identity) is old is embedder()


def test_an_identity_of_a_provider_is_reached_with_the_keys_of_now(configured: Configure) -> None:
    configured(provider="onnx", voyage_api_key="pa-secret-key")
    found = for_identity(Identity("voyage", "voyage-3.5", 1024))
    assert found.spec.route.api_key == "pa-secret-key"
    assert "pa-secret-key" not in repr(found.spec)


@pytest.mark.parametrize(
    ("name", "query", "document"),
    [
        ("all-MiniLM-L6-v2", "", ""),
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("intfloat/e5-base-v2", "query: ", "passage: "),
        ("/models/multilingual-e5-large/", "query: ", "passage: "),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("nomic-embed-text:latest", "search_query: ", "search_document: "),
        ("google/embeddinggemma-300m", "task: search result | query: ", "title: none | text: "),
        ("text-embedding-3-small", "", ""),
        ("never-heard-of", "", ""),
    ],
)
def test_what_a_model_wants_in_front_is_known_by_its_name(name: str, query: str, document: str) -> None:
    found = known.model(name)
    assert (found.prefix("query"), found.prefix("document")) == (query, document)


def test_an_instruct_model_wants_its_instruction_with_questions_alone() -> None:
    for name in ("intfloat/multilingual-e5-large-instruct", "Qwen/Qwen3-Embedding-0.6B"):
        assert known.model(name).query.startswith("Instruct: ")
        assert known.model(name).document == ""


@pytest.mark.parametrize("name", [" Voyage ", "local", "ONNX", "openai", "jina_ai", "", " "])
def test_a_provider_is_a_name_however_it_is_written(name: str) -> None:
    assert Semantic.model_validate({"provider": name}).provider == name.strip().lower()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("voyag", "did you mean voyage"),
        ("onyx", "did you mean onnx"),
        ("zzzzzz", "local, onnx, voyage"),
        ("builtin", ""),
    ],
)
def test_a_provider_that_does_not_exist_stops_the_start_with_a_sentence(name: str, said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Semantic.model_validate({"provider": name})
    assert said in str(caught.value.errors()[0]["msg"])


@pytest.mark.parametrize(
    ("semantic", "name", "others"),
    [
        ({"provider": "onnx"}, "local/all-MiniLM-L6-v2", ["onnx/all-MiniLM-L6-v2", "all-MiniLM-L6-v2"]),
        ({"provider": "local", "model": "/home/anna/models/e5"}, "local/e5", ["e5"]),
        ({"provider": "local", "model": "intfloat/e5-small"}, "local/intfloat/e5-small", ["intfloat/e5-small"]),
        ({"provider": "openai", "model": "some"}, "openai/some", ["some"]),
    ],
)
def test_clients_call_it_by_a_name_that_tells_no_path(
    configured: Configure, semantic: dict[str, Any], name: str, others: list[str]
) -> None:
    configured(**semantic)
    spec = choosing.configured()
    assert spec.public_name == name
    assert all(spec.is_called(one) for one in (None, "", "default", name, *others))
    assert not any(spec.is_called(one) for one in ("text-embedding-3-small", "local", "x/some", f"{name}/384"))
