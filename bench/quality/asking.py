"""The questions of each history, asked as a client asks at `/v1/recall`."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC
from types import ModuleType
from typing import Any

from bench.quality import beam, locomo, prefeval, writing
from bench.quality.histories import History, Query
from bench.quality.metrics import Hit, Measured, mean, measure
from bench.stack import Stack, person, semantic
from bench.tables import table

SETS = {"LoCoMo": locomo, "BEAM-100K": beam, "PrefEval": prefeval}
MOST = 50  # results of a question
COLUMNS = ["questions", "recall@10", "ndcg@10", "tok@1024"]
Answered = tuple[Query, list[Hit]]


def run(stack: Stack) -> None:
    """Every set that lies in the folder, with passages alone."""
    assert stack.data is not None
    # The embedder may take its time: how good it is, is asked here, not how quick.
    with semantic(enabled=True, query_budget_ms=5_000):
        for name, module in SETS.items():
            if not (stack.data / module.FOLDER).is_dir():
                continue
            answered = [one for history in module.load(stack.data) for one in _ask(history)]
            table(f"{name}: passages by question", COLUMNS, _rows(answered, module))


def _ask(history: History) -> list[Answered]:
    from memory import finding

    _, profile_id, _ = person(f"bench-quality-{uuid.uuid4().hex[:8]}")
    writing.write(history, profile_id)
    at = history.asked_at.replace(tzinfo=UTC).isoformat()
    fields: dict[str, Any] = {"k": MOST, "kinds": ["passages"], "at": at}
    answered = []
    for query in history.queries:
        found = finding.for_request(profile_id=profile_id, fields={**fields, "query": query.text})
        answered.append((query, [Hit(one.source_ids, one.text) for one in found]))
    return answered


def _rows(answered: Iterable[Answered], module: ModuleType) -> dict[str, list[float]]:
    """All questions that have evidence, then each category."""
    measured: dict[str, list[Measured]] = defaultdict(list)
    for query, hits in answered:
        if query.evidence:
            one = measure(hits, query.evidence)
            measured[f"  {query.category}"].append(one)
            if query.category not in module.LEFT_OUT:
                measured["all"].append(one)
        if query.corrected and query.category not in module.LEFT_OUT:
            measured["all, evidence corrected"].append(measure(hits, query.corrected))
    if all(query.evidence == query.corrected for query, _ in answered):
        del measured["all, evidence corrected"]
    names = sorted(measured, key=lambda name: (name.startswith(" "), name))
    return {name: [len(measured[name]), *mean(measured[name])] for name in names}
