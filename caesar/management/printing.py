"""What commands share: a table or JSON, and switches that read on and off."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandParser


def add_json(parser: CommandParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def as_json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2, default=str)


def as_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Columns as wide as they need to be."""
    lines = [[str(cell) for cell in line] for line in [head, *rows]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def on_off(value: bool) -> str:
    return "on" if value else "off"
