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
    """Every set that lies in the folder: pieces of chat alone and, where it tells facts, those as further keys."""
    assert stack.data is not None
    there = {name: module for name, module in SETS.items() if (stack.data / module.FOLDER).is_dir()}
    if not there:
        raise SystemExit(f"{stack.data} holds none of {', '.join(module.FOLDER for module in SETS.values())}")
    # The embedder may take its time: how good it is, is asked here, not how quick.
    with semantic(enabled=True, query_budget_ms=5_000):
        for name, module in there.items():
            alone: list[Answered] = []
            with_facts: list[Answered] = []
            for history in module.load(stack.data):
                _, profile_id, _ = person(f"bench-quality-{uuid.uuid4().hex[:8]}")
                writing.write(history, profile_id)
                alone += _ask(history, profile_id)
                if history.learned:
                    writing.teach(history, profile_id)
                    with_facts += _ask(history, profile_id)
            table(f"{name}: pieces of chat by question", COLUMNS, _rows(alone, module), digits=3)
            if with_facts:
                title = f"{name}: pieces of chat by question, facts as further keys"
                table(title, COLUMNS, _rows(with_facts, module), digits=3)


def _ask(history: History, profile_id: uuid.UUID) -> list[Answered]:
    from memory import finding

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
