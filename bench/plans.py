"""Which way PostgreSQL goes inside the functions that search."""

from __future__ import annotations

import re
import uuid

import psycopg

_NODE = re.compile(r"(Index Scan|Bitmap Index Scan|Seq Scan|Parallel Seq Scan)(?: Backward)?(?: using (\S+))? on (\S+)")


def nodes(url: str, profile_id: uuid.UUID, call: str) -> str:
    """The scans of what a call runs, as the application's role: "Index Scan using embeddings_0f... on embeddings"."""
    plans: list[str] = []
    with psycopg.connect(url) as session:
        session.execute(
            "LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;"
            " SET client_min_messages = log"
        )
        session.add_notice_handler(lambda notice: plans.append(notice.message_primary or ""))
        session.execute(
            "SELECT set_config('role', 'caesar_app', true), set_config('caesar.profile_id', %s, true)",
            [str(profile_id)],
        )
        session.execute(call.encode()).fetchall()
    inner = next(plan for plan in plans if "FROM embeddings" in plan)
    return "; ".join(dict.fromkeys(match.group() for match in _NODE.finditer(inner)))
