"""Request bodies: JSON as the standard has it, of bounded size and depth."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from django.conf import settings
from rest_framework.parsers import BaseParser

from caesar.api.errors import TooLarge
from memory.audit import storable_text
from memory.errors import InvalidInput

MAX_DEPTH = 50
MAX_DIGITS = 18


class StrictJSONParser(BaseParser):
    """Refuses NaN, Infinity, doubled names and what is nested too deep; takes NUL and half characters out."""

    media_type = "application/json"

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The body, which must be an object. Raises InvalidInput, TooLarge."""
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        raw = stream.read(limit + 1)
        if len(raw) > limit:
            raise TooLarge(f"The body is larger than {limit:,} bytes.")
        try:
            parsed = json.loads(
                raw.decode("utf-8"),
                parse_constant=_refuse,
                parse_float=_finite,
                parse_int=_bounded,
                object_pairs_hook=_once,
            )
        except UnicodeDecodeError:
            raise InvalidInput("The body is not UTF-8.") from None
        except RecursionError:
            raise InvalidInput(f"The body is nested deeper than {MAX_DEPTH} levels.") from None
        except ValueError as error:
            raise InvalidInput(f"The body is not valid JSON: {error}.") from None
        if not isinstance(parsed, dict):
            raise InvalidInput("The body must be a JSON object.")
        return dict(_cleaned(parsed, MAX_DEPTH))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number that can be taken")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text[:20])


def _bounded(text: str) -> int:
    return int(text) if len(text) <= MAX_DIGITS else _refuse(f"{text[:20]}…")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object names a field twice")
    return found


def _cleaned(value: Any, depth: int) -> Any:
    if depth < 0:
        raise InvalidInput(f"The body is nested deeper than {MAX_DEPTH} levels.")
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, dict):
        return {storable_text(k): _cleaned(v, depth - 1) for k, v in value.items()}
    if isinstance(value, list):
        return [_cleaned(v, depth - 1) for v in value]
    return value
