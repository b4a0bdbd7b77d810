"""What Prometheus is told: what this process counted, and where the work stands in the database."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from caesar import metrics
from memory import cursor, embedding_selectors, operations

assert metrics  # its counters are in the registry

# What is read from the database, with its labels.
FAMILIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "caesar_work_items": ("Background work by kind and state.", ("kind", "state")),
    "caesar_cursor_lag_rows": ("Chats not looked at yet, counted up to 10,000.", ("kind",)),
    "caesar_cursor_lag_seconds": ("Age of the oldest chat not looked at yet.", ("kind",)),
    "caesar_texts_to_embed": ("Texts without a vector, by how they stand: waiting, failing or dead.", ("state",)),
}


class FromDatabase(Collector):
    """Gauges that are read when they are asked for. Every process would show the same."""

    def collect(self) -> Iterator[Metric]:
        items = _family("caesar_work_items")
        for (kind, state), count in operations.work_counts().items():
            items.add_metric([kind, state], count)
        yield items
        rows, age = _family("caesar_cursor_lag_rows"), _family("caesar_cursor_lag_seconds")
        for lag in cursor.lag():
            rows.add_metric([lag.kind], lag.rows)
            age.add_metric([lag.kind], lag.oldest_seconds)
        yield rows
        yield age
        now = embedding_selectors.standing()
        texts = _family("caesar_texts_to_embed")
        for state in ("waiting", "failing", "dead"):
            texts.add_metric([state], getattr(now, state))
        yield texts


def _family(name: str) -> GaugeMetricFamily:
    documentation, labels = FAMILIES[name]
    return GaugeMetricFamily(name, documentation, labels=labels)


def text() -> tuple[bytes, str]:
    """The exposition and its content type."""
    database = CollectorRegistry()
    database.register(FromDatabase())
    return generate_latest(REGISTRY) + generate_latest(database), CONTENT_TYPE_LATEST
