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
    work.renew([held.token])
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


def kinds(got: work.Claim | None) -> list[tuple[str, int]]:
    assert got is not None
    return sorted((item.kind.value, item.audit_id) for item in got.items)


def take(kind: WorkKind, **options: object) -> work.Claim | None:
    return work.claim(kind, worker="w", together=True, **options)


def test_it_takes_the_summary_of_the_same_chats_along():
    anna = person("anna")
    ids = [tell(anna, text, conversation_id="thread") for text in ("I like tea.", "I like rice.")]
    tell(anna, "I like fog.", conversation_id="other")
    cursor.tick(*WorkKind)
    assert take(WorkKind.SUMMARISE) is None
    got = take(EXTRACT)
    if got is not None and got.audit_ids != ids:  # of what is due at the same moment either may come first
        got = take(EXTRACT)
    assert kinds(got) == [(kind, audit_id) for kind in ("extract", "summarise") for audit_id in ids]
    assert got is not None
    assert got.audit_ids == ids
    assert kinds(got.of(EXTRACT)) == [("extract", audit_id) for audit_id in ids]
    assert take(WorkKind.SUMMARISE) is None  # neither while it is read


def test_each_kind_is_taken_for_itself_where_two_models_read():
    anna = person("anna")
    audit_id = tell(anna, "I like tea.")
    cursor.tick(*WorkKind)
    assert kinds(work.claim(WorkKind.SUMMARISE, worker="w")) == [("summarise", audit_id)]
    assert kinds(work.claim(EXTRACT, worker="w")) == [("extract", audit_id)]


def test_a_summary_that_is_left_alone_is_taken_alone():
    anna = person("anna")
    ids = [tell(anna, f"I like number {n}.", conversation_id="thread") for n in range(3)]
    cursor.tick(*WorkKind)
    with operator_scope():
        WorkItem.objects.filter(kind="extract", audit_id=ids[0]).update(state="done")
        later = datetime.now(UTC) + timedelta(hours=1)
        WorkItem.objects.filter(kind="extract", audit_id=ids[1]).update(not_before=later)
    assert kinds(take(WorkKind.SUMMARISE)) == [("summarise", ids[0]), ("summarise", ids[1])]
    # Its conversation is being summarised: what is new is read for facts alone for now.
    assert kinds(take(EXTRACT)) == [("extract", ids[2])]


def test_chats_that_may_be_read_for_both_are_not_mixed_with_such_as_may_not():
    anna = person("anna")
    ids = [tell(anna, f"I like number {n}.", conversation_id="thread") for n in range(3)]
    cursor.tick(*WorkKind)
    with operator_scope():
        WorkItem.objects.filter(kind="summarise", audit_id=ids[1]).update(state="cancelled")
    first = take(EXTRACT)
    assert kinds(first) == [("extract", ids[0]), ("extract", ids[2]), ("summarise", ids[0]), ("summarise", ids[2])]
    assert first is not None
    with profile_scope(anna.profile_id):
        for kind in first.kinds:
            work.close(first.of(kind), work.Report("done"), work.Costs())
    assert kinds(take(EXTRACT)) == [("extract", ids[1])]


def test_summaries_that_wait_behind_many_that_are_taken_along_have_their_turn():
    anna = person("anna")
    ids = [tell(anna, f"I like number {n}.") for n in range(230)]
    cursor.tick(*WorkKind)
    with operator_scope():
        WorkItem.objects.filter(kind="extract", audit_id=ids[-1]).update(state="done")
    while (got := take(EXTRACT)) is not None:
        with profile_scope(anna.profile_id):
            [work.close(got.of(kind), work.Report("done"), work.Costs()) for kind in got.kinds]
    assert kinds(take(WorkKind.SUMMARISE)) == [("summarise", ids[-1])]


def test_no_chat_is_read_twice_by_workers_of_both_kinds_at_once():
    people = [person(f"p{n}") for n in range(3)]
    for who in people:
        for n in range(12):
            tell(who, f"I like number {n}.", conversation_id=f"thread {n % 6}")
    cursor.tick(*WorkKind)
    claims: list[work.Claim] = []

    def worker(kind: WorkKind) -> None:
        try:
            while (got := take(kind)) is not None:
                claims.append(got)
        finally:
            connection.close()

    threads = [threading.Thread(target=worker, args=(kind,)) for kind in WorkKind for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    taken = [item.id for got in claims for item in got.items]
    assert len(taken) == len(set(taken)) == 72
    assert [set(got.kinds) for got in claims] == [set(WorkKind)] * 18


def test_one_kind_can_be_lost_and_the_other_kept():
    anna = person("anna")
    tell(anna, "I like tea.")
    cursor.tick(*WorkKind)
    got = take(EXTRACT)
    assert got is not None
    with profile_scope(anna.profile_id):
        work.withdraw(WorkKind.SUMMARISE, profile_id=anna.profile_id)
        assert work.hold(got).kinds == (EXTRACT,)
        with pytest.raises(StaleClaim):
            work.hold(got.of(WorkKind.SUMMARISE))
    assert work.check(got).kinds == (EXTRACT,)


def test_it_gives_up_a_summary_that_kills_every_worker_and_the_log_says_so():
    anna = person("anna")
    audit_id = tell(anna, "I like tea.")
    cursor.tick(WorkKind.SUMMARISE)
    while work.claim(WorkKind.SUMMARISE, worker="w") is not None:
        with operator_scope():
            WorkItem.objects.update(lease_until=datetime.now(UTC) - timedelta(seconds=1))
        work.release_expired()
    with operator_scope():
        row = AuditLog.objects.get(event_type="memory.episode.summarise_failed")
    assert (row.payload["code"], row.payload["given_up"], row.payload["source_audit_ids"]) == (
        "worker_died", True, [audit_id],
    )  # fmt: skip
