"""What a worker holds, what it spent and what came of it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from memory.domain.retry import Tries
from memory.models import WorkKind

LEASE_SECONDS = 10.0
RENEW_EVERY_SECONDS = 3.0
MOST_ITEMS = 40  # turns of one conversation that are read together
FIRST = uuid.UUID(int=0)


@dataclass(frozen=True)
class Item:
    id: int
    kind: WorkKind
    audit_id: int
    said_at: datetime
    tries: Tries


@dataclass(frozen=True)
class Claim:
    """The right to work off some items of one conversation until the lease ends, of one kind or of both together."""

    token: uuid.UUID
    profile_id: uuid.UUID
    conversation_id: uuid.UUID
    items: tuple[Item, ...]
    rested: bool = False  # the model had asked for a rest before this

    @property
    def ids(self) -> list[int]:
        return [item.id for item in self.items]

    @property
    def kinds(self) -> tuple[WorkKind, ...]:
        held = {item.kind for item in self.items}
        return tuple(kind for kind in WorkKind if kind in held)

    @property
    def audit_ids(self) -> list[int]:
        """The chats, each once, in the order in which they were said."""
        return list(dict.fromkeys(item.audit_id for item in self.items))

    def of(self, *kinds: WorkKind) -> Claim:
        """The part of these kinds."""
        return replace(self, items=tuple(item for item in self.items if item.kind in kinds))


@dataclass
class Costs:
    """What reading cost so far. `items`: over how many it is spread, where they are not all closed at once."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    model: str = ""
    prompt_version: str = ""
    items: int = 0


@dataclass(frozen=True)
class Report:
    """What came of a reading: learned, nothing (to learn), summarised, skipped (no call was worth it)."""

    outcome: str
    detail: dict[str, Any] = field(default_factory=dict)
