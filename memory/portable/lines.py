"""The lines of our own export: read with bounds, and checked against its checksum before anything is written."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from memory.errors import InvalidInput
from memory.portable.bounded import depth
from memory.portable.kinds import FORMAT, MOST_LINE, VERSION, Kind

Record = dict[str, Any]
MOST_DEPTH = 100
CUT_OFF = "The export is cut off: its last line is missing. Nothing was imported."


def read(path: Path) -> Iterator[tuple[int, bytes, Record]]:
    """(number, bytes, record) of each line. Raises InvalidInput for a line that is none."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MOST_LINE + 1):
            number += 1
            if len(line) > MOST_LINE:
                raise InvalidInput(f"Line {number} is longer than {MOST_LINE // 1_000_000} MB. Nothing was imported.")
            if line.strip():
                yield number, line, _record(line, number)


def check(path: Path) -> tuple[Record, int]:
    """The header, and how many records follow. Raises InvalidInput where the file is not whole, or was changed."""
    checksum = hashlib.sha256()
    header: Record | None = None
    counts: Counter[str] = Counter()
    end: Record | None = None
    for number, line, record in read(path):
        if end is not None:
            raise InvalidInput(f"Line {number} stands behind the end of the export. Nothing was imported.")
        kind = record["kind"]
        if header is None:
            header = _header(record)
        elif kind == Kind.END:
            end = record
            continue
        else:
            counts[kind] += 1
        checksum.update(line)
    if header is None or end is None:
        raise InvalidInput(CUT_OFF)
    if end.get("sha256") != checksum.hexdigest() or end.get("rows") != dict(counts):
        raise InvalidInput("The export was changed or damaged: its checksum is another. Nothing was imported.")
    return header, counts.total()


def _header(record: Record) -> Record:
    if record["kind"] != Kind.HEADER or record.get("format") != FORMAT:
        raise InvalidInput("The first line is not that of an export of this product. Nothing was imported.")
    version = record.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise InvalidInput(
            f"The export is of version {str(version)[:20]}, which is newer than this product reads ({VERSION})."
        )
    return record


def _record(line: bytes, number: int) -> Record:
    if depth(line) > MOST_DEPTH:
        raise InvalidInput(f"Line {number} is nested deeper than {MOST_DEPTH} levels. Nothing was imported.")
    try:
        record = json.loads(line, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        raise InvalidInput(f"Line {number} is no valid JSON in UTF-8. Nothing was imported.") from None
    if not isinstance(record, dict) or record.get("kind") not in tuple(Kind):
        raise InvalidInput(f"Line {number} is of no kind that is known. Nothing was imported.")
    return record


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _refuse(text)
    return number
