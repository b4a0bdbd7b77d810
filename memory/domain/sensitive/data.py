"""The tables beside these modules, read once each."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Any

import yaml

from .view import plain
from .words import DENSE


@cache
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


def any_of(text: str) -> re.Pattern[str]:
    """A pattern for any of the phrases in a short stretch: whole words where a script parts words, else anywhere."""
    listed = sorted(phrases(text), key=len, reverse=True)
    apart = [re.escape(phrase).replace(r"\ ", r"[\s_-]") for phrase in listed if not DENSE.search(phrase)]
    dense = [re.escape(phrase) for phrase in listed if DENSE.search(phrase)]
    choices = [rf"(?<![^\W\d_])(?:{'|'.join(apart)})(?![^\W\d_])"] if apart else []
    return re.compile("|".join(choices + dense))
