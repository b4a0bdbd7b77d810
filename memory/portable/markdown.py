"""A profile's memory as Markdown, for people: what holds, what waits, what held before, and summaries."""

from __future__ import annotations

import re
import zoneinfo
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import Any, BinaryIO

from memory.domain.text import one_line
from memory.models import Fact, FactState, Profile
from memory.portable import held

# What Markdown would take for a sign of its own, and what a page would take for HTML.
_SIGNS = re.compile(r"([\\`*_{}\[\]()<>#+!|~&-])")
PARTS = (
    ("What holds", (FactState.CURRENT,)),
    ("What waits for you", (FactState.PENDING,)),
    ("What held before", (FactState.SUPERSEDED, FactState.RETRACTED)),
)


def write(out: BinaryIO, profile: Profile, *, made_at: datetime) -> Counter[str]:
    """Write the page. Call inside a scope that sees one moment of the profile."""
    counts: Counter[str] = Counter()
    zone = zoneinfo.ZoneInfo(profile.timezone)

    def put(line: str = "") -> None:
        out.write(line.encode() + b"\n")

    put(f"# What is known about {plain(profile.name)}")
    put()
    put(f"As of {made_at.astimezone(zone):%Y-%m-%d %H:%M} ({profile.timezone}).")
    for title, states in PARTS:
        counts["fact"] += _facts(put, profile, title, states, zone)
    put("\n## Conversations\n")
    for episode in held.episodes(profile):
        put(f"- {episode.said_at.astimezone(zone):%Y-%m-%d}: {plain(episode.summary)}")
        counts["episode"] += 1
    if not counts["episode"]:
        put("No summaries.")
    return counts


def _facts(
    put: Callable[..., None],
    profile: Profile,
    title: str,
    states: tuple[FactState, ...],
    zone: zoneinfo.ZoneInfo,
) -> int:
    count = 0
    put(f"\n## {title}\n")
    for fact in held.facts(profile, *states):
        put(_line(fact, zone))
        count += 1
    if not count:
        put("Nothing.")
    return count


def _line(fact: Fact, zone: zoneinfo.ZoneInfo) -> str:
    said = f"{fact.said_at.astimezone(zone):%Y-%m-%d}"
    until = f" until {fact.valid_to.astimezone(zone):%Y-%m-%d}" if fact.valid_to else ""
    where = f", in {plain(fact.space.slug)}" if fact.space else ""
    own = ", your own word" if fact.pinned else ""
    name = f"**{plain(fact.key)}**: " if fact.key else ""
    quote = f' — "{plain(fact.quote)}"' if fact.quote else ""
    return f"- {name}{plain(fact.value)} ({said}{until}{where}{own}){quote}"


def plain(text: Any) -> str:
    """The text in one line, with no sign that Markdown or HTML reads."""
    return _SIGNS.sub(r"\\\1", one_line(str(text)))
