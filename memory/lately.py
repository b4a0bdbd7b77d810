"""What was talked about lately: the conversations, with what of their summaries may still be said."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime

from memory import overview
from memory.models import EpisodeSummary
from memory.search import outdated


@dataclass(frozen=True)
class Talked:
    """A conversation. `summary` is "" where there is none, or where it states what the person has deleted."""

    id: str
    space: str
    last_said_at: datetime
    summary: str = ""
    since_changed: bool = False


def conversations(*, profile_id: uuid.UUID, most: int) -> list[Talked]:
    """The newest first. Call inside the profile's scope."""
    rows = overview.conversations_listed(profile_id=profile_id).filter(last_said_at__isnull=False)
    found = list(rows.order_by("-last_said_at", "-id")[:most])
    about = EpisodeSummary.objects.filter(profile_id=profile_id, conversation_id__in=[row.id for row in found])
    summaries = {row.conversation_id: row for row in about}
    marks = outdated.marks(profile_id, list(map(outdated.Text.of, summaries.values())))
    talked = []
    for row in found:
        assert row.last_said_at
        told = summaries.get(row.id)
        mark = marks.get(told.id) if told else None
        text = told.summary if told and mark is not outdated.Mark.GONE else ""
        talked.append(Talked(row.public_id, row.space.slug, row.last_said_at, text, mark is outdated.Mark.CHANGED))
    return talked
