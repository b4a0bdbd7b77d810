"""Celery: where the broker is, what runs when, and how tasks are delivered."""

from __future__ import annotations

import logging.config
import os
import socket
import warnings
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "caesar.settings")

from celery import Celery
from celery.exceptions import CPendingDeprecationWarning
from celery.signals import setup_logging, worker_init, worker_ready
from kombu import Exchange, Queue

from caesar import logs
from caesar.config import config
from caesar.database import broker_url
from caesar.schedule import every
from memory import tracing

RECOVER_EVERY_SECONDS = 3.0
# Each tick looks at the kinds of work whose own interval is over.
TICK_EVERY_SECONDS = min(
    config().memory.facts_extract.interval_seconds, config().memory.episodes_summarise.interval_seconds
)
QUEUES = ("extract", "summarise", "embed", "maintenance")

# Where the network drops everything without a word, a connection is given up in about fifteen seconds.
_CUT_OFF = {"TCP_KEEPIDLE": 5, "TCP_KEEPINTVL": 3, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 15_000}
KEEPALIVE = {getattr(socket, name): value for name, value in _CUT_OFF.items() if hasattr(socket, name)}


def _each(seconds: float, task: str, *, queue: str = "maintenance") -> dict[str, Any]:
    """So often. The queue is the task's own."""
    return {"task": task, "schedule": every(seconds), "options": {"queue": queue}}


# The scheduler knows tasks by name: it needs neither them nor Django, which take twice the memory of all the rest.
SCHEDULES_ONLY = os.environ.get("CAESAR_PROCESS") == "beat"

app = Celery(
    "caesar",
    fixups=set() if SCHEDULES_ONLY else None,
    task_cls=None if SCHEDULES_ONLY else "workers.fitness:Task",
)
app.conf.update(
    broker_url=broker_url(config()),
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],
    timezone="UTC",
    # A task is done when it is finished, not when it is taken; a worker that dies gives it back.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_hijack_root_logger=False,
    # Without the last two the sweep for lost tasks runs each 100 s only.
    broker_transport_options={
        "visibility_timeout": 600,
        "unacked_restore_interval": 2,
        "unacked_restore_throttle": 1,
        # Whoever sends a wake-up while the broker is away gives up soon: the work itself is safe.
        "max_retries": 2,
        "interval_start": 0,
        "interval_step": 0.2,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        "socket_keepalive_options": KEEPALIVE,
    },
    task_default_queue="maintenance",
    task_queues=[Queue(name, Exchange(name), routing_key=name) for name in QUEUES],
    task_publish_retry_policy={"max_retries": 2, "interval_start": 0, "interval_step": 0.2},
    beat_schedule={
        "tick": _each(TICK_EVERY_SECONDS, "caesar.tick"),
        "recover": _each(RECOVER_EVERY_SECONDS, "caesar.recover"),
        "embed": _each(RECOVER_EVERY_SECONDS, "caesar.embed", queue="embed"),
        "upkeep": _each(config().memory.sweep_interval_seconds, "caesar.upkeep"),
        "sweep": _each(config().memory.sweep_interval_seconds, "caesar.sweep"),
    },
    beat_scheduler="caesar.schedule:Scheduler",
    beat_max_loop_interval=5,
)
if not SCHEDULES_ONLY:
    app.autodiscover_tasks(["workers"])
    app.autodiscover_tasks(["workers"], related_name="embedding")
    app.autodiscover_tasks(["workers"], related_name="sweeping")


@setup_logging.connect
def _logging(**_: object) -> None:
    """Django's logging configuration holds, or one that is the same; Celery adds none of its own."""
    if SCHEDULES_ONLY:
        logging.config.dictConfig(logs.django_logging(config().log_level, config().log_format))
        logs.configure_structlog(config().log_format)


@worker_init.connect
def _trace(**_: object) -> None:
    tracing.start(config().otlp_endpoint, "worker")


@worker_ready.connect
def _hush(**_: object) -> None:
    """At each loss of the broker it would say that a setting of ours will have another default one day."""
    warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)
