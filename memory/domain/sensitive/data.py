"""The tables beside these modules, read once each."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Any

import yaml

from .view import plain


@lru_cache(maxsize=None)
def table(name: str) -> Any:
    """The content of `<name>.yaml`."""
    text = resources.files(__package__).joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def phrases(text: str) -> list[str]:
    """A list written as one text, parted by commas or lines; each phrase in the form that is compared."""
    parts = text.replace("\n", ",").split(",")
    return [phrase for part in parts if (phrase := " ".join(plain(part).split()))]


def words(text: str) -> frozenset[str]:
    """Single words, parted by white space."""
    return frozenset(plain(text).split())
