"""Token counts in one shape, whatever the provider calls them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_INPUT = ("prompt_tokens", "input_tokens", "prompt_eval_count")
_OUTPUT = ("completion_tokens", "output_tokens", "eval_count")
_MOST = 1_000_000_000  # what says more does not count tokens


@dataclass(frozen=True)
class Usage:
    """Tokens of one call as the provider counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None

    @classmethod
    def of(cls, counts: Any) -> Usage:
        """Reads a provider's usage object. Anything else, or all zeros (litellm's "unknown"), is unknown."""
        if not isinstance(counts, Mapping):
            return cls()
        given, produced = _first(counts, _INPUT), _first(counts, _OUTPUT)
        total = _first(counts, ("total_tokens",))
        if not given and not produced and not total:
            return cls()
        if not total and given is not None and produced is not None:
            total = given + produced
        return cls(given, produced, total)

    def __add__(self, other: Usage) -> Usage:
        """Of two calls; what one of them did not say is not counted."""
        return Usage(
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
            _sum(self.total_tokens, other.total_tokens),
        )

    def as_dict(self) -> dict[str, int | None]:
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "total_tokens": self.total_tokens,
        }


def added(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Two usage objects of a provider in one, counts and counts inside of groups added; other values as said last."""
    total = dict(one)
    for name, value in other.items():
        before = total.get(name)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            total[name] = added(before, value)
        elif _is_number(before) and _is_number(value):
            total[name] = before + value
        elif value is not None:
            total[name] = value
    return total


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else one + other


def _first(counts: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        value = counts.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST:
            return value
    return None
