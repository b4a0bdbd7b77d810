"""Query parameters and ids in paths, each read once and strictly."""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection
from datetime import datetime

from rest_framework.request import Request

from memory.domain.text import clean
from memory.errors import InvalidInput, NotFound

MAX_TEXT = 1_000
_BIGINT = re.compile(r"[0-9]{1,18}")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def only(request: Request, *known: str) -> None:
    """Refuse parameters that the route does not know: a filter with a typing error must not show everything."""
    unknown = sorted(set(request.query_params) - set(known))
    if unknown:
        there = ", ".join(known) or "none"
        raise InvalidInput(f"Not a parameter here: {', '.join(unknown)[:200]}. There are: {there}.")
    doubled = [name for name in known if len(request.query_params.getlist(name)) > 1]
    if doubled:
        raise InvalidInput(f"Given more than once: {', '.join(doubled)}.")


def text(request: Request, name: str) -> str | None:
    """A text without control characters; None where it is missing or empty."""
    raw = clean(request.query_params.get(name, ""))
    if len(raw) > MAX_TEXT:
        raise InvalidInput(f"{name} is at most {MAX_TEXT} characters.")
    return raw or None


def one_of(request: Request, name: str, values: Collection[str]) -> str | None:
    raw = request.query_params.get(name)
    if raw is None or raw in values:
        return raw
    raise InvalidInput(f"{name} is one of {', '.join(values)}.")


def flag(request: Request, name: str) -> bool:
    raw = request.query_params.get(name, "false").lower()
    if raw not in ("true", "false", "1", "0"):
        raise InvalidInput(f"{name} is true or false.")
    return raw in ("true", "1")


def whole_number(request: Request, name: str, *, default: int, least: int, most: int) -> int:
    raw = request.query_params.get(name)
    if raw is None:
        return default
    if not _BIGINT.fullmatch(raw) or not least <= int(raw) <= most:
        raise InvalidInput(f"{name} is a number from {least} to {most}.")
    return int(raw)


def time(request: Request, name: str) -> datetime | None:
    """An ISO 8601 time. A plus sign that was sent unescaped has become a space; it is taken back."""
    raw = request.query_params.get(name)
    if raw is None:
        return None
    try:
        at = datetime.fromisoformat(raw.strip().replace(" ", "+") if "T" in raw else raw)
        in_range = at.tzinfo is not None and at.utctimetuple().tm_year >= 1
    except (ValueError, OverflowError):
        in_range = False
    if not in_range:
        raise InvalidInput(f"{name} is a time with an offset, such as 2030-01-31T09:00:00Z.")
    return at


def uuid_of(raw: str) -> uuid.UUID:
    """Raises ValueError."""
    if not _UUID.fullmatch(raw):
        raise ValueError("no id")
    return uuid.UUID(raw)


def number_of(raw: str) -> int:
    """Raises ValueError."""
    if not _BIGINT.fullmatch(raw):
        raise ValueError("no id")
    return int(raw)


def path_uuid(raw: str, what: str) -> uuid.UUID:
    """An id in a path. What cannot be an id gets the same answer as an id that is nobody's."""
    try:
        return uuid_of(raw)
    except ValueError:
        raise NotFound(f"There is no such {what}.") from None


def path_number(raw: str, what: str) -> int:
    try:
        return number_of(raw)
    except ValueError:
        raise NotFound(f"There is no such {what}.") from None
