"""Many facts and passages with their vectors, written past the product's own ways in: those take a chat for each."""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

from bench.corpus import DIM, Corpus, Text

IDENTITY = f"bench/{DIM}"
FACT_WORDS, PASSAGE_WORDS = 12, 30
MESSAGES = 20  # of one conversation
_audits = itertools.count(1)
FACTS = """COPY personal_facts (id, profile_id, value, value_norm, terms, category, state, cardinality, confidence,
 importance, source_kind, quote, reasons, op, stance, pinned, sensitive, edit_count, evidence_count, said_at,
 first_seen_at, last_confirmed_at, prompt_version, model, version, was_state) FROM STDIN"""
PASSAGES = """COPY passages (id, profile_id, space_id, conversation_id, audit_id, role, text, terms, length, source_ids,
 position, said_at) FROM STDIN"""
VECTORS = "COPY embeddings (profile_id, owner_kind, owner_id, identity, vector) FROM STDIN"


def begin(url: str) -> None:
    """Take what an earlier measurement wrote away, and the vectors' index with it."""
    from memory import identities
    from memory.llm.embedding import Identity

    with _connected(url) as connection:
        connection.execute("TRUNCATE personal_facts, passages, embeddings, embed_queue CASCADE")
    identities.ensure(Identity("local", "bench", DIM))
    with _connected(url) as connection:
        connection.execute(f"DROP INDEX {_index(connection)}")


def facts(url: str, profile_ids: Sequence[uuid.UUID], each: int, corpus: Corpus) -> list[Text]:
    """So many facts for each profile; returns the first profile's."""
    first: list[Text] = []
    for profile_id in profile_ids:
        texts = corpus.texts(each, words=FACT_WORDS)
        _write(url, FACTS, "fact", profile_id, texts, lambda n, *row: _fact(*row))
        first = first or texts
    return first


def passages(url: str, profile_id: uuid.UUID, space_id: uuid.UUID, count: int, corpus: Corpus) -> list[Text]:
    """So many messages of conversations between the person and an assistant; returns them."""
    texts = corpus.texts(count, words=PASSAGE_WORDS)
    talks = [uuid.uuid4() for _ in range(0, count, MESSAGES)]
    _write(
        url,
        PASSAGES,
        "passage",
        profile_id,
        texts,
        lambda n, *row: _passage(n, space_id, talks[n // MESSAGES], *row),
    )
    return texts


def index(url: str) -> list[float]:
    """Build the vectors' index, as after a large import.

    Returns how many texts there are, the seconds that it took, the bytes of a text with all that belongs to it, those
    of them in the vectors' index, and the megabytes of it all.
    """
    with _connected(url) as connection:
        start = time.perf_counter()
        connection.execute("SELECT embedding_index(%s, %s)", [IDENTITY, DIM])
        taken = time.perf_counter() - start
        for table in ("embeddings", "personal_facts", "passages"):
            connection.execute(f"VACUUM (ANALYZE) {table}")
        rows = _one(connection, "SELECT count(*) FROM embeddings")
        whole = _one(
            connection,
            "SELECT pg_total_relation_size('personal_facts') + pg_total_relation_size('passages')"
            " + pg_total_relation_size('embeddings')",
        )
        inner = _one(connection, f"SELECT pg_relation_size('{_index(connection)}')")
    return [rows, taken, whole / rows, inner / rows, whole / 2**20]


def _write(url: str, copy_rows: str, kind: str, profile_id: uuid.UUID, texts: Sequence[Text], row: Any) -> None:
    from memory.domain.terms import term_ids, tokens
    from memory.embeddings import as_text
    from memory.models.fields import new_id

    start = datetime.now(UTC) - timedelta(days=300)
    ids = [new_id() for _ in texts]
    with _connected(url) as connection, connection.cursor() as cursor:
        with cursor.copy(copy_rows) as copy:
            for n, text in enumerate(texts):
                terms = "{" + ",".join(map(str, term_ids(profile_id, tokens(text.words)))) + "}"
                at = start + timedelta(seconds=20 * n)
                copy.write_row(row(n, ids[n], profile_id, text.words, terms, at))
        with cursor.copy(VECTORS) as copy:
            for owner, text in zip(ids, texts, strict=True):
                copy.write_row((profile_id, kind, owner, IDENTITY, as_text(text.vector)))


def _fact(owner: uuid.UUID, profile_id: uuid.UUID, text: str, terms: str, at: datetime) -> tuple[Any, ...]:
    held = ("fact", "current", "many", 0.9, 0.5, "extracted", "", "{}", "set", "asserted", False, False, 0, 1)
    return (owner, profile_id, text, text, terms, *held, at, at, at, "", "", 1, "")


def _passage(
    n: int,
    space_id: uuid.UUID,
    talk: uuid.UUID,
    owner: uuid.UUID,
    profile_id: uuid.UUID,
    text: str,
    terms: str,
    at: datetime,
) -> tuple[Any, ...]:
    role = "assistant" if n % 2 else "user"
    length = text.count(" ") + 1
    return (owner, profile_id, space_id, talk, next(_audits), role, text, terms, length, "{}", n % MESSAGES, at)


def _connected(url: str) -> psycopg.Connection[Any]:
    """A session without triggers: the vectors are there already."""
    connection = psycopg.connect(url, autocommit=True)
    connection.execute("SET session_replication_role = replica")
    return connection


def _index(connection: psycopg.Connection[Any]) -> str:
    return str(_one(connection, "SELECT 'embeddings_' || left(md5(%s), 16)", [IDENTITY]))


def _one(connection: psycopg.Connection[Any], sql: str, values: Sequence[Any] = ()) -> Any:
    row = connection.execute(sql, values).fetchone()
    assert row is not None
    return row[0]
