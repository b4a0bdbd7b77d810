"""Embedding providers at the real wire, through the real litellm."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memory.config import MemorySections
from memory.errors import (
    ModelDown,
    ModelError,
    ModelMisconfigured,
    ModelNonsense,
    ModelRateLimited,
    ModelRefusedRequest,
    ModelTimeout,
)
from memory.llm import loop
from memory.llm.embedding import BadTexts, Embedder, embedder
from memory.llm.embedding.hosted import Hosted
from memory.llm.routing import Route
from tests.memory.llm.embedding.conftest import KEY
from tests.scripted_model import Body, Hang, HangUp, Raw, Recorded, ScriptedModel, Status, Vectors
from tests.scripted_model.embeddings import made

Make = Callable[..., Embedder]


def test_it_gives_each_text_its_vector(model: ScriptedModel, hosted: Make) -> None:
    found = hosted().documents(["my dog is called Beans", "a cat", "Ein Hund namens Böhnchen, 狗"])
    assert (found.shape, found.dtype) == ((3, 64), np.float32)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=1e-6)
    np.testing.assert_allclose(found[1], made("a cat", 64), atol=1e-6)
    request = model.embeddings[0]
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.json["encoding_format"] == "float"
    assert "dimensions" not in request.json


def test_it_asks_for_the_length_of_an_unknown_model_once(model: ScriptedModel, hosted: Make) -> None:
    model.embedding(Vectors(dim=24))
    made = hosted()
    assert [made.identity.name for _ in range(3)] == ["openai/some-embedder/24"] * 3
    assert len(model.embeddings) == 1


def test_vectors_out_of_order_are_put_in_order(model: ScriptedModel, hosted: Make) -> None:
    def shuffled(request: Recorded) -> dict[str, Any]:
        data = [{"object": "embedding", "index": i, "embedding": made(t, 8)} for i, t in enumerate(request.inputs)]
        return {"object": "list", "model": "m", "data": data[::-1], "usage": {"prompt_tokens": 1, "total_tokens": 1}}

    model.embedding(shuffled)
    np.testing.assert_allclose(hosted().documents(["one", "two"]), [made("one", 8), made("two", 8)], atol=1e-6)


def test_many_texts_go_in_bounded_batches(model: ScriptedModel, hosted: Make) -> None:
    texts = [f"text number {i}" for i in range(150)]
    assert hosted().documents(texts).shape == (150, 64)
    assert len(model.embeddings) == 3
    assert max(len(request.inputs) for request in model.embeddings) == 64
    assert sorted(text for request in model.embeddings for text in request.inputs) == sorted(texts)


def test_nothing_gives_nothing(hosted: Make) -> None:
    assert hosted(embedding_dim=16).documents([]).shape == (0, 16)


def test_long_texts_and_odd_characters_are_cut_and_mended(model: ScriptedModel, hosted: Make) -> None:
    assert hosted().documents(["x" * 10_000, "a\0b", "half \ud83d of a pair"]).shape == (3, 64)
    assert sorted(len(text) for request in model.embeddings for text in request.inputs) == [3, 16, 4000]


# who is who ---------------------------------------------------------------------------------------------------
def test_voyage_is_told_what_is_a_question(model: ScriptedModel, reached: Make) -> None:
    voyage = reached("voyage", "voyage-3.5", dim=512)
    assert voyage.documents(["a text"]).shape == (1, 512)
    assert voyage.query("a question", 5) is not None
    document, query = model.embeddings
    assert document.json == {
        "model": "voyage-3.5",
        "input": ["a text"],
        "input_type": "document",
        "output_dimension": 512,
    }
    assert query.json["input_type"] == "query"
    assert document.headers["authorization"] == f"Bearer {KEY}"


def test_voyage_without_a_key_says_which_setting_is_missing(configured: Callable[..., MemorySections]) -> None:
    configured(provider="voyage")
    with pytest.raises(ModelMisconfigured, match="CAESAR_SEMANTIC__VOYAGE_API_KEY"):
        embedder().documents(["a text"])
    assert embedder().query("a question") is None


def test_what_a_client_sends_goes_as_it_is(model: ScriptedModel) -> None:
    def ask(provider: str, name: str, base_url: str, dim: int | None, **more: Any) -> int:
        backend = Hosted(Route(provider, name, KEY, base_url, 5.0), dim)
        backend.load()
        rows, tokens = loop.run(backend.plain(["a text"], more))
        assert len(rows[0]) == (dim or 64)
        return tokens

    assert ask("voyage", "voyage-3.5", model.url, 512, user="u", x=1) == 2
    assert ask("voyage", "voyage-3.5", model.url, None, input_type="query") == 2
    assert ask("ollama", "nomic-embed-text", model.root, None, input_type="query") == 2
    named, told, plain = (request.json for request in model.embeddings)
    assert named == {"model": "voyage-3.5", "input": ["a text"], "output_dimension": 512}
    assert told == {"model": "voyage-3.5", "input": ["a text"], "input_type": "query"}
    assert plain["input"] == ["a text"]


def test_ollama_gets_the_prefixes_and_its_vectors_are_cut_here(model: ScriptedModel, reached: Make) -> None:
    ollama = reached("ollama", "nomic-embed-text", dim=64, base_url=model.root)
    model.embedding(Vectors(dim=768))
    found = ollama.documents(["a text"])
    assert found.shape == (1, 64)
    np.testing.assert_allclose(np.linalg.norm(found), 1, rtol=1e-6)
    assert ollama.query("a question", 5) is not None
    assert [request.inputs for request in model.embeddings] == [
        ["search_document: a text"],
        ["search_query: a question"],
    ]
    assert model.embeddings[0].path == "/api/embed"


def test_openai_is_asked_for_the_length_that_is_set(model: ScriptedModel, hosted: Make) -> None:
    made = hosted(model="text-embedding-3-small", embedding_dim=256)
    assert made.documents(["a text"]).shape == (1, 256)
    assert model.embeddings[0].json["dimensions"] == 256


def test_a_server_that_takes_no_length_is_asked_without_one(model: ScriptedModel, hosted: Make) -> None:
    def picky(request: Recorded) -> Status | Vectors:
        return Status(400, "does not support dimensions") if "dimensions" in request.json else Vectors(dim=32)

    model.embedding(picky)
    made = hosted(embedding_dim=32)
    assert made.documents(["one"]).shape == (1, 32)
    made.documents(["two"])
    assert ["dimensions" in request.json for request in model.embeddings] == [True, False, False]


def test_a_length_that_the_model_does_not_have_is_the_operators_to_mend(model: ScriptedModel, hosted: Make) -> None:
    model.embedding(Vectors(constant=[1.0] * 48))
    with pytest.raises(ModelMisconfigured, match="gives vectors of 48 numbers, and they are to have 32: unset CAESAR_"):
        hosted(embedding_dim=32).documents(["a text"])


def test_a_model_that_changes_its_length_speaks_nonsense(model: ScriptedModel, hosted: Make) -> None:
    made = hosted()
    model.embedding([Vectors(dim=16), Vectors(dim=24)])
    made.documents(["one"])
    with pytest.raises(BadTexts, match="its vectors have 24 numbers, not 16"):
        made.documents(["two"])


# what goes wrong ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Status(500), ModelDown),
        (Status(503), ModelDown),
        (HangUp(), ModelDown),
        (Status(429, headers={"Retry-After": "7"}), ModelRateLimited),
        (Status(401, f"bad key {KEY}"), ModelMisconfigured),
        (Status(404), ModelMisconfigured),
    ],
)
def test_what_is_about_all_texts_is_raised_as_what_it_is(
    model: ScriptedModel, hosted: Make, reply: Any, kind: type[ModelError]
) -> None:
    model.embedding(reply)
    with pytest.raises(kind) as raised:
        hosted().documents(["one", "two"])
    assert type(raised.value) is kind
    assert len(model.embeddings) == 1
    assert_no_key(raised.value)
    if kind is ModelRateLimited:
        assert raised.value.retry_after == 7


def test_a_port_that_nobody_listens_on_is_down(model: ScriptedModel, hosted: Make) -> None:
    made = hosted()
    model.stop()
    with pytest.raises(ModelDown, match="cannot be reached"):
        made.documents(["one"])


def test_who_hangs_is_timed_out(model: ScriptedModel, hosted: Make) -> None:
    made = hosted(timeout=0.3)
    model.embedding(Hang())
    started = time.monotonic()
    with pytest.raises(ModelTimeout):
        made.documents(["one"])
    assert time.monotonic() - started < 1.5


def test_an_unknown_provider_is_said_to_be_none(reached: Make) -> None:
    with pytest.raises(ModelMisconfigured, match=r"no provider 'nobody'\. Check CAESAR_SEMANTIC__PROVIDER"):
        reached("nobody", "m").documents(["one"])


@pytest.mark.parametrize(
    "reply",
    [
        Vectors(texts={"two": [float("nan")] * 64}),
        Vectors(texts={"two": [float("inf")] * 64}),
        Vectors(texts={"two": [0.0] * 64}),
        Vectors(texts={"two": [1.0] * 63}),
        Vectors(texts={"two": []}),
    ],
)
def test_one_bad_vector_costs_no_other_text_its_own(model: ScriptedModel, hosted: Make, reply: Vectors) -> None:
    model.embedding(reply)
    texts = ["one", "two", "three", "four"]
    with pytest.raises(BadTexts) as raised:
        hosted(embedding_dim=64).documents(texts)
    assert list(raised.value.errors) == [1]
    assert type(raised.value.errors[1]) is ModelNonsense
    assert sorted(raised.value.vectors) == [0, 2, 3]
    np.testing.assert_allclose(raised.value.vectors[2], made("three", 64), atol=1e-6)


@pytest.mark.parametrize(
    "reply",
    [
        Vectors(drop=1),
        Body({"object": "list", "data": []}),
        Body({"object": "list", "data": None}),
        Body({"nothing": "here"}),
        Body({"object": "list", "data": [{"index": 0, "embedding": "AAAA"}]}),
        Raw(b"<html>busy</html>", content_type="text/html"),
        Raw(b"{", content_type="application/json"),
        Body({"error": {"message": "well"}}),
    ],
)
def test_nonsense_is_an_error_and_no_vector(model: ScriptedModel, hosted: Make, reply: Any) -> None:
    model.embedding(reply)
    with pytest.raises((ModelNonsense, ModelDown)):
        hosted(embedding_dim=64).documents(["one", "two"])


def test_a_text_that_is_refused_costs_no_other_its_vector(model: ScriptedModel, hosted: Make) -> None:
    def picky(request: Recorded) -> Status | Vectors:
        return Status(400, "this text is too long") if "bad" in request.inputs else Vectors()

    model.embedding(picky)
    with pytest.raises(BadTexts, match=r"1 of 40 texts got no vector.*this text is too long") as raised:
        hosted().documents([*(f"text {i}" for i in range(39)), "bad"])
    assert list(raised.value.errors) == [39]
    assert isinstance(raised.value.errors[39], ModelRefusedRequest)
    assert len(raised.value.vectors) == 39


def test_a_blank_text_has_no_vector_and_is_not_sent(model: ScriptedModel, hosted: Make) -> None:
    with pytest.raises(BadTexts) as raised:
        hosted().documents(["one", " \n", "\0"])
    assert list(raised.value.errors) == [1, 2]
    assert [request.inputs for request in model.embeddings] == [["one"]]


def test_the_key_is_in_no_error_and_no_log(
    model: ScriptedModel, hosted: Make, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    model.embedding(Status(400, f"you sent Bearer {KEY}"))
    made = hosted()
    with pytest.raises(BadTexts) as raised:
        made.documents(["one"])
    assert_no_key(raised.value)
    made.query("a question", 5)
    printed = capfd.readouterr()
    assert KEY not in caplog.text + printed.out + printed.err + repr(made.spec)


def assert_no_key(error: BaseException | None) -> None:
    while error is not None:
        assert KEY not in f"{error} {error!r} {vars(error)}"
        error = error.__cause__ or error.__context__


# questions ----------------------------------------------------------------------------------------------------
def test_a_question_that_was_asked_before_asks_nobody(model: ScriptedModel, hosted: Make) -> None:
    made = hosted()
    first = made.query("What is my dog called?", 5)
    assert first is not None
    np.testing.assert_allclose(first, made.query("  What is my\ndog called? ", 0.0))
    assert len(model.embeddings) == 1


@pytest.mark.parametrize("text", ["", "  \n\t", "\0"])
def test_a_blank_question_has_no_vector(model: ScriptedModel, hosted: Make, text: str) -> None:
    assert hosted().query(text, 5) is None
    assert model.embeddings == []


@pytest.mark.parametrize(
    "reply",
    [
        Hang(),
        HangUp(),
        Status(500),
        Status(429, headers={"Retry-After": "60"}),
        Status(401),
        Status(400),
        Vectors(constant=[float("nan")] * 64),
        Vectors(constant=[0.0] * 64),
        Vectors(constant=[1.0] * 63),
        Vectors(drop=1),
        Raw(b"<html>"),
        Vectors(delay=1.0),
    ],
    ids=str,
)
def test_whatever_the_embedder_does_a_question_costs_its_budget_at_most(
    model: ScriptedModel, hosted: Make, reply: Any
) -> None:
    made = hosted(embedding_dim=64)
    assert made.query("before", 5) is not None
    model.embedding(reply)
    for i in range(6):
        started = time.monotonic()
        assert made.query(f"question {i}") is None
        assert time.monotonic() - started < 0.150 + 0.05
    assert made.paused
    started = time.monotonic()
    assert made.query("not even tried") is None
    assert time.monotonic() - started < 0.02
    assert made.query("before", 0.0) is not None


def test_the_first_question_begins_the_load_and_waits_for_nothing(
    configured: Callable[..., MemorySections], model: ScriptedModel
) -> None:
    configured(llm={"openai": {"api_key": KEY, "base_url": model.url}}, provider="openai", model="first")
    made = embedder()
    started = time.monotonic()
    assert made.query("hello") is None
    assert time.monotonic() - started < 0.150
    made.load()
    assert made.query("hello", 5) is not None
