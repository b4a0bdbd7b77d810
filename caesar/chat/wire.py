"""JSON in and out: what cannot be taken is refused with a sentence, what goes out is always valid."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any, NoReturn

from memory.errors import InvalidInput

MOST_DEPTH = 100
MOST_VALUES = 500_000
MOST_DIGITS = 40
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def parse(raw: bytes) -> dict[str, Any]:
    """The JSON object of a request. Raises InvalidInput."""
    try:
        text = raw.decode("utf-8-sig")
        value = json.loads(text, parse_constant=_no_number, parse_float=_float, parse_int=_int)
    except UnicodeDecodeError:
        raise InvalidInput("The body is not UTF-8.") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidInput(f"The body is not JSON: {error.msg.removesuffix(' at')} at {where}.") from None
    except RecursionError:
        raise InvalidInput(f"The body is nested deeper than {MOST_DEPTH} levels.") from None
    if not isinstance(value, dict):
        raise InvalidInput("The body is a JSON object.")
    _check_depth(value)
    if _HALF.search(text):
        _check_halves(value)
    return value


def dumps(value: Any) -> bytes:
    """JSON that every reader takes. Halves of surrogate pairs stay as they came, as escapes."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except ValueError:
        return json.dumps(_finite(value), separators=(",", ":")).encode()


def _no_number(name: str) -> NoReturn:
    raise InvalidInput(f"The body holds {name}, which is no JSON number.")


def _float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise InvalidInput("The body holds a number that is too large.")
    return number


def _int(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise InvalidInput("The body holds a number that is too large.")
    return int(digits)


def _check_depth(value: Any) -> None:
    """Bounded, because whoever handles it later does so by recursion."""
    level: list[Any] = [value]
    seen = 0
    for _ in range(MOST_DEPTH):
        level = [child for parent in level for child in _children(parent) if isinstance(child, dict | list)]
        seen += sum(map(len, level))
        if seen > MOST_VALUES:
            raise InvalidInput(f"The body holds more than {MOST_VALUES} values.")
        if not level:
            return
    raise InvalidInput(f"The body is nested deeper than {MOST_DEPTH} levels.")


def _children(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _check_halves(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InvalidInput("The body holds half of a surrogate pair, which is no character.") from None


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
