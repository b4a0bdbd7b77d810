"""Facts for a terminal and for programs: the list, one with all that is known of it, proposals beside what they change.

Call inside the profile's scope.
"""

from __future__ import annotations

import zoneinfo
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from caesar.api.facts import FactSerializer
from caesar.api.review import ConflictSerializer
from caesar.management.printing import as_table
from caesar.management.terminal import cell, harmless
from dashboard.facts_shown import STATES
from dashboard.reasons import in_words
from memory import sentences
from memory.domain.review import Effect
from memory.domain.types import Op
from memory.facts import undo_time
from memory.models import Fact, FactState, Profile, SourceKind
from memory.selectors import Replacement

ID_LETTERS = 8
FROM = {
    SourceKind.EXTRACTED: "a chat",
    SourceKind.AUTHORED: "your own hand",
    SourceKind.IMPORTED: "an import",
    SourceKind.DOCUMENT: "a document",
}
EFFECTS = {Effect.REPLACES: "would replace", Effect.CLOSES: "would end"}


def short(fact: Fact) -> str:
    """The end of its id, by which it can be named: ids of the same day begin alike."""
    return str(fact.id)[-ID_LETTERS:]


def said(fact: Fact, profile: Profile) -> str:
    """The fact as a sentence, with the letters that name it."""
    return f"{cell(sentences.sentence(fact, profile))} ({short(fact)})"


def as_data(fact: Fact, profile: Profile) -> dict[str, Any]:
    """As REST shows it; of what was deleted also until when that can be undone."""
    return dict(_Serializer(fact, context={"profile": profile}).data)


def all_as_data(facts: Sequence[Fact], profile: Profile) -> list[Any]:
    return [as_data(fact, profile) for fact in facts]


def conflicts_as_data(found: Sequence[Replacement], profile: Profile) -> list[Any]:
    return [dict(ConflictSerializer(one, context={"profile": profile}).data) for one in found]


class _Serializer(FactSerializer):
    def get_status(self, fact: Fact) -> str:
        return "deleted" if fact.state == FactState.DELETED else super().get_status(fact)

    def to_representation(self, instance: Fact) -> Any:
        shown = super().to_representation(instance)
        if instance.deleted_at is not None and instance.state == FactState.DELETED:
            shown["undo_until"] = (instance.deleted_at + undo_time()).isoformat()
        return shown


def table(facts: Sequence[Fact], profile: Profile, *, columns: int | None) -> str:
    """A line for each fact. What has no entry in any line has no column."""
    zone = zoneinfo.ZoneInfo(profile.timezone)
    notes = [standing(fact) for fact in facts]
    spaces = [fact.space.slug if fact.space else "" for fact in facts]
    rows = [
        [short(fact), f"{fact.said_at.astimezone(zone):%Y-%m-%d}", space, note, fact.key or "", fact.value]
        for fact, space, note in zip(facts, spaces, notes, strict=True)
    ]
    head = ["ID", "SAID", "SPACE", "STATE", "KEY", "VALUE"]
    kept = [place for place, name in enumerate(head) if name not in ("SPACE", "STATE") or any(r[place] for r in rows)]
    return as_table([head[i] for i in kept], [[row[i] for i in kept] for row in rows], columns=columns)


def standing(fact: Fact) -> str:
    """Where it stands, in a word; nothing where it holds."""
    if fact.state == FactState.CURRENT:
        return ""
    if fact.state == FactState.PENDING:
        return "waits: is over" if fact.op == Op.RETRACT else "waits"
    return "deleted" if fact.state == FactState.DELETED else str(STATES[fact.state])


def whole(fact: Fact, profile: Profile) -> str:
    """All that is known of one fact."""
    lines = [cell(sentences.sentence(fact, profile)), ""]
    lines += [f"  {name:12}{harmless(text)}" for name, text in _known(fact, profile) if text]
    return "\n".join(lines)


def _known(fact: Fact, profile: Profile) -> Iterator[tuple[str, str]]:
    zone = zoneinfo.ZoneInfo(profile.timezone)

    def at(when: datetime | None) -> str:
        return f"{when.astimezone(zone):%Y-%m-%d %H:%M}" if when else ""

    yield "id", str(fact.id)
    yield "key", fact.key or ""
    yield "value", cell(fact.value)
    yield "state", ("proposed: it holds no longer" if fact.op == Op.RETRACT else str(STATES[fact.state]))
    for reason in in_words(fact.reasons) if fact.state == FactState.PENDING else ():
        yield "", cell(reason)
    yield "category", fact.category
    yield "space", fact.space.slug if fact.space else "everywhere"
    row = f", row {fact.source_audit_id} of the log" if fact.source_audit_id is not None else ""
    yield "from", FROM[SourceKind(fact.source_kind)] + row
    yield "quote", f"“{cell(fact.quote)}”" if fact.quote else ""
    yield "said", at(fact.said_at)
    yield "confirmed", at(fact.last_confirmed_at)
    yield "until", at(fact.valid_to or fact.expires_at)
    score: float = fact.score  # type: ignore[attr-defined]
    yield "score", f"{score:.2f} (confidence {fact.confidence:.2f}, importance {fact.importance:.2f})"
    yield "pinned", "yes: it is never overwritten silently" if fact.pinned else ""


def conflicts(found: Sequence[Replacement], profile: Profile) -> str:
    """Each proposed change, and under it what it would change."""
    lines = []
    for one in found:
        lines.append(said(one.proposed, profile))
        lines.append(f"  {EFFECTS[one.effect]}: {said(one.current, profile)}")
        lines += [f"  {cell(reason)}" for reason in in_words(one.proposed.reasons)]
    return "\n".join(lines)
