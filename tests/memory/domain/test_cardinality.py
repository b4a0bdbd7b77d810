from dataclasses import replace

import pytest

from memory.domain.board import fact_of
from memory.domain.cardinality import _TABLE, cardinality_of, of_one_kind
from memory.domain.keys import canonical
from memory.domain.types import Cardinality, Op
from tests.memory.domain.test_merge import claim

ONE, MANY = Cardinality.ONE, Cardinality.MANY


@pytest.mark.parametrize(
    "key", ["address.city", "work.employer", "birth_year", "spouse.name", "preference.coffee", "diet", "dog.age"]
)
def test_of_these_there_is_one(key):
    assert cardinality_of(key, MANY, None) is ONE


@pytest.mark.parametrize(
    "key",
    [
        "dog.name",
        "child.name",
        "language",
        "hobby",
        "allergy",
        "allergy.food",
        "pet.hamster",
        "friend.name",
        "dislike.food",
    ],
)
def test_of_these_there_may_be_many(key):
    assert cardinality_of(key, ONE, None) is MANY


def test_what_the_profile_has_counts_before_all_else():
    assert cardinality_of("address.city", None, MANY) is MANY


def test_for_a_key_that_nobody_knows_the_proposal_counts():
    assert cardinality_of("mooring", MANY, None) is MANY
    assert cardinality_of("mooring", None, None) is ONE
    assert cardinality_of("mooring", None, None, Op.ADD) is MANY
    assert cardinality_of("mooring", ONE, None, Op.ADD) is ONE


def test_a_narrative_is_one_of_many():
    assert cardinality_of(None, ONE, ONE) is MANY


def test_the_table_speaks_of_keys_in_their_canonical_form():
    assert not [key for key in _TABLE if not key.endswith("*") and canonical(key) != key]


def test_all_claims_of_a_key_have_the_cardinality_of_what_holds():
    one, many = claim("tool", "saw", 0), claim("tool", "drill", 0, cardinality=MANY)
    assert [c.cardinality for c in of_one_kind([one, many], [])] == [MANY, MANY]
    holds = fact_of(one, state="current")
    assert [c.cardinality for c in of_one_kind([one, many], [holds])] == [ONE, ONE]
    over = replace(holds, state="retracted")
    assert [c.cardinality for c in of_one_kind([one, many], [over])] == [MANY, MANY]
    closing = replace(many, op=Op.RETRACT)
    assert [c.cardinality for c in of_one_kind([one, closing], [])] == [ONE, ONE]
