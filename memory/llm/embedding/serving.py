"""What clients have embedded: through the configured model, exactly as they sent it. Nothing of it is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from memory.errors import InvalidInput
from memory.llm.embedding import checking, choosing, known
from memory.llm.embedding.choosing import Spec
from memory.llm.embedding.sources import Check, source_of
from memory.llm.errors import nonsense


@dataclass(frozen=True)
class Asked:
    """A client's request. inputs: texts, or arrays of tokens. more: what else it says, for the provider to judge."""

    inputs: Sequence[Any] = field(repr=False)
    model: str | None = None
    dimensions: int | None = None
    more: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Served:
    """vectors: float32[n, dim], each of length 1, in the order of the inputs. tokens: as counted; 0 = nobody said."""

    vectors: np.ndarray
    model: str
    tokens: int


async def serve(asked: Asked) -> Served:
    """The vectors of all inputs.

    Raises InvalidInput for a model that is not configured, a length that it does not have and tokens that it does not
    read; ModelError for what the model or its provider does.
    """
    spec = choosing.configured()
    if not spec.is_called(asked.model):
        raise InvalidInput(
            f"There is no embedding model {str(asked.model)[:100]!r} here. Ask for {spec.public_name}, or for default."
        )
    facts = known.model(spec.model)
    if asked.dimensions is not None and not facts.can_be(asked.dimensions):
        raise _no_such_length(spec, facts.dim, asked.dimensions)
    dim = asked.dimensions or spec.dim
    with source_of(spec, dim, asked.more) as source:
        vectors: np.ndarray | None = None
        tokens = 0
        for batch in source.batches(asked.inputs):
            check = _check(spec, dim, len(batch), by_client=asked.dimensions is not None)
            found, counted = await source.embed([asked.inputs[place] for place in batch], check)
            # As long as the first, where nothing else says how long they are.
            dim = found.shape[1]
            if vectors is None:
                vectors = np.empty((len(asked.inputs), dim), dtype=np.float32)
            vectors[list(batch)] = found
            tokens += counted
    assert vectors is not None
    return Served(vectors, spec.public_name, tokens)


def _check(spec: Spec, dim: int | None, count: int, *, by_client: bool) -> Check:
    """What holds the vectors of a batch to what was asked for."""
    least = known.model(spec.model).least

    def check(rows: Any) -> np.ndarray:
        try:
            return checking.vectors(rows, count=count, dim=dim, least=least)
        except checking.WrongLength as wrong:
            if by_client:
                raise _no_such_length(spec, wrong.length, wrong.wanted) from None
            if spec.dim is not None:
                raise choosing.wrong_length(spec.provider, spec.model, wrong.length, wrong.wanted) from None
            raise nonsense(str(wrong), spec.route) from None
        except checking.Nonsense as wrong:
            raise nonsense(str(wrong), spec.route) from None

    return check


def _no_such_length(spec: Spec, length: int | None, wanted: int) -> InvalidInput:
    return InvalidInput(
        f"The embedding model {spec.public_name} gives vectors of {length} numbers and cannot give any of {wanted}: "
        "leave dimensions out."
    )
