"""Reads of what waits for the person's word, each proposal beside what it would change. Call inside the scope."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from memory.domain import review
from memory.domain.review import Effect
from memory.domain.types import Cardinality, Op
from memory.facts.rows import known
from memory.models import Fact, FactState
from memory.selectors import with_score

_FRESH = Q(expires_at__isnull=True) | Q(expires_at__gt=Now())


@dataclass(frozen=True)
class Beside:
    """A proposal, what approving it would do, and the facts that it would replace, confirm or close."""

    proposed: Fact
    effect: Effect
    current: tuple[Fact, ...]

    @property
    def is_conflict(self) -> bool:
        return self.effect in (Effect.REPLACES, Effect.CLOSES)


def count(*, profile_id: uuid.UUID, most: int) -> int:
    """How many proposals wait, counted up to `most`."""
    return len(Fact.objects.filter(profile_id=profile_id, state=FactState.PENDING).values_list("id")[:most])


def waiting(*, profile_id: uuid.UUID) -> QuerySet[Fact]:
    """Proposals: first those that would change what holds (`conflicts`), and in each part the newest first."""
    held = Fact.objects.filter(_FRESH, profile_id=profile_id, state=FactState.CURRENT, key=OuterRef("key"))
    other = held.filter(cardinality=Cardinality.ONE.value).exclude(value_norm=OuterRef("value_norm"))
    closes = Q(op=Op.RETRACT.value) & _in_same_space(held)
    replaces = ~Q(op=Op.RETRACT.value) & _in_same_space(other)
    rows = Fact.objects.filter(profile_id=profile_id, state=FactState.PENDING).select_related("space")
    return with_score(rows).annotate(conflicts=closes | replaces).order_by("-conflicts", "-said_at", "-id")  # type: ignore[no-any-return]


def _in_same_space(held: QuerySet[Fact]) -> Q:
    same = Exists(held.filter(space_id=OuterRef("space_id")))
    everywhere = Q(space_id__isnull=True) & Q(Exists(held.filter(space_id__isnull=True)))
    return Q(same) | everywhere


def beside(*, profile_id: uuid.UUID, proposals: Sequence[Fact]) -> list[Beside]:
    """Each proposal with what approving it would do. One query for all of them."""
    about = Q(key__in={p.key for p in proposals if p.key}) | Q(
        key__isnull=True, value_norm__in={p.value_norm for p in proposals if p.key is None}
    )
    rows = Fact.objects.filter(_FRESH, about, profile_id=profile_id, state=FactState.CURRENT)
    current = {row.id: row for row in with_score(rows).select_related("space").order_by(F("said_at").desc(), "id")}
    seen = [known(row) for row in current.values()]
    found = []
    for proposal in proposals:
        change = review.change(known(proposal), [each for each in seen if each.key == proposal.key])
        found.append(Beside(proposal, change.effect, tuple(current[fact.id] for fact in change.facts)))
    return found


def one(*, profile_id: uuid.UUID, fact_id: uuid.UUID) -> Beside | None:
    """One proposal, as long as it waits."""
    found = list(waiting(profile_id=profile_id).filter(id=fact_id))
    return beside(profile_id=profile_id, proposals=found)[0] if found else None
