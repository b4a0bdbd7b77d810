"""Reads. Each filters by profile, scope, state and expiry here, so that no caller can forget to.

Call inside the profile's scope.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, ExpressionWrapper, F, FloatField, Func, Q, QuerySet, Value, When
from django.db.models.functions import Cast, Exp, Greatest, Least, Now

from memory import entity_selectors, key_aliases
from memory.compiled import Compiled
from memory.config import conf
from memory.domain import review
from memory.domain.keys import canonical
from memory.domain.relatedness import KeyedFact, most_related
from memory.domain.review import Effect
from memory.domain.types import Cardinality
from memory.facts.rows import known
from memory.models import AuditLog, Event, Fact, FactState, WorkItem

MOST_KNOWN_KEYS = 50
MOST_KEYED = 2_000  # facts that are looked at to find them
MOST_CONFLICTS = 200
KNOWN_VALUE_CHARS = 80
SECONDS_PER_DAY = 86_400.0
LEAST_EXPONENT = -700.0  # below, PostgreSQL raises instead of giving 0


class Seconds(Func):
    """An interval in seconds. `EXTRACT` would give a numeric, whose arithmetic takes three times as long."""

    template = "date_part('epoch', %(expressions)s)"
    output_field: Any = FloatField()


def facts_held(*, profile_id: uuid.UUID, space_id: uuid.UUID | None) -> QuerySet[Fact]:
    """Facts that hold now: current, not expired, profile-wide or of this space. Nothing else is ever recalled.

    Where a key has one value, inside a space the space's own stands in the place of the profile-wide one; outside
    of it, and once it is gone, there is the profile-wide one as ever.
    """
    fresh = Q(expires_at__isnull=True) | Q(expires_at__gt=Now())
    held = Fact.objects.filter(fresh, profile_id=profile_id, state=FactState.CURRENT)
    if space_id is None:
        return held.filter(space_id__isnull=True)
    single = Q(key__isnull=False, cardinality=Cardinality.ONE.value)
    own = held.filter(single, space_id=space_id).values("key")
    return held.filter(Q(space_id=space_id) | (Q(space_id__isnull=True) & ~(single & Q(key__in=own))))


def with_score(facts: QuerySet[Fact]) -> Any:
    """Adds `score` = freshness x confidence x edit weight, freshness = exp(-age in days / halflife)."""
    rules = conf().memory.facts_importance
    age = Seconds(Now() - F("last_confirmed_at")) / Value(SECONDS_PER_DAY)
    exponent = Least(Greatest(age * Value(-1.0 / rules.halflife_days), Value(LEAST_EXPONENT)), Value(0.0))
    freshness = Exp(exponent)
    weight = Value(1.0) + Value(rules.edit_weight_scale) * Cast("edit_count", FloatField())
    return facts.annotate(score=ExpressionWrapper(freshness * F("confidence") * weight, output_field=FloatField()))


def core_facts(*, profile_id: uuid.UUID, space_id: uuid.UUID | None, most: int) -> list[Fact]:
    """What a chat is given before anything is asked: the highest scores. Loads what makes a sentence, no more."""
    held = with_score(facts_held(profile_id=profile_id, space_id=space_id)).only("key", "value", "said_at")
    return list(held.order_by("-score", "id")[:most])


def known_keys(*, profile_id: uuid.UUID, space_id: uuid.UUID | None, text: str) -> list[tuple[str, str]]:
    """The keys in use with their values, those first that the text is likely about, then by score."""
    rules = conf().memory.facts_importance
    ids = {"profile_id": profile_id} | ({"space_id": space_id} if space_id else {})
    rows = _KEYED.rows(rules.halflife_days, rules.edit_weight_scale, **ids)
    ranked = most_related([KeyedFact(*row) for row in rows], text, MOST_KNOWN_KEYS)
    return [(fact.key, fact.value[:KNOWN_VALUE_CHARS]) for fact in ranked]


def _keyed(*_: float, profile_id: uuid.UUID, space_id: uuid.UUID | None = None) -> Any:
    """What holds under a key, by score, whose scales are named for they stand in the SQL."""
    held = with_score(facts_held(profile_id=profile_id, space_id=space_id).filter(key__isnull=False))
    return held.order_by("-score", "id").values_list("key", "value", "entity_id")[:MOST_KEYED]


_KEYED = Compiled(_keyed)


@dataclass(frozen=True)
class FactFilter:
    """What a list of facts is narrowed by; None means any."""

    status: str | None = None
    key: str | None = None
    category: str | None = None
    space: str | None = None
    q: str | None = None
    entity: str | None = None
    include_superseded: bool = False


STATES_OF_STATUS = {
    "pending": [FactState.PENDING],
    "approved": [FactState.CURRENT],
    "rejected": [FactState.REJECTED],
}
HISTORY = [FactState.SUPERSEDED, FactState.RETRACTED]
# A word that closed a value is none itself; nor is a proposal that said what was known.
_WAS_A_VALUE = ~Q(op="retract", state=FactState.RETRACTED) & ~Q(state=FactState.SUPERSEDED, reasons=["folded"])


def facts_listed(*, profile_id: uuid.UUID, wanted: FactFilter) -> QuerySet[Fact]:
    """A person's list: what is approved and holds now; proposals and history where they are asked for."""
    states = list(STATES_OF_STATUS[wanted.status or "approved"])
    if wanted.include_superseded and wanted.status in (None, "approved"):
        states += HISTORY
    listed = Fact.objects.filter(_WAS_A_VALUE, profile_id=profile_id, state__in=states)
    rows = with_score(listed.select_related("space"))
    if wanted.status in (None, "approved") and not wanted.include_superseded:
        rows = rows.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=Now()))
    if wanted.key:
        # However it is written: as it stands, or in another spelling of it.
        rows = rows.filter(key__in=[wanted.key, canonical(wanted.key, key_aliases.active(profile_id)) or wanted.key])
    if wanted.category:
        rows = rows.filter(category=wanted.category)
    if wanted.space:
        rows = rows.filter(space__slug=wanted.space, space__removed_at__isnull=True)
    if wanted.q:
        rows = rows.filter(Q(value__icontains=wanted.q) | Q(key__icontains=wanted.q))
    if wanted.entity:
        ids = entity_selectors.named_by(profile_id=profile_id, id_or_name=wanted.entity)
        rows = entity_selectors.facts_about(rows, ids)
    return rows


def facts_of_entity(*, profile_id: uuid.UUID, entity_id: uuid.UUID) -> QuerySet[Fact]:
    """What is known about one entity: what holds now, then what waits, then what was; newest first in each."""
    shown = Fact.objects.filter(
        _WAS_A_VALUE, profile_id=profile_id, state__in=[FactState.CURRENT, FactState.PENDING, *HISTORY]
    )
    rows = entity_selectors.facts_about(with_score(shown.select_related("space")), [entity_id])
    standing = Case(
        When(state=FactState.CURRENT, then=Value(0)), When(state=FactState.PENDING, then=Value(1)), default=Value(2)
    )
    return rows.order_by(standing, "-said_at", "-id")


def fact(*, profile_id: uuid.UUID, fact_id: uuid.UUID) -> Fact | None:
    """One fact in whatever state but deleted."""
    rows = with_score(Fact.objects.filter(profile_id=profile_id, id=fact_id).select_related("space"))
    return rows.exclude(state=FactState.DELETED).first()


def history(*, profile_id: uuid.UUID, fact: Fact) -> QuerySet[Fact]:
    """All values that the fact's key had, newest first; a fact without a key is its own history."""
    same = Q(key=fact.key, space_id=fact.space_id) if fact.key else Q(id=fact.id)
    rows = with_score(Fact.objects.filter(same, profile_id=profile_id).select_related("space"))
    kept = rows.filter(_WAS_A_VALUE, state__in=[FactState.CURRENT, *HISTORY])
    return kept.order_by("-said_at", F("valid_to").desc(nulls_first=True), "-id")


@dataclass(frozen=True)
class Replacement:
    """A proposal beside a fact that it would replace or close."""

    proposed: Fact
    current: Fact
    effect: Effect


def conflicts(*, profile_id: uuid.UUID) -> list[Replacement]:
    """Each pending change beside what it would replace, newest first; one that would close several, beside each."""
    waiting = with_score(Fact.objects.filter(profile_id=profile_id, state=FactState.PENDING, key__isnull=False))
    proposals = list(waiting.select_related("space").order_by("-said_at", "-id")[:MOST_CONFLICTS])
    fresh = Q(expires_at__isnull=True) | Q(expires_at__gt=Now())
    held = Fact.objects.filter(
        fresh, profile_id=profile_id, state=FactState.CURRENT, key__in={p.key for p in proposals}
    )
    current = {row.id: row for row in with_score(held).select_related("space").order_by("id")}
    found = []
    for proposal in proposals:
        change = review.change(known(proposal), [known(row) for row in current.values() if row.key == proposal.key])
        if change.effect in (Effect.REPLACES, Effect.CLOSES):
            found += [Replacement(proposal, current[fact.id], change.effect) for fact in change.facts]
    return found


def audit_rows(*, profile_id: uuid.UUID) -> QuerySet[AuditLog]:
    return AuditLog.objects.filter(profile_id=profile_id).order_by("-id")


def chats(*, profile_id: uuid.UUID) -> QuerySet[AuditLog]:
    return audit_rows(profile_id=profile_id).filter(event_type=Event.CHAT_COMPLETED)


def work_items(*, profile_id: uuid.UUID) -> QuerySet[WorkItem]:
    return WorkItem.objects.filter(profile_id=profile_id).order_by("-id")
