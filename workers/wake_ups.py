"""Wake-ups: messages without content that say that there may be work.

Nobody needs more of them than can be taken, so no more than a few wait on a queue, however long nobody comes. They
carry no time after which they are void: it would be compared with another host's clock.
"""

from __future__ import annotations

from celery import Task, current_app
from kombu import Producer, Queue
from kombu.exceptions import ChannelError

MOST_WAITING = 64


def waiting(producer: Producer, queue: str) -> int:
    """How many messages wait on the queue."""

    def count() -> int:
        try:
            return int(Queue(queue, channel=producer.channel).queue_declare(passive=True).message_count)
        except ChannelError:  # no queue: nobody has ever sent to it or all is taken
            return 0

    # As in sending: a connection that was lost is made anew.
    counted = producer.connection.ensure(producer, count, max_retries=2, interval_start=0, interval_step=0.2)
    return int(counted())


def send(task: Task, *, most: int = 1) -> int:
    """Wake up workers for this task, so many, as far as not enough wake-ups wait already. Returns how many it sent."""
    if most < 1:
        return 0
    with current_app.producer_or_acquire() as producer:
        count = min(most, MOST_WAITING - waiting(producer, task.queue))
        for _ in range(count):
            task.apply_async(producer=producer)
    return max(count, 0)
