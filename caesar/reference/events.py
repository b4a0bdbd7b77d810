"""docs/reference/events.md: every type of event in the audit log, with what its payload holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from caesar.reference import markdown as md
from memory.models import Event

ABOUT = """\
Everything that happens is a row of the audit log: `GET /v1/audit`, and the timeline of the dashboard. A row has `id`,
`event_type`, `at` (when it was written), `actor` (`person`, `operator`, `worker` or `system`) and a `payload`; of a
chat also `conversation_id`, `space` and `said_at`. Rows cannot be changed, and are removed by retention and erasing
alone; of what a person deleted, the words are taken out of them. A text in a payload has at most 16,384 characters, one
of a chat 65,536; what was cut says so. A payload holds the fields that are listed, each where it applies."""


@dataclass(frozen=True)
class Told:
    """What one type of event says. `payload` has the meaning of each field."""

    when: str
    payload: Mapping[str, str]


@cache
def told() -> dict[Event, Told]:
    """Every event that is written down, in the order of the file."""
    text = Path(__file__).with_name("events.yaml").read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = yaml.safe_load(text)
    return {Event(name): Told(each["when"], each.get("payload") or {}) for name, each in found.items()}


def page() -> str:
    return md.page("Events", ABOUT, [_event(event, each) for event, each in told().items()])


def _event(event: Event, each: Told) -> str:
    rows = [(md.code(name), md.sentence(meaning)) for name, meaning in each.payload.items()]
    fields = [md.table(("field", "what it holds"), rows)] if rows else []
    return "\n\n".join([f"## {event.value}", md.sentence(each.when), *fields])
