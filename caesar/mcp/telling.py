"""What memory holds, as text for a model: fenced, one line for each thing, nothing in it can pass for more."""

from __future__ import annotations

import zoneinfo
from collections.abc import Sequence
from datetime import datetime

from memory.domain.block import CLOSE_MARKER, HEADER, OPEN_MARKER, SINCE_CHANGED, safe_line
from memory.domain.relative_time import relative_time
from memory.entity_selectors import Known
from memory.finding import Result
from memory.lately import Talked
from memory.models import Fact, Profile
from memory.sentences import sentence

LONGEST = 2_000  # characters of a line
KINDS = {"fact": "fact", "episode": "past conversation", "passage": "said"}
WHO = {"user": "by the person", "assistant": "by the assistant"}


def fenced(lines: Sequence[str], *after: str, empty: str) -> str:
    """The lines as data; `after` stands outside. Without lines: `empty`."""
    return "\n".join([OPEN_MARKER, HEADER, *lines, CLOSE_MARKER, *after] if lines else [empty, *after])


def results(found: Sequence[Result], profile: Profile, now: datetime) -> list[str]:
    return [_result(one, profile, now) for one in found]


def fact(row: Fact, profile: Profile) -> str:
    """A fact as a sentence, with the id that changes it."""
    key = f" {safe_line(row.key, 200)}:" if row.key else ""
    where = f" (only in {safe_line(row.space.slug, 100)})" if row.space else ""
    return f"- [{row.id}]{key} {safe_line(sentence(row, profile), LONGEST)}{where}"


def conversation(one: Talked, profile: Profile, now: datetime) -> str:
    changed = f" ({SINCE_CHANGED})" if one.since_changed else ""
    text = safe_line(one.summary, LONGEST) if one.summary else "(no summary)"
    return f"- [{safe_line(one.id, 200)}] {_when(one.last_said_at, profile, now)}, {one.space}{changed}: {text}"


def entity(known: Known) -> str:
    aliases = ", ".join(safe_line(alias, 200) for alias in known.title.aliases)
    also = f" (also: {aliases})" if aliases else ""
    return f"- [{known.id}] {known.kind}: {safe_line(known.title.name, 200)}{also}, facts: {known.facts}"


def settings(profile: Profile) -> list[str]:
    """What the person has chosen."""
    return [
        f"Profile: {safe_line(profile.name, 200)}",
        f"Facts are {'learned and recalled' if profile.memory_enabled else 'off'}; "
        f"conversations are {'summed up' if profile.summaries_enabled else 'not summed up'}.",
        f"Time zone: {profile.timezone}",
    ]


def _result(one: Result, profile: Profile, now: datetime) -> str:
    changed = f" ({SINCE_CHANGED})" if one.since_changed else ""
    who = f" {WHO.get(one.role, '')}" if one.role else ""
    about = f"{KINDS[one.kind]}{who}, {_when(one.at, profile, now)}{changed}"
    # Only a fact can be changed or deleted by its id.
    name = f"[{one.id}] " if one.kind == "fact" else ""
    return f"- {name}{about}: {safe_line(one.text, LONGEST)}"


def _when(at: datetime, profile: Profile, now: datetime) -> str:
    zone = zoneinfo.ZoneInfo(profile.timezone)
    return f"{at.astimezone(zone):%Y-%m-%d}, {relative_time(at, now, zone)}"
