"""What can go wrong beside the model errors of `memory.errors`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from memory.errors import ModelError, ModelNonsense


class BadTexts(ModelNonsense):
    """Some texts of a call have no vector; the others have.

    vectors: by position in the call, float32[dim] each, normalised. errors: why each of the other positions has none.
    """

    def __init__(self, vectors: Mapping[int, np.ndarray], errors: Mapping[int, ModelError]) -> None:
        first = next(iter(errors.values()))
        super().__init__(
            f"{len(errors)} of {len(vectors) + len(errors)} texts got no vector. The first: {first}",
            provider=first.provider,
            model=first.model,
            raw=first.raw,
        )
        self.vectors = vectors
        self.errors = errors
