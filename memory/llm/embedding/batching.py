"""Many texts in calls of a bounded size, so that a text that no model takes costs no other its vector."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from memory.errors import ModelError, ModelNonsense, ModelRefusedRequest

Call = Callable[[list[str]], np.ndarray]

# A call pads its texts to the longest one. Beyond so many characters a model in the box reads none.
_READ_AT_MOST = 1200
# Characters of one call, padding included. More of them at once take memory and are no faster.
MOST_CHARACTERS = 4 * _READ_AT_MOST


@dataclass
class Outcome:
    """What became of each text, by its position."""

    vectors: dict[int, np.ndarray] = field(default_factory=dict)
    errors: dict[int, ModelError] = field(default_factory=dict)


def embed(texts: Sequence[str], call: Call, *, most_texts: int) -> Outcome:
    """The vectors of all texts that have one.

    call: float32[n, dim] of n texts. Where it refuses a batch, or what it gives cannot be used, the batch is halved
    until the text that it is about stands alone. Any other ModelError is about all of them, and raised.
    """
    outcome = Outcome()
    for batch in batches([len(text) for text in texts], most_texts=most_texts):
        # Enough to find a few bad ones among many; where all are refused it is not the texts that are bad.
        calls_left = [4 * len(batch).bit_length() + 4]
        _halving(batch, texts, call, outcome, calls_left)
    return outcome


def batches(lengths: Sequence[int], *, most_texts: int, most_characters: int = MOST_CHARACTERS) -> Iterator[list[int]]:
    """Positions of texts that go into one call: of like length, since the longest one decides what all cost."""
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lambda each: lengths[each]):
        cost = min(lengths[position], _READ_AT_MOST) * (len(batch) + 1)
        if batch and (len(batch) >= most_texts or cost > most_characters):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def _halving(batch: list[int], texts: Sequence[str], call: Call, outcome: Outcome, calls_left: list[int]) -> None:
    calls_left[0] -= 1
    try:
        found = call([texts[position] for position in batch])
    except (ModelNonsense, ModelRefusedRequest) as error:
        if len(batch) == 1 or calls_left[0] < 2:
            outcome.errors.update(dict.fromkeys(batch, error))
            return
        middle = len(batch) // 2
        for half in (batch[:middle], batch[middle:]):
            _halving(half, texts, call, outcome, calls_left)
    else:
        outcome.vectors.update(zip(batch, found, strict=True))
