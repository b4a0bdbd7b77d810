"""What is known of models and providers by their names (models.yaml)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from typing import Any, Literal

import yaml

# What a text is embedded for; plain: nobody said, so nothing is put in front of it.
Kind = Literal["query", "document", "plain"]


@dataclass(frozen=True)
class Known:
    """A model. Nothing is known of most: then it is taken as it comes.

    dim: numbers in a vector. least: how short one may be cut. asks: the lengths that its provider can be asked for,
    () = any, None = none that we know of.
    """

    dim: int | None = None
    least: int | None = None
    asks: tuple[int, ...] | None = None
    query: str = ""
    document: str = ""

    def prefix(self, kind: Kind) -> str:
        return {"query": self.query, "document": self.document}.get(kind, "")

    def can_be(self, dim: int) -> bool:
        """Whether vectors of this length can be had of it; of an unknown model, perhaps."""
        if self.dim is None or dim == self.dim or (self.asks is not None and (not self.asks or dim in self.asks)):
            return True
        return self.least is not None and self.least <= dim <= self.dim


@dataclass(frozen=True)
class Provider:
    """A provider. `query` and `document` are fields of its requests that tell which of the two a text is."""

    model: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    document: Mapping[str, str] = field(default_factory=dict)

    def fields(self, kind: Kind) -> Mapping[str, str]:
        return {"query": self.query, "document": self.document}.get(kind, {})


def model(name: str) -> Known:
    """By the last part of the name, whatever stands before it."""
    last = name.rstrip("/").rsplit("/", 1)[-1].lower()
    for pattern, known in _tables()[0].items():
        if fnmatchcase(last, pattern):
            return known
    return Known()


def provider(name: str) -> Provider:
    return _tables()[1].get(name, Provider())


@cache
def _tables() -> tuple[dict[str, Known], dict[str, Provider]]:
    text = resources.files(__package__).joinpath("models.yaml").read_text(encoding="utf-8")
    data: dict[str, dict[str, dict[str, Any]]] = yaml.safe_load(text)
    models = {
        pattern: Known(**{**row, "asks": None if "asks" not in row else tuple(row["asks"])})
        for pattern, row in data["models"].items()
    }
    return models, {name: Provider(**row) for name, row in data["providers"].items()}
