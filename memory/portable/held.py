"""What people read of a profile: its facts and summaries, in words and in order. Call inside a scope."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import QuerySet

from memory.models import EpisodeSummary, Fact, FactState, Profile
from memory.portable.pages import each


def facts(profile: Profile, *states: FactState) -> Iterator[Fact]:
    """The facts in these states; the words that closed one are none."""
    rows: QuerySet[Fact] = Fact.objects.filter(profile_id=profile.id, state__in=states).exclude(op="retract")
    yield from each(rows.select_related("space"))


def episodes(profile: Profile) -> Iterator[EpisodeSummary]:
    yield from each(EpisodeSummary.objects.filter(profile_id=profile.id))
