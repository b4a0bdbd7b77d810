"""How long a question takes to find facts among many, its vector given, against a linear scan over all rows."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bench import plans, seeding
from bench.corpus import DIM, Asked, Corpus, Text
from bench.scan import scan
from bench.stack import Stack, person
from bench.tables import table
from bench.timing import COLUMNS, Seen, timed

if TYPE_CHECKING:
    from memory.search.question import Question

QUESTIONS, SCANS = 200, 20
MOST = 3
TAKEN = ["rows", "index s", "bytes each", "of it index", "disk MB", "RAM MB"]
Taken = dict[str, list[float]]


def run(stack: Stack) -> None:
    """One profile of 10,000 facts, then one of 100,000."""
    measure(stack, [("10,000 facts", 1, 10_000), ("100,000 facts", 1, 100_000)])


def measure(stack: Stack, sizes: Sequence[tuple[str, int, int]]) -> None:
    """sizes: of each measurement its name, how many profiles there are, and how many facts each of them has."""
    from memory.models import OwnerKind

    url = stack.postgres.url("superuser")
    found: dict[str, list[float]] = {}
    taken: Taken = {}
    base = None
    for name, people, each in sizes:
        seeding.begin(url)
        corpus = Corpus()
        ids = [person(f"bench-search-{each}-{n}")[1] for n in range(people)]
        texts = seeding.facts(url, ids, each, corpus)
        taken[name] = seeding.index(url)
        if base is None:
            scanned = timed(lambda asked: scan(ids[0], asked), corpus.questions(texts, SCANS), warm_up=2)  # noqa: B023
            base = scanned.p50
            found[f"{name}, one by one"] = scanned.row(base=base)
        found[name] = searched(ids[0], texts, corpus).row(base=base)
        found[f"{name}, words not met before"] = searched(ids[0], texts, corpus, anew=True).row(base=base)
        taken[name].append(stack.database_megabytes())
        print(f"{name}: {way(url, ids[0], OwnerKind.FACT)}", flush=True)
    table("Facts by question, its vector given", COLUMNS, found)
    table("What they take up", TAKEN, taken)


def searched(profile_id: uuid.UUID, texts: Sequence[Text], corpus: Corpus, *, anew: bool = False) -> Seen:
    """Search as recall does. anew: nothing is remembered of how common words are."""
    from memory.db import profile_scope
    from memory.models import Space
    from memory.search import commonness, facts
    from memory.search.candidates import Scope

    with profile_scope(profile_id):
        space_id = Space.objects.get(profile_id=profile_id, slug="general").id

    def search(asked: Asked) -> list[str]:
        if anew:
            commonness.forget()
        with profile_scope(profile_id):
            results = facts.search(question(profile_id, asked), Scope(profile_id, space_id), most=MOST)
            return [one.row.value for one in results]

    return timed(search, corpus.questions(texts, QUESTIONS))


def question(profile_id: uuid.UUID, asked: Asked) -> Question:
    """As it comes from the embedder."""
    from memory.search.question import Nearness, Question

    return Question(profile_id, asked.words, Nearness(seeding.IDENTITY, DIM, asked.vector))


def way(url: str, profile_id: uuid.UUID, kind: Any) -> str:
    """How the nearest are found there: "search_indexed (Index Scan using embeddings_0f on embeddings e)"."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from memory.db import profile_scope
    from memory.models import Space
    from memory.search import candidates

    asked = next(Corpus().questions(Corpus().texts(1, words=seeding.FACT_WORDS), 1))
    with profile_scope(profile_id), CaptureQueriesContext(connection) as queries:
        space_id = Space.objects.get(profile_id=profile_id, slug="general").id
        scope = candidates.Scope(profile_id, space_id)
        candidates.nearest(kind, question(profile_id, asked).near, scope, most=MOST)
    call = str(queries.captured_queries[-1]["sql"])
    function = call.split(" FROM ")[1].split("(")[0]
    return f"{function} ({plans.nodes(url, profile_id, call)})"
