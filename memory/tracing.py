"""Traces for whoever wants them: what took how long, across web, workers and models. Never what was said.

Off, it costs nothing: the libraries are loaded by `start` alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from memory.version import VERSION

_tracer: Any = None


def start(endpoint: str, service: str) -> None:
    """Send traces to an OTLP endpoint (HTTP) from now on; `service` is web or worker. An empty one: do nothing.

    What cannot be delivered is dropped: nobody waits for it.
    """
    global _tracer
    if not endpoint or _tracer is not None:
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource({"service.name": f"caesar-{service}", "service.version": VERSION})
    provider = TracerProvider(resource=resource)
    exporter = OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces", timeout=5)
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=1_000))
    _tracer = provider.get_tracer("caesar", VERSION)


@contextmanager
def span(name: str, *, headers: Mapping[str, str] | None = None, **attributes: Any) -> Iterator[Any]:
    """A piece of work, within the one that is open, or that a client's `traceparent` among the headers names.

    Attributes are ids, names and numbers. Gives the span, or None while nothing is traced.
    """
    if _tracer is None:
        yield None
        return
    from opentelemetry import propagate, trace

    context = propagate.extract(headers) if headers is not None else None
    kind = trace.SpanKind.SERVER if headers is not None else trace.SpanKind.INTERNAL
    named = {f"caesar.{key}" if "." not in key else key: value for key, value in attributes.items() if value}
    with _tracer.start_as_current_span(
        name, context=context, kind=kind, attributes=named, record_exception=False, set_status_on_exception=False
    ) as opened:
        try:
            yield opened
        except BaseException as error:
            # By its kind alone: its words may be what a model or a person said.
            opened.set_status(trace.Status(trace.StatusCode.ERROR, type(error).__name__))
            raise


def answered(opened: Any, status: int) -> None:
    """A request's status."""
    if opened is not None:
        opened.set_attribute("http.response.status_code", status)
