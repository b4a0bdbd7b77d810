"""What a chat is given from memory."""

from __future__ import annotations

import uuid
import zoneinfo
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memory import selectors
from memory.config import conf
from memory.domain.block import Block, BlockFact, build_block
from memory.domain.templates import Registry, load_registry, render
from memory.models import Fact, Profile


@dataclass(frozen=True)
class Recalled:
    """The block for the model and what stands in it: (id, text) of each fact and episode.

    `failed` says that memory could not be asked; the chat goes on without it.
    """

    block: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    episodes: tuple[tuple[str, str], ...] = ()
    failed: bool = False


NOTHING = Recalled()
FAILED = Recalled(failed=True)


def for_chat(*, profile: Profile, space_id: uuid.UUID, query: str, max_chars: int | None = None) -> Recalled:
    """The block that a chat with this question gets. Call inside the profile's scope.

    `max_chars` takes the place of the setting, for a caller with another budget.
    """
    rules = conf().memory.facts_inject
    if not rules.enabled or rules.max_facts == 0:
        return NOTHING
    rows = selectors.core_facts(profile_id=profile.id, space_id=space_id, most=rules.max_facts)
    texts = {str(row.id): sentence(row, profile) for row in rows}
    block = build_block(
        [BlockFact(id=str(row.id), text=texts[str(row.id)], score=row.score) for row in rows],  # type: ignore[attr-defined]
        [],
        max_facts=rules.max_facts,
        max_chars=rules.max_chars if max_chars is None else max_chars,
    )
    return _recalled(block, texts)


def _recalled(block: Block, texts: dict[str, str]) -> Recalled:
    return Recalled(block=block.text, facts=tuple((i, texts[i]) for i in block.fact_ids))


def sentence(fact: Fact, profile: Profile) -> str:
    """The fact as a sentence, as the model and the person see it."""
    said_on = fact.said_at.astimezone(zoneinfo.ZoneInfo(profile.timezone)).date()
    return render(fact.key, fact.value, registry=registry(), said_on=said_on)


def registry() -> Registry:
    """The sentences for keys, with the operator's own."""
    return _registry(conf().memory.templates_path)


@cache
def _registry(path: Path | None) -> Registry:
    """Read once; a change of the file takes a restart, as every setting does."""
    return load_registry(path)
