"""Facts are found by what they mean and by what they name, and by nothing that no longer holds."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory import facts, selectors, spaces
from memory.db import profile_scope
from memory.models import Embedding, EmbedQueue, Fact, FactState, Space
from memory.models.fields import new_id
from memory.search import candidates
from memory.search.question import Question
from tests.memory.search.conftest import know
from tests.people import Person, person

pytestmark = pytest.mark.usefixtures("database")


def test_it_finds_by_meaning(anna, find):
    know(anna, **{"pet.dog": "Beans", "address.city": "Portland", "preference.coffee": "black, no sugar"})
    assert find(anna, "What is my puppy called?")[0].row.value == "Beans"
    assert find(anna, "Which town do I live in?")[0].row.value == "Portland"


def test_every_fact_that_holds_has_one_vector_and_no_other_has(anna):
    know(anna, **{"address.city": "Portland"})
    know(anna, **{"address.city": "Graz"})
    with profile_scope(anna.profile_id):
        held = Fact.objects.get(state="current")
        assert [row.owner_id for row in Embedding.objects.all()] == [held.id]
        assert not EmbedQueue.objects.exists()
    facts.delete(profile_id=anna.profile_id, fact_id=held.id)
    with profile_scope(anna.profile_id):
        assert not Embedding.objects.exists()


def test_it_finds_by_an_id_that_vectors_blur(anna, find):
    know(anna, **{f"ticket.atl.{n}": f"Ticket ATL-{n}: pump seal leaks at station {n % 7}" for n in range(4461, 4481)})
    for asked in ("what was ATL-4471 about?", "ATL 4471", "(ATL-4471)?", "ticket ATL\u20114471"):
        first, *rest = find(anna, asked)
        assert "ATL-4471" in first.row.value, asked
        assert first.ranked.anchors
        assert first.ranked.score > rest[0].ranked.score if rest else True


def test_nobody_finds_what_is_somebody_elses(anna, find):
    bert = person("bert")
    know(bert, **{"pet.dog": "Zeppelin"})
    know(anna, **{"pet.cat": "Nata"})
    assert [one.row.value for one in find(anna, "What is my pet called?")] == ["Nata"]


def test_what_may_be_found_is_what_holds(anna):
    """Every state, expired or not, single or one of many, here, elsewhere or everywhere, with a value of the space's
    own or without."""
    with profile_scope(anna.profile_id):
        here = Space.objects.get(profile_id=anna.profile_id, slug="general")
    elsewhere = spaces.create_space(profile_id=anna.profile_id, fields={"slug": "work"})
    now = datetime.now(UTC)
    places = [None, here.id, elsewhere.id]
    kinds = itertools.product(FactState, [None, now - timedelta(days=1), now + timedelta(days=1)], ["one", "many"])
    with profile_scope(anna.profile_id):
        made = [
            _fact(anna, f"k{n}.{number}", state, expires, cardinality, place, now)
            for n, (state, expires, cardinality) in enumerate(kinds)
            for number, held in enumerate(itertools.product([False, True], repeat=3))
            for place, there in zip(places, held, strict=True)
            if there
        ]
        made += [_fact(anna, None, state, None, "many", place, now) for state in FactState for place in places]
        Fact.objects.bulk_create(made)
        for space in (here, elsewhere):
            scope = candidates.Scope(anna.profile_id, space.id)
            question = Question(anna.profile_id, "anything")
            found = candidates.weighed(
                "facts_weighed", question, question.terms, scope, [str(one.id) for one in made], recent=now
            )
            held_now = selectors.facts_held(profile_id=anna.profile_id, space_id=space.id)
            assert {row[0] for row in found} == set(held_now.values_list("id", flat=True))
            assert len(found) > 20


def _fact(
    who: Person, key: str | None, state: str, expires: datetime | None, cardinality: str, space: Any, now: datetime
) -> Fact:
    return Fact(
        id=new_id(),
        profile_id=who.profile_id,
        space_id=space,
        key=key,
        value="x",
        value_norm="x",
        state=state,
        cardinality=cardinality,
        expires_at=expires,
        confidence=0.9,
        said_at=now,
        first_seen_at=now,
        last_confirmed_at=now,
    )
