"""One structured line per outcome; never a message body, never a key."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

# SQLSTATEs of a server that is going or not there; psycopg gives none where it could not connect.
GONE = ("08", "57P")


def briefly(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A database or broker that is away is told in one line: where the code stood when it noticed helps nobody."""
    given = event.get("exc_info")
    error = given[1] if isinstance(given, tuple) else sys.exc_info()[1] if given is True else given
    if isinstance(error, Exception) and _is_away(error):
        event["exc_info"] = None
        event.setdefault("reason", " ".join(str(error).split()))
    return event


def _is_away(error: Exception) -> bool:
    # By name: psycopg, Django, redis and kombu each have their own.
    kinds = {kind.__name__ for kind in type(error).__mro__}
    state = getattr(error.__cause__ or error, "sqlstate", None)
    gone = state is None or state.startswith(GONE)
    return "ConnectionError" in kinds or (gone and bool(kinds & {"OperationalError", "InterfaceError"}))


def shared(form: str) -> list[Any]:
    """What every line goes through; `form` is text, for people, or json, for programs: with date and zone."""
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(**({"fmt": "iso"} if form == "json" else {"fmt": "%H:%M:%S", "utc": False})),
        briefly,
        structlog.processors.format_exc_info,
    ]


_AS_TEXT: list[Any] = [structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)]
_AS_JSON: list[Any] = [structlog.processors.EventRenamer("message"), structlog.processors.JSONRenderer(default=str)]


class SaidBefore(logging.Filter):
    """Drops Django's own line for each 503: whoever answered one has said why, and /readyz is asked all the time."""

    def filter(self, record: logging.LogRecord) -> bool:
        return getattr(record, "status_code", 0) != 503 or record.exc_info is not None


def django_logging(level: str, form: str = "text") -> dict[str, Any]:
    """logging.dictConfig for every process: all loggers through one handler, libraries no lower than WARNING."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *(_AS_JSON if form == "json" else _AS_TEXT),
                ],
                "foreign_pre_chain": shared(form),
            }
        },
        "filters": {"said_before": {"()": SaidBefore}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {name: {"level": level} for name in ("caesar", "memory", "workers", "dashboard")}
        | {
            "django.request": {"level": "ERROR", "filters": ["said_before"]},
            "celery": {"level": "WARNING"},
            # It warns of each of its many tries; whoever waited for a connection in vain says so.
            "psycopg.pool": {"level": "ERROR"},
        },
    }


def configure_structlog(form: str = "text") -> None:
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared(form),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    logging.captureWarnings(False)
