"""What the readers of files give, whatever the file: conversations with their messages, and facts."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memory.domain.types import Cardinality, Category

FIRST_YEAR = 1970
MILLISECONDS = 100_000_000_000  # a count of seconds is smaller than this until the year 5138

_NO_SLUG = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Message:
    """Something that was said. `id` is the file's, `model` who answered, `name` who spoke."""

    role: str
    text: str
    id: str = ""
    at: datetime | None = None
    name: str = ""
    model: str = ""


@dataclass(frozen=True)
class Conversation:
    """A thread, in order of saying. `id` is the file's; messages without a time are of the thread's."""

    id: str
    messages: Sequence[Message]
    at: datetime | None = None
    title: str = ""


@dataclass(frozen=True)
class FoundFact:
    """A fact as somebody else kept it. `space` names a context, `waits` says that nobody has approved it yet.

    `rejected`: the person said no to it. `own`: the person wrote or corrected it.
    """

    value: str
    key: str | None = None
    at: datetime | None = None
    confidence: float = 0.7
    importance: float = 0.5
    category: Category = Category.FACT
    cardinality: Cardinality | None = None
    space: str | None = None
    expires_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    waits: bool = False
    rejected: bool = False
    own: bool = False


@dataclass(frozen=True)
class Skipped:
    """A record that could not be taken, and why, without what it says."""

    where: str
    why: str


Found = Conversation | FoundFact | Skipped


def time_of(raw: Any) -> datetime | None:
    """A time as files have it: ISO 8601 (without an offset: UTC), or seconds or milliseconds since 1970; else None."""
    try:
        if isinstance(raw, bool) or raw is None:
            return None
        if isinstance(raw, str) and not raw.replace(".", "", 1).isdigit():
            at = datetime.fromisoformat(raw.strip())
            at = at if at.tzinfo else at.replace(tzinfo=UTC)
        else:
            seconds = float(raw)
            if not math.isfinite(seconds):
                return None
            at = datetime.fromtimestamp(seconds / 1000 if seconds > MILLISECONDS else seconds, UTC)
        return at.astimezone(UTC) if FIRST_YEAR <= at.year < 9000 else None
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def text_in(raw: Any) -> str:
    """The text where it is one; else nothing."""
    return raw if isinstance(raw, str) else ""


def share(raw: Any, default: float) -> float:
    """A number from 0 to 1, or the default."""
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not -math.inf < raw < math.inf:
        return default
    return float(min(1, max(0, raw)))


def slug_of(raw: Any) -> str | None:
    """The short name of a space for whatever it is called elsewhere."""
    return _NO_SLUG.sub("-", text_in(raw).lower()).strip("-")[:60].strip("-") or None


def category_of(raw: Any) -> Category:
    word = text_in(raw).strip().lower()
    return Category(word) if word in tuple(Category) else Category.FACT
