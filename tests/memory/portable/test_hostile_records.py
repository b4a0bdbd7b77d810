"""An export in which any field may hold anything: what cannot be taken is refused in a sentence, the rest is tame."""

from __future__ import annotations

import copy
import itertools
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from memory.db import profile_scope
from memory.errors import InvalidInput
from memory.models import Fact
from memory.portable.fields import Fields
from memory.portable.kinds import Kind
from memory.portable.parsed import PARSERS
from tests.everywhere import rows_of
from tests.memory.portable.acts import export, full, load, records, resealed
from tests.people import person

ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 2**31, 2**70, -(10**400), "", "x", "\0", "\ud800", "🐕" * 50, "a" * 130,
    "9999-12-31T23:59:59+14:00", "0001-01-01T00:00:00+00:00", "00000000-0000-0000-0000-000000000000",
    [], [None], ["x"], [[]], {}, {"x": {"y": [1]}}, "'; DROP TABLE personal_facts; --", "{{ 7 }}", "=1+1",
)  # fmt: skip
NOW = datetime.now(UTC)


def variants(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The record with each of its fields, and of the fields inside of it, odd in each way."""
    found = []
    for path in _paths(record, 2):
        for odd in ODD:
            changed = copy.deepcopy(record)
            place: Any = changed
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = odd
            found.append(changed)
    return found


def _paths(value: Any, depth: int) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found: list[tuple[Any, ...]] = []
    for name, each in list(inner)[:20]:
        if name == "kind":
            continue
        found.append((name,))
        if depth:
            found += [(name, *rest) for rest in _paths(each, depth - 1)]
    return found


def taken(record: dict[str, Any]) -> bool:
    """Whether it passes the check; that it fails in any other way than in a sentence is what this looks for."""
    try:
        PARSERS[Kind(record["kind"])](Fields(record, 7, NOW))
    except InvalidInput as error:
        told = str(error)
    else:
        return True
    assert told.startswith("Line 7: ")
    assert "DROP TABLE" not in told
    return False


@pytest.mark.timeout(300)
def test_whatever_passes_the_check_can_be_written(database, tmp_path):
    anna, bert = person("anna"), person("bert")
    full(anna)
    exported = export(anna)
    base = records(exported)
    numbers = itertools.count(1_000_000)
    out: list[dict[str, Any]] = []
    tried = passed = 0
    for kind, group in itertools.groupby(base[1:-1], key=lambda record: record["kind"]):
        rows = list(group)
        out += rows
        if Kind(kind) in PARSERS:
            odd = [record for record in variants(rows[0]) if taken(record)]
            tried, passed = tried + len(variants(rows[0])), passed + len(odd)
            for record in odd:
                if "id" in record and record["id"] == rows[0]["id"]:
                    record["id"] = str(uuid.uuid4())
                if "n" in record and record["n"] == rows[0]["n"]:
                    record["n"] = next(numbers)
            out += odd
    assert tried > 2_000
    assert passed > 200
    content = _file(base, out)
    before = rows_of(database, anna.profile_id)
    load(bert, content, tmp_path, dry_run=True)
    load(bert, content, tmp_path)
    assert rows_of(database, anna.profile_id) == before
    with profile_scope(bert.profile_id):
        assert Fact.objects.filter(key="address.city", value="Linz", state="current").exists()


def _file(base: list[dict[str, Any]], rows: list[dict[str, Any]]) -> bytes:
    import json

    counts: dict[str, int] = {}
    for row in rows:
        counts[row["kind"]] = counts.get(row["kind"], 0) + 1
    lines = [base[0], *rows, base[-1] | {"rows": counts}]
    return resealed(b"".join(json.dumps(line).encode() + b"\n" for line in lines), lambda record: record)
