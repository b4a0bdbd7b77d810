"""What a chat is given from memory."""

from __future__ import annotations

import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum

from memory import selectors
from memory.config import conf
from memory.consent import Wanted
from memory.domain.block import SINCE_CHANGED, Block, BlockEpisode, BlockFact, Fall, build_block
from memory.models import Profile
from memory.search import episodes, facts, outdated
from memory.search.candidates import Scope
from memory.search.question import Question
from memory.sentences import sentence

SPARE = 5  # past conversations that take the place of those that state what was deleted
# What is asked for goes before what is given to every chat.
ASKED_FOR, LIKE_IT = 20.0, 10.0


class Rule(StrEnum):
    """What brings something up."""

    ASKED = "asked"  # a fact that the question is about
    CORE = "core"  # a fact that every chat is given, by its score
    ALIKE = "alike"  # a past conversation that the question is about


@dataclass(frozen=True)
class Item:
    """Something that memory has for a chat, and why. `left_out`: why it is not given, None where it is.

    `score` is comparable within one rule alone; `scores` are its parts, where the question brought it up.
    """

    id: str
    text: str
    rule: Rule
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    why: str = ""
    at: datetime | None = None
    since_changed: bool = False
    left_out: Fall | None = None

    @property
    def is_fact(self) -> bool:
        return self.rule is not Rule.ALIKE


@dataclass(frozen=True)
class Recalled:
    """The block for the model, and what stands in it or was left out of it, best first.

    `failed`: memory could not be asked, and the chat goes on without it.
    """

    block: str = ""
    items: tuple[Item, ...] = ()
    failed: bool = False

    @property
    def given(self) -> list[Item]:
        return [item for item in self.items if item.left_out is None]

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """(id, text) of each fact in the block."""
        return tuple((item.id, item.text) for item in self.given if item.is_fact)

    @property
    def episodes(self) -> tuple[tuple[str, str], ...]:
        """(id, text) of each past conversation in the block, marked as it is there."""
        given = [item for item in self.given if not item.is_fact]
        return tuple((item.id, f"({SINCE_CHANGED}) {item.text}" if item.since_changed else item.text) for item in given)

    def scores(self, rule: Rule) -> dict[str, Mapping[str, float]]:
        """Why each was given, of what this rule brought up, by id."""
        return {item.id: {**item.scores, "score": item.score} for item in self.given if item.rule is rule}


NOTHING = Recalled()
FAILED = Recalled(failed=True)


def for_chat(
    *,
    profile: Profile,
    scope: Scope,
    question: Question,
    wanted: Wanted = Wanted(),  # noqa: B008 - frozen
    max_chars: int | None = None,
    now: datetime | None = None,
    beyond: int = 0,
) -> Recalled:
    """The block that a chat with this question gets. Call inside the profile's scope.

    `max_chars` bounds the whole, for a caller with another budget than the settings'. `beyond`: tell also of so many
    of each rule that come next and are not considered; the block stays the same.
    """
    settings = conf().memory
    now = now or datetime.now(UTC)
    about = _facts(profile, scope, question, now, beyond) if wanted.facts and settings.facts_inject.enabled else []
    past = _episodes(scope, question, now, beyond) if wanted.episodes and settings.episodes_recall.enabled else []
    block = build_block(
        [BlockFact(one.id, one.text, _rank(one)) for one in about if one.left_out is None],
        [_line(one) for one in past if one.left_out is None],
        max_facts=settings.facts_inject.max_facts,
        max_chars=settings.facts_inject.max_chars,
        max_episodes=settings.episodes_recall.top_k,
        max_episode_chars=settings.episodes_recall.max_chars,
        max_total=max_chars,
        now=now,
        zone=zoneinfo.ZoneInfo(profile.timezone),
    )
    return _recalled(block, [*about, *past])


def _facts(profile: Profile, scope: Scope, question: Question, now: datetime, beyond: int) -> list[Item]:
    """What the question asks for, then the core: those of the highest score."""
    rules, most = conf().memory.facts_recall, conf().memory.facts_inject.max_facts
    if most == 0:
        return []
    asked_most = min(rules.top_k, most)
    asked = facts.search(question, scope, most=asked_most + beyond, now=now) if question.text.strip() else []
    found = [
        Item(
            str(one.row.id),
            _cut(sentence(one.row, profile), rules.max_chars),
            Rule.ASKED,
            one.ranked.score,
            one.ranked.scores,
            one.ranked.why,
        )
        for one in asked
    ]
    rows = selectors.core_facts(profile_id=profile.id, space_id=scope.space_id, most=most + beyond)
    core = [Item(str(row.id), sentence(row, profile), Rule.CORE, row.score) for row in rows]  # type: ignore[attr-defined]
    both = [*_first(asked_most, found, beyond), *_first(most, core, beyond)]
    once: dict[str, Item] = {}
    # Stable, so that what two rules bring up is told of where it is considered, and of those where it ranks higher.
    for one in sorted(both, key=lambda one: one.left_out is not None):
        once.setdefault(one.id, one)
    return list(once.values())


def _episodes(scope: Scope, question: Question, now: datetime, beyond: int) -> list[Item]:
    if not question.text.strip():
        return []
    most = conf().memory.episodes_recall.top_k
    found = episodes.search(question, scope, most=most + beyond + SPARE, now=now) if most else []
    marks = outdated.marks(scope.profile_id, [outdated.Text.of(one.row) for one in found])
    items = [
        Item(
            str(one.row.id),
            one.row.summary,
            Rule.ALIKE,
            one.ranked.score,
            one.ranked.scores,
            one.ranked.why,
            at=one.row.said_at,
            since_changed=marks.get(one.row.id) is outdated.Mark.CHANGED,
            left_out=Fall.GONE if marks.get(one.row.id) is outdated.Mark.GONE else None,
        )
        for one in found
    ]
    return _first(most, items, beyond)


def _first(most: int, items: list[Item], beyond: int) -> list[Item]:
    """So many of the items and those beyond, which are left out; one that is left out anyway takes nobody's place."""
    kept: list[Item] = []
    count = 0
    for one in items:
        if one.left_out is None:
            if count == most + beyond:
                break
            kept.append(one if count < most else replace(one, left_out=Fall.COUNT))
            count += 1
        else:
            kept.append(one)
    return kept


def _rank(item: Item) -> float:
    return {Rule.ASKED: ASKED_FOR, Rule.ALIKE: LIKE_IT, Rule.CORE: 0.0}[item.rule] + item.score


def _line(item: Item) -> BlockEpisode:
    assert item.at is not None
    return BlockEpisode(item.id, item.text, item.at, _rank(item), since_changed=item.since_changed)


def _recalled(block: Block, items: list[Item]) -> Recalled:
    fell = dict(block.left_out)
    told = [replace(one, left_out=fell[one.id]) if one.id in fell and one.left_out is None else one for one in items]
    # Stable: what stands in the block is told of in its order.
    place = {one: n for n, one in enumerate((*block.fact_ids, *block.episode_ids))}
    told.sort(key=lambda one: place.get(one.id, len(place)))
    return Recalled(block.text, tuple(told))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "\u2026"
