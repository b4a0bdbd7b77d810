"""What commands share: a table or JSON, and switches that read on and off."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandParser

from caesar.management.terminal import cell, cut, padded, wide

GAP = "  "
WIDEST = 24  # columns of a cell that is not the last, where the terminal sets an end
LEAST = 16  # columns that the last cell keeps on however narrow a terminal


def add_json(parser: CommandParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def as_json(data: Any) -> str:
    """One document. Where standard output does not take every letter they are escaped, which means the same."""
    unicode = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    return json.dumps(data, ensure_ascii=not unicode, indent=2, default=str)


def as_table(head: Sequence[str], rows: Sequence[Sequence[object]], *, columns: int | None = None) -> str:
    """Cells under each other, each in one line, as wide as they need to be.

    With `columns` no line is wider than that: long cells are cut, above all the last.
    """
    lines = [[cell(each) for each in line] for line in [head, *rows]]
    if columns is not None:
        lines = [[*(cut(each, WIDEST) for each in line[:-1]), line[-1]] for line in lines]
    widths = [max(wide(line[i]) for line in lines) for i in range(len(head))]
    if columns is not None:
        left = columns - sum(widths[:-1]) - len(GAP) * (len(head) - 1)
        widths[-1] = max(left, LEAST)
        lines = [[*line[:-1], cut(line[-1], widths[-1])] for line in lines]
    return "\n".join(
        GAP.join(padded(each, width) for each, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def on_off(value: bool) -> str:
    return "on" if value else "off"
