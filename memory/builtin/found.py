"""One fact that was found, with where it stands."""

from __future__ import annotations

from dataclasses import dataclass

from memory.domain.types import Proposal


@dataclass(frozen=True, slots=True)
class Found:
    """A proposal together with the pattern that made it and its offset in the message."""

    pattern: str
    proposal: Proposal
    at: int

    @property
    def key(self) -> str:
        return self.proposal.key or ""

    @property
    def value(self) -> str:
        return self.proposal.value.casefold()
