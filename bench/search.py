"""How long a question takes to find facts among many, against a linear scan over all rows of the profile."""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import psycopg

from bench.chat import p

DIM, WORDS, VOCABULARY = 384, 12, 20_000
TOPICS = 500  # texts gather around so many subjects, as people's do
IDENTITY = "bench/384"
QUESTIONS = 200


@dataclass(frozen=True)
class Seen:
    """Of some questions: milliseconds each, without embedding them, and how many found the row they were made from."""

    milliseconds: list[float]
    found: float

    @property
    def p50(self) -> float:
        return p(self.milliseconds, 50)

    @property
    def p95(self) -> float:
        return p(self.milliseconds, 95)


class Corpus:
    """Made-up facts whose words follow Zipf's law and whose vectors gather around subjects."""

    def __init__(self, seed: int = 7) -> None:
        self._random = np.random.default_rng(seed)
        self._topics = _normal(self._random.standard_normal((TOPICS, DIM)))
        weight = 1.0 / np.arange(1, VOCABULARY + 1)
        self._weight = weight / weight.sum()

    def texts(self, count: int) -> list[list[str]]:
        picked = self._random.choice(VOCABULARY, size=(count, WORDS), p=self._weight)
        return [[f"w{n}x" for n in row] for row in picked]

    def vectors(self, count: int) -> np.ndarray:
        """float32[count, DIM] of length 1."""
        topic = self._topics[self._random.integers(0, TOPICS, count)]
        return _normal(topic + 0.9 / math.sqrt(DIM) * self._random.standard_normal((count, DIM)))

    def near(self, vector: np.ndarray) -> np.ndarray:
        noise = self._random.standard_normal(DIM)
        return _normal((vector + 0.4 / math.sqrt(DIM) * noise)[None])[0]

    def pick(self, count: int, most: int) -> list[int]:
        return [int(n) for n in self._random.integers(0, most, count)]


def _normal(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def seed(url: str, profile_ids: Sequence[uuid.UUID], each: int, corpus: Corpus) -> list[tuple[str, np.ndarray]]:
    """So many facts for each profile, with vectors; returns (text, vector) of the first profile's."""
    from memory.domain.terms import term_ids
    from memory.embeddings import as_text
    from memory.models.fields import new_id

    first: list[tuple[str, np.ndarray]] = []
    start = datetime.now(UTC) - timedelta(days=300)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # no triggers: the vectors are here already
        for profile_id in profile_ids:
            texts, vectors = corpus.texts(each), corpus.vectors(each)
            ids = [new_id() for _ in range(each)]
            with connection.cursor() as cursor:
                with cursor.copy(FACTS) as copy:
                    for n, words in enumerate(texts):
                        text, at = " ".join(words), start + timedelta(seconds=n)
                        terms = "{" + ",".join(map(str, term_ids(profile_id, words))) + "}"
                        copy.write_row(_fact(ids[n], profile_id, text, terms, at))
                with cursor.copy(VECTORS) as copy:
                    for owner, vector in zip(ids, vectors, strict=True):
                        copy.write_row((profile_id, "fact", owner, IDENTITY, as_text(vector)))
            if not first:
                first = [(" ".join(words), vector) for words, vector in zip(texts, vectors, strict=True)]
    return first


FACTS = """COPY personal_facts (id, profile_id, value, value_norm, terms, category, state, cardinality, confidence,
 importance, source_kind, quote, reasons, op, stance, pinned, sensitive, edit_count, evidence_count, said_at,
 first_seen_at, last_confirmed_at, prompt_version, model, version, was_state) FROM STDIN"""
VECTORS = "COPY embeddings (profile_id, owner_kind, owner_id, identity, vector) FROM STDIN"


def _fact(owner: uuid.UUID, profile_id: uuid.UUID, text: str, terms: str, at: datetime) -> tuple[Any, ...]:
    held = ("fact", "current", "many", 0.9, 0.5, "extracted", "", "{}", "set", "asserted", False, False, 0, 1)
    return (owner, profile_id, text, text, terms, *held, at, at, at, "", "", 1, "")


def index(url: str) -> float:
    """Build the vectors' index anew, as after a large import. Returns seconds."""
    start = time.perf_counter()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET maintenance_work_mem = '3GB'")
        connection.execute("SET max_parallel_maintenance_workers = 2")
        connection.execute(
            f"CREATE INDEX IF NOT EXISTS embeddings_bench ON embeddings USING hnsw ((vector::halfvec({DIM}))"
            f" halfvec_ip_ops) WHERE identity = '{IDENTITY}'"
        )
        connection.execute("VACUUM (ANALYZE) embeddings")
        connection.execute("VACUUM (ANALYZE) personal_facts")
    return time.perf_counter() - start


def questions(known: Sequence[tuple[str, np.ndarray]], corpus: Corpus) -> Iterator[tuple[str, np.ndarray, str]]:
    """(words, vector, the text it is about): near to a fact in meaning, with some of its words."""
    for n in corpus.pick(QUESTIONS, len(known)):
        text, vector = known[n]
        yield " ".join(text.split()[:5]), corpus.near(vector), text


def searched(profile_id: uuid.UUID, known: Sequence[tuple[str, np.ndarray]], corpus: Corpus) -> Seen:
    """Search as recall does, the question's vector given."""
    from memory.db import profile_scope
    from memory.models import Space
    from memory.search import facts
    from memory.search.candidates import Scope
    from memory.search.question import Nearness, Question

    with profile_scope(profile_id):
        space_id = Space.objects.get(profile_id=profile_id, slug="general").id
    taken, found = [], 0
    for words, vector, about in questions(known, corpus):
        start = time.perf_counter()
        with profile_scope(profile_id):
            asked = Question(profile_id, words, Nearness(IDENTITY, DIM, vector))
            results = facts.search(asked, Scope(profile_id, space_id), most=3)
        taken.append(1000 * (time.perf_counter() - start))
        found += any(one.row.value == about for one in results)
    return Seen(taken[10:], found / len(taken))


def scanned(profile_id: uuid.UUID, known: Sequence[tuple[str, np.ndarray]], corpus: Corpus) -> Seen:
    """The baseline: every row of the profile is loaded, indexed by its words and scored, for each question."""
    from django.db import connection

    from memory.db import profile_scope
    from memory.domain.terms import query_tokens, tokens

    with profile_scope(profile_id), connection.cursor() as cursor:
        cursor.execute("SELECT value, vector FROM personal_facts f JOIN embeddings e ON e.owner_id = f.id")
        rows = cursor.fetchall()
    vectors = np.stack([np.asarray(_plain(vector), dtype=np.float32) for _, vector in rows])
    values = [value for value, _ in rows]
    taken, found = [], 0
    for words, vector, about in list(questions(known, corpus))[:20]:
        start = time.perf_counter()
        semantic = vectors @ vector
        held = [set(value.split()) for value in values]
        asked = set(words.split())
        lexical = np.array([len(asked & one) / len(asked) for one in held])
        best = np.argsort(-(np.where(semantic >= 0.25, semantic, 0) + 0.45 * lexical))[:3]
        taken.append(1000 * (time.perf_counter() - start))
        found += any(values[n] == about for n in best)
    assert query_tokens and tokens
    return Seen(taken, found / len(taken))


def _plain(vector: Any) -> list[float]:
    return [float(x) for x in str(vector).strip("[]").split(",")] if isinstance(vector, str) else list(vector)
