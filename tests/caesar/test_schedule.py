"""The scheduler goes on evenly, and does not pile up wake-ups that nobody takes."""

from __future__ import annotations

import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from celery import Celery
from kombu.exceptions import OperationalError

from caesar.celery import app
from caesar.embedded import valkey
from caesar.schedule import MOST_WAITING, Scheduler
from workers import wake_ups


@pytest.fixture
def scheduler(broker):
    with app.connection_for_write() as link:
        for name in ("maintenance", "embed", "extract"):
            link.default_channel.client.delete(name)
        made = Scheduler(app)
        yield made
        made.connection.release()
        for name in ("maintenance", "embed", "extract"):
            link.default_channel.client.delete(name)


def run(scheduler: Scheduler) -> int:
    """Let it send what is due now; returns how many it sent or left out."""
    sent = 0
    while scheduler.tick() == 0:
        sent += 1
    return sent


def test_all_that_is_scheduled_runs_once_when_it_starts(scheduler):
    assert run(scheduler) == len(app.conf.beat_schedule)
    assert run(scheduler) == 0


def test_a_clock_that_is_set_back_holds_nothing_up(scheduler, monkeypatch):
    run(scheduler)
    monkeypatch.setattr(app, "now", lambda: datetime.now(UTC) - timedelta(hours=1))
    for entry in scheduler.schedule.values():
        entry.last_run_at -= entry.schedule.run_every
    scheduler.populate_heap()
    assert run(scheduler) == len(app.conf.beat_schedule)


def test_no_more_than_a_few_wait_where_nobody_takes_them(scheduler):
    for _ in range(2 * MOST_WAITING):
        for entry in scheduler.schedule.values():
            scheduler.apply_entry(entry, producer=scheduler.producer)
    assert wake_ups.waiting(scheduler.producer, "maintenance") == MOST_WAITING
    assert wake_ups.waiting(scheduler.producer, "embed") == MOST_WAITING


def test_a_wake_up_is_never_void_by_another_hosts_clock(scheduler):
    from workers import tasks

    assert wake_ups.send(tasks.extract_due, most=5) == 5
    for entry in scheduler.schedule.values():
        scheduler.apply_entry(entry, producer=scheduler.producer)
    with app.connection_for_read() as link:
        for name in ("extract", "maintenance", "embed"):
            message = link.default_channel.basic_get(name, no_ack=True)
            assert message.headers["expires"] is None
            assert message.headers["eta"] is None


def test_more_work_adds_no_more_wake_ups_than_can_be_taken(scheduler):
    from workers import tasks

    assert wake_ups.send(tasks.extract_due, most=1_000) == wake_ups.MOST_WAITING
    assert wake_ups.send(tasks.extract_due, most=1_000) == 0


def test_wake_ups_come_again_after_the_broker_was_away(monkeypatch):
    """Both from the scheduler and from those who have work, however often they tried in vain."""
    from workers import tasks

    home = Path(tempfile.mkdtemp(prefix="caesar-broker-"))
    apart = Celery("apart", broker=valkey.Valkey(home).url(), set_as_current=False)
    apart.conf.update({name: app.conf[name] for name in ("beat_schedule", "broker_transport_options", "task_queues")})
    apart.conf.task_publish_retry_policy = app.conf.task_publish_retry_policy
    monkeypatch.setattr(wake_ups, "current_app", apart)
    try:
        with valkey.running(home):
            scheduler = Scheduler(apart)
            assert run(scheduler) == len(app.conf.beat_schedule)
            assert wake_ups.send(tasks.extract_due) == 1
        producer = scheduler.producer
        for _ in range(3):
            for entry in scheduler.schedule.values():
                scheduler.apply_entry(entry, producer=producer)  # says that it cannot
            with pytest.raises(OperationalError):
                wake_ups.send(tasks.extract_due)
        with valkey.running(home):
            for entry in scheduler.schedule.values():
                scheduler.apply_async(entry, producer=scheduler.producer)
            assert wake_ups.send(tasks.extract_due) == 1
    finally:
        shutil.rmtree(home, ignore_errors=True)
