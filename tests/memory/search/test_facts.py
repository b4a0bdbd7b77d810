"""Facts are found by what they mean and by what they name, and by nothing that no longer holds."""

from __future__ import annotations

import pytest

from memory import facts
from memory.db import profile_scope
from memory.models import Embedding, EmbedQueue, Fact
from tests.memory.search.conftest import know
from tests.people import person

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
