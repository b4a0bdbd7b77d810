"""What a converter gives: texts, each with its page where the format has pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Page = tuple[int | None, str]


class Unreadable(Exception):
    """Why a converter stopped. `args`: a short code, as `memory.documents.refusing` has it."""

    @property
    def why(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class Limits:
    """How much may be taken: pages, characters of text, bytes that are unpacked, megabytes and seconds."""

    pages: int
    chars: int
    unpacked: int
    memory_mb: int
    seconds: int


def bounded(pages: Iterable[Page], limits: Limits) -> Iterator[Page]:
    """The pages that have text. Raises Unreadable where they are too many or too long together."""
    chars = 0
    for number, (page, text) in enumerate(pages, 1):
        if number > limits.pages:
            raise Unreadable("too_many_pages")
        chars += len(text)
        if chars > limits.chars:
            raise Unreadable("too_long")
        if text.strip():
            yield page, text
