"""Says things to a profile without a model: what a reading would make of a chat, applied at once."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.db import connection

from memory import audit, facts
from memory.db import profile_scope
from memory.domain.merge import Claim, Outcome
from memory.domain.text import same_form
from memory.domain.types import Cardinality, Category, Op, Stance
from memory.models import AuditLog, Event, Fact
from memory.models.fields import new_id
from tests.people import Person


def now() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]


def chat(who: Person, said_at: datetime | None = None) -> int:
    """A row of the log for something that was said. Returns its id."""
    with profile_scope(who.profile_id):
        audit_id = audit.draw_id()
        audit.record(
            audit.Entry(Event.CHAT_COMPLETED, who.profile_id, {}, "person", said_at=said_at or now(), id=audit_id)
        )
        return audit_id


def said(
    key: str | None,
    value: str,
    *,
    at: datetime,
    audit_id: int,
    many: bool = False,
    quote: str = "",
    **more: Any,
) -> facts.Told:
    claim = Claim(
        id=new_id(),
        space_id=more.pop("space_id", None),
        key=key,
        value=value,
        value_norm=same_form(value),
        cardinality=Cardinality.MANY if many or key is None else Cardinality.ONE,
        op=Op(more.pop("op", Op.SET)),
        confidence=0.9,
        said_at=at,
        audit_id=audit_id,
        current=more.pop("current", True),
        **more,
    )
    return facts.Told(claim, Category.FACT, 0.5, Stance.ASSERTED, quote)


def hear(who: Person, *told: facts.Told) -> list[Outcome]:
    with profile_scope(who.profile_id):
        facts.lock(who.profile_id)
        return facts.apply(profile_id=who.profile_id, told=told, conversation_id=None)


def tell(who: Person, key: str | None, value: str, **more: Any) -> Fact | None:
    """Say one thing in a chat of its own. Returns the fact that it made or met."""
    at = more.pop("at", None) or now()
    audit_id = more.pop("audit_id", None) or chat(who, at)
    (outcome,) = hear(who, said(key, value, at=at, audit_id=audit_id, **more))
    return look(who, outcome.fact_id) if outcome.fact_id else None


def look(who: Person, fact_id: uuid.UUID) -> Fact:
    with profile_scope(who.profile_id):
        return Fact.objects.get(id=fact_id)


def values(who: Person, *states: str) -> list[str]:
    with profile_scope(who.profile_id):
        return sorted(Fact.objects.filter(state__in=states, op__in=("set", "add")).values_list("value", flat=True))


def last_event(who: Person) -> tuple[str, dict[str, Any]]:
    with profile_scope(who.profile_id):
        row = AuditLog.objects.order_by("-id")[0]
        return row.event_type, row.payload
