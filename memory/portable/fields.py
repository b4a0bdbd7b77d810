"""The fields of one record of our own export, each checked as it is taken. What is not asked for is passed over."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from memory import audit
from memory.errors import InvalidInput

FIRST_YEAR, LAST_YEAR = 2, 9998  # with a day to either side for the offset
MOST_TEXT = 100_000
MOST_COUNT = 2**31 - 1
MOST_NUMBER = 2**63 - 1
MOST_LIST = 1_000_000


class Fields:
    """Raises InvalidInput that names the line and the field, never what stands in it."""

    def __init__(self, record: Mapping[str, Any], line: int, now: datetime) -> None:
        self._record, self._line, self._now = record, line, now

    def wrong(self, name: str, wanted: str) -> InvalidInput:
        return InvalidInput(f"Line {self._line}: {name} is {wanted}.")

    def raw(self, name: str) -> Any:
        return self._record.get(name)

    def text(self, name: str, most: int = MOST_TEXT) -> str:
        value = self._record.get(name)
        if not isinstance(value, str) or len(value) > most:
            raise self.wrong(name, f"a text of at most {most:,} characters")
        return audit.storable_text(value)

    def text_or_none(self, name: str, most: int = MOST_TEXT) -> str | None:
        return None if self._record.get(name) is None else self.text(name, most)

    def one_of(self, name: str, values: Collection[str]) -> str:
        value = self._record.get(name)
        if not isinstance(value, str) or value not in set(values):
            raise self.wrong(name, f"one of {', '.join(values)}")
        return str(value)

    def flag(self, name: str) -> bool:
        value = self._record.get(name)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def share(self, name: str) -> float:
        value = self._record.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
            raise self.wrong(name, "a number from 0 to 1")
        return float(value)

    def count(self, name: str, most: int = MOST_COUNT) -> int:
        value = self._record.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
            raise self.wrong(name, "a whole number, 0 or more")
        return value

    def id(self, name: str) -> uuid.UUID:
        found = self.id_or_none(name)
        if found is None:
            raise self.wrong(name, "an id")
        return found

    def id_or_none(self, name: str) -> uuid.UUID | None:
        value = self._record.get(name)
        if value is None:
            return None
        try:
            return uuid.UUID(value)
        except (ValueError, TypeError, AttributeError):
            raise self.wrong(name, "an id") from None

    def digest(self, name: str, size: int) -> bytes:
        value = self._record.get(name)
        try:
            found = bytes.fromhex(value)  # type: ignore[arg-type]
        except (ValueError, TypeError):
            found = b""
        if len(found) != size:
            raise self.wrong(name, "a hash in hexadecimal digits")
        return found

    def time(self, name: str, *, past: bool = False) -> datetime:
        """`past`: what was said or done, which cannot be later than now."""
        found = self.time_or_none(name, past=past)
        if found is None:
            raise self.wrong(name, "a time with an offset, such as 2030-01-31T09:00:00+00:00")
        return found

    def time_or_none(self, name: str, *, past: bool = False) -> datetime | None:
        value = self._record.get(name)
        if value is None:
            return None
        try:
            at = datetime.fromisoformat(value)
        except (TypeError, ValueError):
            at = None
        if at is None or at.tzinfo is None or not FIRST_YEAR <= at.year <= LAST_YEAR:
            raise self.wrong(name, "a time with an offset, such as 2030-01-31T09:00:00+00:00")
        if past and at > self._now + timedelta(days=1):
            raise self.wrong(name, "a time that is over")
        return at.astimezone(UTC)

    def numbers(self, name: str) -> list[int]:
        value = self._record.get(name)
        if not isinstance(value, list) or len(value) > MOST_LIST:
            raise self.wrong(name, "a list of numbers")
        if not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= MOST_NUMBER for n in value):
            raise self.wrong(name, "a list of numbers")
        return list(value)

    def texts(self, name: str) -> list[str]:
        value = self._record.get(name)
        if not isinstance(value, list) or len(value) > 100 or not all(isinstance(t, str) for t in value):
            raise self.wrong(name, "a list of texts")
        return [audit.storable_text(t)[:200] for t in value]

    def object(self, name: str) -> dict[str, Any]:
        value = self._record.get(name)
        if not isinstance(value, dict):
            raise self.wrong(name, "an object")
        return value
