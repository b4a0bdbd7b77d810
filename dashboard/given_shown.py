"""What a chat of the log was given from memory, as chips under its answer."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.facts_shown import Row
from dashboard.person import Person
from dashboard.recalled_shown import RULES, Shown, fact_rows, named
from memory import episode_selectors, overview
from memory.db import profile_scope
from memory.models import AuditLog, EpisodeSummary, Event
from memory.recall import Rule


@dataclass(frozen=True)
class Given:
    """What a chat was given from memory, most to the point first. `gone`: so many are no longer there.

    `off_record`, `failed` (memory could not be asked): why there is nothing.
    """

    audit_id: int
    items: tuple[Shown, ...] = ()
    gone: int = 0
    off_record: bool = False
    failed: bool = False


def given_to_chat(person: Person, audit_id: int) -> Given | None:
    """What the chat of this row was given; None where there is no such chat. Opens the profile's scope."""
    with profile_scope(person.profile.id):
        chat = overview.audit_row(profile_id=person.profile.id, audit_id=audit_id)
        if chat is None or chat.event_type != Event.CHAT_COMPLETED:
            return None
        return given(person, chat)


def given(person: Person, chat: AuditLog) -> Given:
    """The same of a row that was read. Call inside the profile's scope."""
    payload = chat.payload
    asked_for = payload.get("asked_for", {})
    fact_ids, episode_ids = payload.get("facts", []), payload.get("episodes", [])
    found = [_fact_given(row, asked_for.get(key)) for key, row in fact_rows(person, fact_ids).items()]
    past = [_episode_given(*each) for each in _episodes(person, chat.id, episode_ids)]
    items = sorted(found, key=lambda one: (one.rule != Rule.ASKED, -(one.score or 0)))
    asked = [one for one in items if one.rule == Rule.ASKED]
    shown = (*asked, *past, *items[len(asked) :])
    return Given(
        chat.id,
        shown,
        len(fact_ids) + len(episode_ids) - len(shown),
        bool(payload.get("off_record")),
        bool(payload.get("recall_failed")),
    )


def _fact_given(row: Row, scores: Mapping[str, Any] | None) -> Shown:
    rule = Rule.CORE if scores is None else Rule.ASKED
    score = row.score.score if scores is None else scores.get("score")
    return Shown(str(row.fact.id), row.sentence, rule.value, str(RULES[rule]), score, named(scores or {}), row=row)


def _episodes(person: Person, audit_id: int, ids: Sequence[str]) -> list[tuple[EpisodeSummary, Mapping[str, Any]]]:
    if not ids:
        return []
    there = list(
        episode_selectors.listed(profile_id=person.profile.id).filter(id__in=[uuid.UUID(each) for each in ids])
    )
    scores = episode_selectors.scores_of(episodes=there, chat_audit_id=audit_id)
    return sorted(((row, scores.get(row.id, {})) for row in there), key=lambda each: -each[1].get("score", 0))


def _episode_given(row: EpisodeSummary, scores: Mapping[str, Any]) -> Shown:
    label = str(RULES[Rule.ALIKE])
    return Shown(str(row.id), row.summary, Rule.ALIKE.value, label, scores.get("score"), named(scores), at=row.said_at)
