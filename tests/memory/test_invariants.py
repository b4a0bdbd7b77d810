"""Whatever workers and a person do to facts at the same time, some things always hold."""

from __future__ import annotations

import itertools
import os
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory import spaces
from memory.db import profile_scope
from memory.models import AuditLog, Embedding, EmbedQueue, Fact
from tests.memory.acting import ACTS, WORK, Chats, act, slot_of, words
from tests.memory.replay import Replay
from tests.people import Person, person

pytestmark = [pytest.mark.usefixtures("database"), pytest.mark.timeout(3600)]
THREADS = 3
NAMES = itertools.count()
# How many lives are played; more of them for a long run.
RULES = settings(
    max_examples=int(os.environ.get("LIVES", "30")),
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def pool(database: object) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(THREADS) as made:
        yield made
        gate = threading.Barrier(THREADS)
        list(made.map(lambda _: (gate.wait(20), connections.close_all()), range(THREADS)))


def somebody() -> Person:
    who = person(f"p{next(NAMES)}")
    spaces.create_space(profile_id=who.profile_id, fields={"slug": WORK})
    return who


def together(pool: ThreadPoolExecutor, who: Person, chats: Chats, hands: Sequence[Sequence[Any]]) -> None:
    """Each hand does its acts one after the other; all begin at the same moment."""
    gate = threading.Barrier(len(hands))

    def one(acts: Sequence[Any]) -> None:
        gate.wait(20)
        for what in acts:
            act(who, chats, what)

    for done in [pool.submit(one, acts) for acts in hands]:
        done.result(60)


def keeps_its_promises(who: Person, chats: Chats) -> None:
    with profile_scope(who.profile_id):
        rows = list(Fact.objects.order_by("id"))
        log = list(AuditLog.objects.exclude(event_type="chat.completed").order_by("id"))
        vectors = set(Embedding.objects.values_list("owner_id", flat=True))
        queued = set(EmbedQueue.objects.values_list("owner_id", flat=True))
    held = [row for row in rows if row.state == "current"]
    # One value of what has one, each of several once, and no two minds about which it is.
    assert max(Counter((r.space_id, r.key) for r in held if r.key and r.cardinality == "one").values(), default=1) == 1
    assert max(Counter((r.space_id, r.key, r.value_norm) for r in held).values(), default=1) == 1
    assert max(Counter(key for key, _ in {(r.key, r.cardinality) for r in held}).values(), default=1) == 1
    assert all(row.valid_to is None and row.deleted_at is None for row in held)
    past = [row for row in rows if row.state in ("superseded", "retracted")]
    assert all(row.valid_to is not None and row.valid_to >= row.first_seen_at for row in past), past
    assert all((row.state == "deleted") == bool(row.deleted_at) == bool(row.was_state) for row in rows)
    assert all(row.value or row.state == "deleted" for row in rows)
    assert not (vectors | queued) & {row.id for row in rows if row.state != "current"}
    assert {row.id for row in held} <= vectors | queued
    waiting = Counter((row.space_id, *slot_of(row)) for row in rows if row.state == "pending")
    assert max(waiting.values(), default=1) == 1, waiting
    slots = chats.seen | {str(row.id): slot_of(row) for row in rows if row.value}
    replay = Replay(slots, chats.said_at(), {str(row.id): row.deleted_at for row in rows if row.deleted_at})
    for entry in log:
        assert entry.payload.get("fact_id", "None") in (*slots, "None")
        replay.take(entry)
    assert replay.wrong == []
    assert list(replay.differences(rows)) == []


CONTENTS = st.lists(st.tuples(st.booleans(), st.lists(words(), min_size=1, max_size=3)), min_size=6, max_size=6)
HANDS = st.lists(st.lists(ACTS, min_size=2, max_size=7), min_size=THREADS, max_size=THREADS)


@RULES
@given(contents=CONTENTS, hands=HANDS)
def test_it_keeps_its_promises_whatever_happens_at_once(pool, contents, hands):
    who = somebody()
    chats = Chats(who, contents)
    together(pool, who, chats, hands)
    keeps_its_promises(who, chats)


@RULES
@given(contents=CONTENTS, acts=st.lists(ACTS, min_size=4, max_size=14), again=st.permutations(range(6)))
def test_it_brings_nothing_back_when_everything_is_read_again(pool, contents, acts, again):
    """What a person took away stays away when all chats are read a second time, after the purge too."""
    who = somebody()
    chats = Chats(who, contents)
    for what in (*acts, ("delete", 0), ("purge",)):
        act(who, chats, what)
    together(pool, who, chats, [[("read", n) for n in again[i::THREADS]] for i in range(THREADS)])
    keeps_its_promises(who, chats)


def plain(word: dict[str, Any]) -> dict[str, Any]:
    """The word, unless what it does depends on how much is known: which dog is meant, what is there to forget, whether
    a key has one value.
    """
    meant = word["value"] if word["value"] != "dog" else "Byte"
    return word | {"forget": False, "value": meant, "many": word["key"] == "dog.name"}


@RULES
@given(
    contents=st.lists(
        st.tuples(st.just(False), st.lists(words(spaces=False), min_size=1, max_size=2)), min_size=6, max_size=6
    ),
    order=st.permutations(range(6)),
    again=st.lists(st.integers(0, 5), max_size=4),
)
def test_it_lets_the_last_word_hold_in_whatever_order_workers_read(pool, contents, order, again):
    """Read by three workers at once, some twice: the outcome is that of reading in order."""
    contents = [(live, [plain(word) for word in told]) for live, told in contents]
    shuffled, in_order = somebody(), somebody()
    turns = [("read", n) for n in (*order, *again)]
    together(pool, shuffled, Chats(shuffled, contents), [turns[i::THREADS] for i in range(THREADS)])
    chats = Chats(in_order, contents)
    for n in range(6):
        chats.read(n)

    def left(who: Person) -> list[tuple[str | None, str]]:
        with profile_scope(who.profile_id):
            return sorted(Fact.objects.filter(state="current").values_list("key", "value"), key=str)

    assert left(shuffled) == left(in_order)
