"""How long a question takes to find facts among many, against a linear scan over all rows of the profile."""

from __future__ import annotations

import math
import re
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import psycopg

from bench.chat import p

DIM, WORDS, VOCABULARY = 384, 12, 20_000
TOPICS = 500  # texts gather around so many subjects, as people's do
IDENTITY, INDEX = "bench/384", "embeddings_bench"
_WORD = re.compile(r"\w+")
QUESTIONS, SCANS = 200, 20


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


def empty(url: str) -> None:
    """Take the facts of an earlier measurement away."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("TRUNCATE personal_facts, embeddings, embed_queue CASCADE")


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
        connection.execute(f"DROP INDEX IF EXISTS {INDEX}")
        connection.execute(
            f"CREATE INDEX {INDEX} ON embeddings USING hnsw ((vector::halfvec({DIM})) halfvec_ip_ops)"
            f" WHERE identity = '{IDENTITY}'"
        )
        taken = time.perf_counter() - start
        connection.execute("VACUUM (ANALYZE) embeddings")
        connection.execute("VACUUM (ANALYZE) personal_facts")
    return taken


def sizes(url: str) -> tuple[int, int, int]:
    """(rows, bytes of rows and all their indexes, bytes of the vectors' index) of facts with their vectors."""
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT (SELECT count(*) FROM embeddings), pg_total_relation_size('personal_facts')"
            f" + pg_total_relation_size('embeddings'), pg_relation_size('{INDEX}')"
        ).fetchone()
    assert row is not None
    return row[0], row[1], row[2]


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
    """The baseline: the rows of the profile, loaded already, are indexed by their words and scored one by one."""
    from django.db import connection

    from memory.db import profile_scope

    with profile_scope(profile_id), connection.cursor() as cursor:
        cursor.execute("SELECT value, vector FROM personal_facts f JOIN embeddings e ON e.owner_id = f.id")
        rows = cursor.fetchall()
    vectors = [np.asarray(_plain(vector), dtype=np.float32) for _, vector in rows]
    values = [value for value, _ in rows]
    taken, found = [], 0
    for words, vector, about in list(questions(known, corpus))[:SCANS]:
        start = time.perf_counter()
        semantic = np.array([float(one @ vector) for one in vectors])
        held = [set(_WORD.findall(value.lower())) for value in values]
        df = Counter(word for one in held for word in one)
        weight = {word: math.log1p(len(held) / df[word]) for word in words.split() if df[word]}
        lexical = np.array([sum(w for word, w in weight.items() if word in one) for one in held])
        lexical /= sum(weight.values())
        best = np.argsort(-(np.where(semantic >= 0.25, semantic, 0) + 0.45 * lexical))[:3]
        taken.append(1000 * (time.perf_counter() - start))
        found += any(values[n] == about for n in best)
    return Seen(taken, found / len(taken))


def _plain(vector: Any) -> list[float]:
    return [float(x) for x in str(vector).strip("[]").split(",")] if isinstance(vector, str) else list(vector)
