"""How long a question takes to find pieces of raw chat among many, its vector given."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

from bench import seeding
from bench.corpus import Asked, Corpus, Text
from bench.search import QUESTIONS, TAKEN, Taken, question, way
from bench.stack import Stack, person
from bench.tables import table
from bench.timing import COLUMNS, Seen, timed

MOST = 10


def run(stack: Stack) -> None:
    """One profile of 10,000 passages, then one of 100,000."""
    from memory.db import profile_scope
    from memory.models import OwnerKind, Space

    url = stack.postgres.url("superuser")
    found: dict[str, list[float]] = {}
    taken: Taken = {}
    base = None
    for count in (10_000, 100_000):
        name = f"{count:,} passages"
        seeding.begin(url)
        corpus = Corpus()
        profile_id = person(f"bench-passages-{count}")[1]
        with profile_scope(profile_id):
            space_id = Space.objects.get(profile_id=profile_id, slug="general").id
        texts = seeding.passages(url, profile_id, space_id, count, corpus)
        taken[name] = seeding.index(url)
        seen = searched(profile_id, space_id, texts, corpus)
        base = base or seen.p50
        found[name] = seen.row(base=base)
        found[f"{name}, words not met before"] = searched(profile_id, space_id, texts, corpus, anew=True).row(base=base)
        taken[name].append(stack.database_megabytes())
        print(f"{name}: {way(url, profile_id, OwnerKind.PASSAGE)}", flush=True)
    table("Passages by question, its vector given", COLUMNS, found)
    table("What they take up", TAKEN, taken)


def searched(
    profile_id: uuid.UUID, space_id: uuid.UUID, texts: Sequence[Text], corpus: Corpus, *, anew: bool = False
) -> Seen:
    """Search as `/v1/recall` does. anew: nothing is remembered of how common words are."""
    from memory.db import profile_scope
    from memory.search import commonness, passages
    from memory.search.candidates import Scope

    def search(asked: Asked) -> list[str]:
        if anew:
            commonness.forget()
        with profile_scope(profile_id):
            scope, now = Scope(profile_id, space_id), datetime.now(UTC)
            results = passages.search(question(profile_id, asked), scope, most=MOST, now=now)
            return [one.row.text for one in results]

    return timed(search, corpus.questions(texts, QUESTIONS))
