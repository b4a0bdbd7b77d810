"""docs/reference/metrics.md: every metric, from where it is registered."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.metrics import MetricWrapperBase

from caesar import gauges, metrics
from caesar.reference import markdown as md

ABOUT = """\
`GET /metrics` gives these in Prometheus' text format, to whoever sends the metrics token (`CAESAR_METRICS_TOKEN`) or a
valid API key as `Authorization: Bearer …`. No metric has a person, a key or a word of a chat among its labels."""
COUNTED = "## Counted by the web process\n\nSince it was started; with several web processes each has its own."
READ = "## Read from the database\n\nWhen they are asked for; every web process shows the same."
HEAD = ("name", "type", "labels", "what it says")
Row = tuple[str, str, str, str]


def page() -> str:
    counted, read = (md.table(HEAD, sorted(rows)) for rows in (counted_rows(), database_rows()))
    return md.page("Metrics", ABOUT, [f"{COUNTED}\n\n{counted}", f"{READ}\n\n{read}"])


def counted_rows() -> Iterator[Row]:
    """What `caesar.metrics` counts."""
    for each in vars(metrics).values():
        if isinstance(each, MetricWrapperBase):
            (family,) = each.describe()
            name = family.name + ("_total" if family.type == "counter" else "")
            yield _row(name, family.type, each._labelnames, family.documentation)


def database_rows() -> Iterator[Row]:
    """What `caesar.gauges` reads."""
    for name, (documentation, labels) in gauges.FAMILIES.items():
        yield _row(name, "gauge", labels, documentation)


def _row(name: str, kind: str, labels: tuple[str, ...], documentation: str) -> Row:
    return md.code(name), kind, ", ".join(map(md.code, labels)), md.sentence(documentation)
