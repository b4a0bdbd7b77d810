"""Texts that wait for vectors are taken in turn over people, and stay with who takes them."""

from __future__ import annotations

import uuid
from collections import Counter

import psycopg
import pytest

from memory import embeddings
from tests.people import person

pytestmark = pytest.mark.usefixtures("database")
QUEUE = """
INSERT INTO embed_queue (profile_id, owner_kind, owner_id, priority, not_before)
SELECT %s, %s, gen_random_uuid(), %s, now() - interval '1 hour' FROM generate_series(1, %s)"""


@pytest.fixture
def run(database):
    with psycopg.connect(database.url("superuser"), autocommit=True) as connection:
        yield lambda statement, *values: connection.execute(statement, values or None)


def wait(run, profile_id: uuid.UUID, count: int, kind: str = "fact") -> None:
    run(QUEUE, profile_id, kind, int(kind == "passage"), count)


def test_somebody_with_little_is_served_with_the_first_batch(run):
    noisy, quiet = person("noisy").profile_id, person("quiet").profile_id
    wait(run, noisy, 2_000)
    wait(run, quiet, 3, "passage")
    assert Counter(one.profile_id for one in embeddings.take(64)) == {noisy: 61, quiet: 3}


def test_one_person_alone_fills_a_batch_facts_first(run):
    anna = person("anna").profile_id
    wait(run, anna, 100, "passage")
    wait(run, anna, 10)
    taken = embeddings.take(64)
    assert Counter(one.owner.kind for one in taken) == {"fact": 10, "passage": 54}


def test_everybodys_turn_comes(run):
    people = [person(f"p{n}").profile_id for n in range(40)]
    for one in people:
        wait(run, one, 50)
    after, seen = embeddings.FIRST, set()
    for _ in range(4):
        taken = embeddings.take(64, after=after)
        after = max(one.profile_id for one in taken)
        seen |= {one.profile_id for one in taken}
    assert seen == set(people)


def test_nothing_is_taken_twice_and_all_is_taken(run):
    for n in range(5):
        wait(run, person(f"p{n}").profile_id, 30)
    taken = [one.id for _ in range(3) for one in embeddings.take(64)]
    assert len(taken) == len(set(taken)) == 150
    assert embeddings.take(64) == []


def test_a_slow_embedder_keeps_what_it_has_and_a_dead_one_loses_it(run):
    wait(run, person("anna").profile_id, 5)
    (token,) = {one.token for one in embeddings.take(64)}
    run("UPDATE embed_queue SET not_before = now() + interval '1 second'")
    embeddings.renew([token])
    run("UPDATE embed_queue SET not_before = not_before - interval '5 seconds'")
    assert embeddings.take(64) == []
    run("UPDATE embed_queue SET not_before = not_before - interval '6 seconds'")
    again = embeddings.take(64)
    assert len(again) == 5
    embeddings.renew([token])  # the one who was given up can hold nothing back
    assert embeddings.give_back([token]) == 0
    assert embeddings.give_back([again[0].token]) == 5
    assert len(embeddings.take(64)) == 5
