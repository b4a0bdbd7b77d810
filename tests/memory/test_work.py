"""Claims, leases and what becomes of failures."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError, connection

from memory import cursor, work
from memory.db import operator_scope, profile_scope
from memory.errors import (
    Conflict,
    ModelDown,
    ModelMisconfigured,
    ModelNonsense,
    ModelRateLimited,
    ModelRefusedRequest,
    NotFound,
    StaleClaim,
)
from memory.models import AuditLog, ModelPause, WorkItem, WorkKind
from tests.memory.test_cursor import tell
from tests.people import person

pytestmark = pytest.mark.usefixtures("database")
EXTRACT = WorkKind.EXTRACT


def claim(worker: str = "w", **options: object) -> work.Claim | None:
    return work.claim(EXTRACT, worker=worker, **options)


def item() -> WorkItem:
    with operator_scope():
        return WorkItem.objects.get()


def make_due() -> None:
    with operator_scope():
        WorkItem.objects.update(not_before=datetime.now(UTC) - timedelta(seconds=1))


def test_it_gives_all_waiting_items_of_a_conversation_to_one_worker():
    anna = person("anna")
    for text in ("I like tea.", "I like rice."):
        tell(anna, text, conversation_id="thread")
    tell(anna, "I like fog.", conversation_id="other")
    cursor.tick(EXTRACT)
    first, second = claim("a"), claim("b")
    assert first is not None
    assert second is not None
    assert sorted((len(first.items), len(second.items))) == [1, 2]
    assert claim("c") is None


def test_it_does_not_give_a_conversation_away_while_it_is_read():
    anna = person("anna")
    tell(anna, "I like tea.", conversation_id="thread")
    cursor.tick(EXTRACT)
    assert claim() is not None
    tell(anna, "I like rice.", conversation_id="thread")
    cursor.tick(EXTRACT)
    assert claim() is None


def test_it_never_gives_one_item_to_two_workers():
    people = [person(f"p{n}") for n in range(4)]
    for who in people:
        for n in range(10):
            tell(who, f"I like number {n}.", conversation_id=f"thread {n % 5}")
    cursor.tick(EXTRACT)
    taken: list[int] = []

    def worker() -> None:
        try:
            while (got := claim()) is not None:
                taken.extend(got.ids)
        finally:
            connection.close()

    threads = [threading.Thread(target=worker) for _ in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    while (got := claim()) is not None:
        taken.extend(got.ids)
    assert len(taken) == len(set(taken)) == 40


def test_it_serves_profiles_in_turn():
    noisy, quiet = person("noisy"), person("quiet")
    for n in range(20):
        tell(noisy, f"I like number {n}.")
    tell(quiet, "I like tea.")
    cursor.tick(EXTRACT)
    served = []
    after = work.FIRST
    for _ in range(2):
        got = claim(after=after)
        assert got is not None
        after = got.profile_id
        served.append(got.profile_id)
    assert set(served) == {noisy.profile_id, quiet.profile_id}


def test_it_gives_back_what_a_dead_worker_held():
    anna = person("anna")
    tell(anna, "I like tea.")
    cursor.tick(EXTRACT)
    dead = claim()
    with operator_scope():
        WorkItem.objects.update(lease_until=datetime.now(UTC) - timedelta(seconds=1))
    assert work.release_expired() == 1
    again = claim()
    assert dead is not None
    assert again is not None
    with pytest.raises(StaleClaim), profile_scope(anna.profile_id):
        work.close(dead, work.Report("learned"), work.Costs())
    with profile_scope(anna.profile_id):
        work.close(again, work.Report("learned"), work.Costs(calls=1))
    assert item().state == "done"


def test_it_gives_up_what_kills_every_worker():
    anna = person("anna")
    tell(anna, "I like tea.")
    cursor.tick(EXTRACT)
    for _ in range(20):
        if claim() is None:
            break
        with operator_scope():
            WorkItem.objects.update(lease_until=datetime.now(UTC) - timedelta(seconds=1))
        work.release_expired()
    assert item().state == "dead"
    assert item().error_code == "worker_died"
    with operator_scope():
        assert AuditLog.objects.get(event_type="memory.extract.dead_letter").payload["code"] == "worker_died"


def test_it_keeps_a_lease_that_is_renewed():
    anna = person("anna")
    tell(anna, "I like tea.")
    cursor.tick(EXTRACT)
    held = claim()
    assert held is not None
    with operator_scope():
        WorkItem.objects.update(lease_until=datetime.now(UTC) + timedelta(milliseconds=1))
    work.renew([held])
    assert work.release_expired() == 0


def test_it_waits_at_least_as_long_as_the_provider_asked():
    anna = person("anna")
    tell(anna, "I like tea.")
    cursor.tick(EXTRACT)
    got = claim()
    assert got is not None
    work.fail(got, ModelRateLimited("Slow down.", provider="openai", model="m", retry_after=20), work.Costs(calls=1))
    assert item().state == "waiting"
    assert item().not_before > datetime.now(UTC) + timedelta(seconds=19)
    with operator_scope():
        assert ModelPause.objects.get().until > datetime.now(UTC) + timedelta(seconds=19)
        assert AuditLog.objects.get(event_type="memory.extract.llm_failed").payload["code"] == "model_rate_limited"


def test_it_never_gives_up_a_chat_for_a_short_outage():
    anna = person("anna")
    tell(anna, "I like tea.")
    cursor.tick(EXTRACT)
    for _ in range(30):
        got = claim()
        assert got is not None
        work.fail(got, ModelDown("Refused.", provider="openai", model="m"), work.Costs())
        make_due()
    assert item().state == "waiting"
    assert item().attempts == 0


@pytest.mark.parametrize(
    ("error", "most"),
    [
        (ModelNonsense("An empty answer.", raw="{{{"), 4),
        (ModelMisconfigured("Wrong key."), 3),
        (ValueError("bug"), 4),
    ],
)
def test_it_ends_as_a_visible_dead_letter(error, most):
    anna = person("anna")
    tell(anna, "I like tea.")
    cursor.tick(EXTRACT)
    tries = 0
    while (got := claim()) is not None:
        tries += 1
        work.fail(got, error, work.Costs(calls=1))
        make_due()
    assert tries == most
    row = item()
    assert row.state == "dead"
    assert row.error
    assert row.raw_reply == getattr(error, "raw", "")
    with operator_scope():
        assert AuditLog.objects.filter(event_type="memory.extract.dead_letter").count() == 1


def test_it_does_not_give_up_readable_chats_with_one_that_no_model_takes():
    anna = person("anna")
    bad = tell(anna, "I like tea.", conversation_id="thread")
    for text in ("I like rice.", "I like fog."):
        tell(anna, text, conversation_id="thread")
    cursor.tick(EXTRACT)
    together: list[int] = []
    while (got := claim()) is not None:
        together.append(len(got.items))
        if bad in [item.audit_id for item in got.items]:
            work.fail(got, ModelRefusedRequest("Too long."), work.Costs(calls=1))
        else:
            with profile_scope(anna.profile_id):
                work.close(got, work.Report("learned"), work.Costs(calls=1))
        make_due()
    assert together == [3, 1, 1, 1]
    with operator_scope():
        states = WorkItem.objects.order_by("audit_id").values_list("state", flat=True)
        assert list(states) == ["dead", "done", "done"]


def test_it_lets_a_dead_item_be_read_again():
    anna, bert = person("anna"), person("bert")
    tell(anna, "I like tea.")
    cursor.tick(EXTRACT)
    with operator_scope():
        WorkItem.objects.update(state="dead")
    with pytest.raises(NotFound):
        work.retry_item(profile_id=bert.profile_id, item_id=item().id)
    assert work.retry_item(profile_id=anna.profile_id, item_id=item().id).state == "waiting"
    assert claim() is not None
    with pytest.raises(Conflict):
        work.retry_item(profile_id=anna.profile_id, item_id=item().id)


def test_it_does_not_hold_a_database_that_was_away_against_the_chat():
    anna = person("anna")
    tell(anna, "I like tea.")
    cursor.tick(EXTRACT)
    for _ in range(6):
        got = claim()
        assert got is not None
        work.fail(got, OperationalError("server closed the connection"), work.Costs())
        make_due()
    assert (item().state, item().attempts, item().error_code) == ("waiting", 0, "database_away")
