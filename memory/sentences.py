"""Facts as sentences: as a model, a person and an embedder see them."""

from __future__ import annotations

import zoneinfo
from functools import cache
from pathlib import Path

from memory.config import conf
from memory.domain.templates import Registry, load_registry, render
from memory.models import Fact, Profile


def sentence(fact: Fact, profile: Profile) -> str:
    """The fact as a sentence, with the day on which it was said where its words ("tomorrow") need one."""
    said_on = fact.said_at.astimezone(zoneinfo.ZoneInfo(profile.timezone)).date()
    return render(fact.key, fact.value, registry=registry(), said_on=said_on)


def to_embed(fact: Fact) -> str:
    """The fact as it is embedded: the sentence alone."""
    return render(fact.key, fact.value, registry=registry())


def registry() -> Registry:
    """The sentences for keys, with the operator's own."""
    return _registry(conf().memory.templates_path)


@cache
def _registry(path: Path | None) -> Registry:
    """Read once; a change of the file takes a restart, as every setting does."""
    return load_registry(path)
