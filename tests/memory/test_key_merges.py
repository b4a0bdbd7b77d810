"""Keys that mean the same are proposed as one, seen by the real embedder."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.db import connection

from memory import key_merges, keys, profiles
from memory.llm import embedding
from tests.memory.search.conftest import embedder, know  # noqa: F401 - fixture
from tests.people import Person, person

pytestmark = pytest.mark.usefixtures("database", "embedder")


@pytest.fixture
def anna() -> Person:
    anna = person("anna")
    known = {
        "shoe_size": "43",
        "foot.size": "43 and a half",
        "address.city": "Graz",
        "residence_town": "Graz",
        "brother.name": "Tomas",
        "sister.name": "Tomas",
        "dog.breed": "Beagle",
        "dog.age": "three years",
        "project.atlas.deadline": "May 2027",
        "project.beacon.deadline": "June 2028",
    }
    know(anna, **known)
    return anna


def proposed(who: Person) -> list[tuple[str, str, str]]:
    found = key_merges.proposed(profile_id=who.profile_id)
    return sorted((each.merge.alias, each.merge.key, each.merge.why.value) for each in found)


MEANT = [("foot.size", "shoe_size", "meaning"), ("residence_town", "address.city", "meaning")]


def test_it_proposes_what_means_the_same_and_nothing_else(anna):
    assert proposed(anna) == MEANT
    keys.dismiss(profile_id=anna.profile_id, fields={"alias": "foot.size", "key": "shoe_size"})
    keys.add_alias(profile_id=anna.profile_id, fields={"alias": "residence_town", "key": "address.city"})
    assert proposed(anna) == []


def test_it_asks_the_embedder_outside_of_any_transaction_and_only_where_memory_is_on(
    anna: Person, monkeypatch: pytest.MonkeyPatch
):
    asked: list[str] = []
    query = embedding.Embedder.query

    def watched(self: Any, text: str, *rest: Any) -> Any:
        assert not connection.in_atomic_block
        asked.append(text)
        return query(self, text, *rest)

    monkeypatch.setattr(embedding.Embedder, "query", watched)
    assert proposed(anna) == MEANT
    assert len(asked) == 10
    profiles.update(profile_id=anna.profile_id, changes={"memory_enabled": False})
    assert (proposed(anna), len(asked)) == ([], 10)


def test_it_goes_by_form_alone_where_the_embedder_does_not_answer_in_time(
    anna: Person, monkeypatch: pytest.MonkeyPatch
):
    know(anna, allergys="nuts", allergy="nuts")
    monkeypatch.setattr(embedding.Embedder, "query", lambda self, text, budget: time.sleep(0.01))
    assert proposed(anna) == [("allergys", "allergy", "number")]
