"""Whatever workers and a person do to facts at the same time, some things always hold."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connections
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory import facts
from memory.db import profile_scope
from memory.domain.types import Op
from memory.errors import Conflict, InvalidInput, NotFound
from memory.models import AuditLog, Embedding, Fact
from tests.memory.replay import Replay
from tests.memory.saying import chat, hear, now, said
from tests.people import Person, person

pytestmark = pytest.mark.usefixtures("database")
THREADS = 3
NAMES = itertools.count()
RULES = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

VALUES = {"city": ("Graz", "Linz", "Wels"), "dog.name": ("Pixel", "Byte"), None: ("Likes fog",)}
SLOTS = [(key, value) for key, values in VALUES.items() for value in values]


@st.composite
def words(draw: st.DrawFn) -> dict[str, Any]:
    """One thing that a chat says."""
    key, value = draw(st.sampled_from(SLOTS))
    kind = draw(st.sampled_from(["set"] * 6 + ["doubt", "close", "close_all", "forget"]))
    if kind == "close_all" and key is not None:
        value = key.split(".")[0]
    closing = kind in ("close", "close_all", "forget")
    return {
        "key": key,
        "value": value,
        "op": Op.RETRACT if closing else Op.SET,
        "current": kind != "doubt",
        "forget": kind == "forget",
        "many": key == "dog.name",
    }


READ = st.tuples(st.just("read"), st.integers(0, 5))
ACTS = st.one_of(
    READ,
    READ,
    st.tuples(st.sampled_from(["approve", "reject", "delete", "undelete", "revert"]), st.integers(0, 20)),
    st.tuples(st.just("edit"), st.integers(0, 20), st.sampled_from(["Graz", "Linz", "Byte", "Rex"])),
    st.tuples(st.just("author"), st.sampled_from(SLOTS)),
)


class Chats:
    """Six chats: some were said an hour ago, each at its minute, some are said when they are first read."""

    def __init__(self, who: Person, contents: Sequence[tuple[bool, list[dict[str, Any]]]]) -> None:
        self.who, self.contents = who, contents
        self._lock = threading.Lock()
        self._rows: dict[int, tuple[int, datetime]] = {}
        self._start = now() - timedelta(hours=1)

    def row(self, n: int) -> tuple[int, datetime]:
        with self._lock:
            if n not in self._rows:
                at = now() if self.contents[n][0] else self._start + timedelta(minutes=n)
                self._rows[n] = (chat(self.who, at), at)
            return self._rows[n]

    def read(self, n: int) -> None:
        n %= len(self.contents)
        audit_id, at = self.row(n)
        told = [said(audit_id=audit_id, at=at, place=(0, i), **word) for i, word in enumerate(self.contents[n][1])]
        hear(self.who, *told)

    def said_at(self) -> dict[int, datetime]:
        return dict(self._rows.values())


VERBS: dict[str, Any] = {
    "approve": facts.approve,
    "reject": facts.reject,
    "delete": facts.delete,
    "undelete": facts.undelete,
    "revert": facts.revert,
}


def act(who: Person, chats: Chats, what: Sequence[Any]) -> None:
    name, *rest = what
    if name == "read":
        chats.read(rest[0])
    elif name == "author":
        key, value = rest[0]
        with suppress(Conflict):
            facts.author(profile_id=who.profile_id, fields={"key": key, "value": value})
    else:
        with profile_scope(who.profile_id):
            ids = list(Fact.objects.order_by("created_at", "id").values_list("id", flat=True))
        if ids:
            more = {"changes": {"value": rest[1]}} if name == "edit" else {}
            with suppress(Conflict, NotFound, InvalidInput):
                (VERBS | {"edit": facts.edit})[name](profile_id=who.profile_id, fact_id=ids[rest[0] % len(ids)], **more)


@pytest.fixture
def pool(database: object) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(THREADS) as made:
        yield made
        gate = threading.Barrier(THREADS)
        list(made.map(lambda _: (gate.wait(20), connections.close_all()), range(THREADS)))


def together(pool: ThreadPoolExecutor, who: Person, chats: Chats, hands: Sequence[Sequence[Any]]) -> None:
    """Each hand does its acts one after the other; all begin at the same moment."""
    gate = threading.Barrier(len(hands))

    def one(acts: Sequence[Any]) -> None:
        gate.wait(20)
        for what in acts:
            act(who, chats, what)

    for done in [pool.submit(one, acts) for acts in hands]:
        done.result(60)


CONTENTS = st.lists(st.tuples(st.booleans(), st.lists(words(), min_size=1, max_size=3)), min_size=6, max_size=6)
HANDS = st.lists(st.lists(ACTS, min_size=2, max_size=7), min_size=THREADS, max_size=THREADS)


@RULES
@given(contents=CONTENTS, hands=HANDS)
def test_it_keeps_its_promises_whatever_happens_at_once(pool, contents, hands):
    who = person(f"p{next(NAMES)}")
    chats = Chats(who, contents)
    together(pool, who, chats, hands)
    with profile_scope(who.profile_id):
        rows = list(Fact.objects.order_by("id"))
        log = list(AuditLog.objects.filter(event_type__startswith="memory.fact.").order_by("id"))
        vectors = set(Embedding.objects.values_list("owner_id", flat=True))
    held = [row for row in rows if row.state == "current"]
    assert max(Counter(row.key for row in held if row.key == "city").values(), default=0) <= 1
    assert max(Counter((row.key, row.value_norm) for row in held).values()) <= 1 if held else True
    assert all(row.valid_to is None and row.deleted_at is None for row in held)
    past = [row for row in rows if row.state in ("superseded", "retracted")]
    assert all(row.valid_to is not None and row.valid_to >= row.first_seen_at for row in past), past
    assert all(row.value for row in rows)
    assert not vectors & {row.id for row in rows if row.state != "current"}
    waiting = Counter((row.key, row.value_norm, row.op) for row in rows if row.state == "pending")
    assert max(waiting.values(), default=1) == 1, waiting
    slots = {str(row.id): (row.key, row.value_norm, "retract" if row.op == "retract" else "set") for row in rows}
    replay = Replay(slots, chats.said_at())
    for entry in log:
        assert entry.payload.get("fact_id", "None") in (*slots, "None")
        replay.take(entry)
    assert replay.wrong == []
    assert list(replay.differences(rows)) == []


def plain(word: dict[str, Any]) -> dict[str, Any]:
    """The word, unless what it does depends on how much is known: which dog is meant, what is there to forget."""
    meant = word["value"] if word["value"] != "dog" else "Byte"
    return word | {"forget": False, "value": meant}


@RULES
@given(
    contents=st.lists(st.tuples(st.just(False), st.lists(words(), min_size=1, max_size=2)), min_size=6, max_size=6),
    order=st.permutations(range(6)),
    again=st.lists(st.integers(0, 5), max_size=4),
)
def test_it_lets_the_last_word_hold_in_whatever_order_workers_read(pool, contents, order, again):
    """Read by three workers at once, some twice: the outcome is that of reading in order."""
    contents = [(live, [plain(word) for word in told]) for live, told in contents]
    shuffled, in_order = person(f"p{next(NAMES)}"), person(f"p{next(NAMES)}")
    turns = [("read", n) for n in (*order, *again)]
    together(pool, shuffled, Chats(shuffled, contents), [turns[i::THREADS] for i in range(THREADS)])
    chats = Chats(in_order, contents)
    for n in range(6):
        chats.read(n)

    def left(who: Person) -> list[tuple[str | None, str]]:
        with profile_scope(who.profile_id):
            return sorted(Fact.objects.filter(state="current").values_list("key", "value"), key=str)

    assert left(shuffled) == left(in_order)
