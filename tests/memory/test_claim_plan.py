"""What it costs to look for the next chat to read, however many wait and however many were read."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import psycopg
from django.db import connection, transaction

from memory import sql
from memory.db import claim_scope
from memory.models import WorkKind

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

# Items of 500 people, three of each conversation, with nothing behind them: as a replica, no reference is checked.
FILL = """
SET session_replication_role = replica;
INSERT INTO work_items (profile_id, conversation_id, audit_id, kind, state, said_at, not_before, attempts, outages,
    worker, outcome, detail, error_code, error, raw_reply, prompt_version, model, calls, input_tokens, output_tokens)
SELECT md5('p' || n % 500)::uuid, md5('c' || n % 500 || '.' || n / 1500)::uuid, n + {first}, '{kind}', '{state}',
    now() - interval '1 hour', now() - interval '1 hour' * random(), 0, 0, '', '', '{{}}', '', '', '', '', '', 0, 0, 0
  FROM generate_series(1, {count}) n
"""
ASKED = {
    "kind": "extract",
    "takes": "summarise",
    "leaves": None,
    "route": "",
    "after": uuid.UUID(int=0),
    "worker": "w",
    "lease": 10.0,
    "most": 40,
}


def fill(cluster: Postgres, **counts: int) -> None:
    with psycopg.connect(cluster.url("superuser"), autocommit=True) as direct:
        for number, (state, count) in enumerate(counts.items()):
            for place, kind in enumerate(WorkKind):
                first = (2 * number + place) * 1_000_000
                direct.execute(FILL.format(first=first, kind=kind.value, state=state, count=count))
        direct.execute("ANALYZE work_items")


def plan() -> dict[str, Any]:
    """How one claim is made, which is then taken back."""
    with claim_scope(), connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + sql.read("claim"), {**ASKED, "token": uuid.uuid4()})
        found = cursor.fetchone()[0]
        transaction.set_rollback(True)
    return (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]


def nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from nodes(child)


def test_it_costs_the_same_however_much_waits_and_was_done(database: Postgres) -> None:
    fill(database, waiting=30_000, done=60_000)
    found = plan()
    read = [n for n in nodes(found) if n.get("Relation Name") == "work_items" and n["Node Type"] != "ModifyTable"]
    assert {n["Node Type"] for n in read} <= {"Index Scan", "Index Only Scan", "Bitmap Heap Scan"}, json.dumps(found)
    assert found["Actual Rows"] >= 1
    blocks = found["Shared Hit Blocks"] + found["Shared Read Blocks"]
    # 30,000 waiting items are more than 500 blocks, all of them together more than 3,000.
    assert blocks < 500, json.dumps(found)
