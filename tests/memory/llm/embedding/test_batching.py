"""Batches are bounded, and one bad text costs no other its vector."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import ModelDown, ModelError, ModelNonsense, ModelRefusedRequest
from memory.llm.embedding.batching import MOST_CHARACTERS, batches, embed


class Model:
    """Gives each text its length; refuses batches with a text in `bad`."""

    def __init__(self, bad: set[str] = frozenset(), error: type[ModelError] = ModelRefusedRequest) -> None:  # type: ignore[assignment]
        self.bad = bad
        self.error = error
        self.calls: list[list[str]] = []

    def __call__(self, texts: list[str]) -> np.ndarray:
        self.calls.append(texts)
        if self.bad & set(texts):
            raise self.error("no")
        return np.array([[float(len(text))] for text in texts], dtype=np.float32)


@given(st.lists(st.integers(0, 5000), max_size=200), st.integers(1, 64))
def test_every_text_is_in_one_batch_of_a_bounded_size(lengths: list[int], most: int) -> None:
    made = list(batches(lengths, most_texts=most))
    assert sorted(position for batch in made for position in batch) == list(range(len(lengths)))
    for batch in made:
        assert len(batch) <= most
        longest = max(min(lengths[position], 1200) for position in batch)
        assert len(batch) == 1 or longest * len(batch) <= MOST_CHARACTERS


def test_it_gives_each_text_its_own_vector() -> None:
    texts = ["ccc", "a", "bb", "dddd"]
    outcome = embed(texts, Model(), most_texts=3)
    assert {position: vector[0] for position, vector in outcome.vectors.items()} == {0: 3, 1: 1, 2: 2, 3: 4}


@pytest.mark.parametrize("error", [ModelRefusedRequest, ModelNonsense])
@pytest.mark.parametrize("bad", [{"t00"}, {"t63"}, {"t07", "t50"}])
def test_it_finds_the_bad_texts(bad: set[str], error: type[ModelError]) -> None:
    texts = [f"t{i:02}" for i in range(64)]
    model = Model(bad, error)
    outcome = embed(texts, model, most_texts=64)
    assert {texts[position] for position in outcome.errors} == bad
    assert len(outcome.vectors) == 64 - len(bad)
    assert all(isinstance(found, error) for found in outcome.errors.values())


def test_it_does_not_ask_for_ever_where_all_are_refused() -> None:
    texts = [f"t{i:02}" for i in range(64)]
    model = Model(set(texts))
    outcome = embed(texts, model, most_texts=64)
    assert len(outcome.errors) == 64
    assert len(model.calls) <= 33


def test_what_is_about_all_texts_is_raised() -> None:
    with pytest.raises(ModelDown):
        embed(["a", "b"], Model({"a"}, ModelDown), most_texts=8)
