"""What a chat is given from memory."""

from __future__ import annotations

import zoneinfo
from dataclasses import dataclass
from datetime import UTC, datetime

from memory import selectors
from memory.config import conf
from memory.consent import Wanted
from memory.domain.block import Block, BlockEpisode, BlockFact, build_block
from memory.models import Profile
from memory.search import episodes, facts, outdated
from memory.search.candidates import Scope
from memory.search.question import Question
from memory.sentences import sentence

# What is asked for goes before what is given to every chat.
ASKED_FOR, LIKE_IT = 20.0, 10.0


@dataclass(frozen=True)
class Recalled:
    """The block for the model and what stands in it: (id, text) of each fact and episode.

    `scores` say why each episode was recalled; `failed`, that memory could not be asked: the chat goes on without it.
    """

    block: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    episodes: tuple[tuple[str, str], ...] = ()
    scores: tuple[tuple[str, dict[str, float]], ...] = ()
    failed: bool = False


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
) -> Recalled:
    """The block that a chat with this question gets. Call inside the profile's scope.

    `max_chars` bounds the whole, for a caller with another budget than the settings'.
    """
    settings = conf().memory
    now = now or datetime.now(UTC)
    about = _facts(profile, scope, question, now) if wanted.facts and settings.facts_inject.enabled else []
    past = _episodes(scope, question, now) if wanted.episodes and settings.episodes_recall.enabled else []
    block = build_block(
        about,
        [one for one, _ in past],
        max_facts=settings.facts_inject.max_facts,
        max_chars=settings.facts_inject.max_chars,
        max_episodes=settings.episodes_recall.top_k,
        max_episode_chars=settings.episodes_recall.max_chars,
        max_total=max_chars,
        now=now,
        zone=zoneinfo.ZoneInfo(profile.timezone),
    )
    return _recalled(block, about, past)


def _facts(profile: Profile, scope: Scope, question: Question, now: datetime) -> list[BlockFact]:
    """What the question asks for, then the core: those of the highest score."""
    rules, most = conf().memory.facts_recall, conf().memory.facts_inject.max_facts
    if most == 0:
        return []
    asked = facts.search(question, scope, most=min(rules.top_k, most), now=now) if question.text.strip() else []
    found = [
        BlockFact(str(one.row.id), _cut(sentence(one.row, profile), rules.max_chars), ASKED_FOR + one.ranked.score)
        for one in asked
    ]
    there = {one.id for one in found}
    core = selectors.core_facts(profile_id=profile.id, space_id=scope.space_id, most=most)
    found += [
        BlockFact(str(row.id), sentence(row, profile), row.score)  # type: ignore[attr-defined]
        for row in core
        if str(row.id) not in there
    ]
    return found


def _episodes(scope: Scope, question: Question, now: datetime) -> list[tuple[BlockEpisode, dict[str, float]]]:
    if not question.text.strip():
        return []
    most = conf().memory.episodes_recall.top_k
    found = episodes.search(question, scope, most=most, now=now)
    marks = outdated.marks([(one.row.id, one.row.source_audit_ids, one.row.summary) for one in found])
    return [
        (
            BlockEpisode(
                str(one.row.id),
                one.row.summary,
                one.row.said_at,
                LIKE_IT + one.ranked.score,
                since_changed=marks.get(one.row.id) is outdated.Mark.CHANGED,
            ),
            {**one.ranked.scores, "score": one.ranked.score},
        )
        for one in found
        if marks.get(one.row.id) is not outdated.Mark.GONE
    ]


def _recalled(block: Block, about: list[BlockFact], past: list[tuple[BlockEpisode, dict[str, float]]]) -> Recalled:
    texts = {one.id: one.text for one in about} | {one.id: one.text for one, _ in past}
    scores = {one.id: why for one, why in past}
    return Recalled(
        block=block.text,
        facts=tuple((i, texts[i]) for i in block.fact_ids),
        episodes=tuple((i, texts[i]) for i in block.episode_ids),
        scores=tuple((i, scores[i]) for i in block.episode_ids),
    )


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "\u2026"
