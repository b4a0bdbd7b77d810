"""The process that a document is converted in: bytes come in, JSON goes out, and limits hold that it cannot lift.

Started as `python -m memory.documents.child FORMAT LIMITS`. It knows no database, no settings and no secret.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import resource
import sys
from typing import Any

from memory.documents.pages import Limits, Unreadable, bounded

CONVERTERS = {"text": "text", "markdown": "text", "pdf": "pdf", "docx": "docx"}
MOST_FILES = 64


def main(arguments: list[str]) -> int:
    kind, packed = arguments
    limits = Limits(**json.loads(packed))
    limit(limits)
    try:
        answer: dict[str, Any] = {"pages": _pages(kind, sys.stdin.buffer.read(), limits)}
    except Unreadable as error:
        answer = {"refused": error.why}
    except (MemoryError, RecursionError):
        answer = {"refused": "too_hungry"}
    sys.stdout.buffer.write(json.dumps(answer).encode())
    return 0


def _pages(kind: str, data: bytes, limits: Limits) -> list[tuple[int | None, str]]:
    converter = importlib.import_module(f"memory.documents.{CONVERTERS[kind]}")
    return list(bounded(converter.pages(data, limits), limits))


def limit(limits: Limits) -> None:
    """Memory, processor time, no file written, no core left behind."""
    size = limits.memory_mb * 1024 * 1024
    for what, most in (
        (resource.RLIMIT_AS, size),
        (resource.RLIMIT_CPU, limits.seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, MOST_FILES),
    ):
        resource.setrlimit(what, (most, most))


def packed(limits: Limits) -> str:
    """The limits as the argument that `main` takes."""
    return json.dumps(dataclasses.asdict(limits))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
