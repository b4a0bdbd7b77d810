"""The planner, as the application's role, takes the indexes that are meant for a search."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import identities
from memory.db import profile_scope
from memory.domain.terms import term_ids
from memory.llm.embedding import Identity
from memory.models import OwnerKind, Space
from memory.search import candidates, episodes, facts, outdated, passages, sizes
from memory.search.candidates import Scope
from memory.search.question import Nearness, Question
from tests.people import person

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

EIGHT = Identity("local", "eight-numbers", 8)
FACTS = """
INSERT INTO personal_facts (id, profile_id, value, value_norm, terms, category, state, cardinality, confidence,
  importance, source_kind, quote, reasons, op, stance, pinned, sensitive, edit_count, evidence_count, said_at,
  first_seen_at, last_confirmed_at, prompt_version, model, version)
SELECT gen_random_uuid(), %(profile)s, 'fact ' || n, 'fact ' || n,
       ARRAY[n, CASE WHEN n %% 500 = 0 THEN %(term)s ELSE -n END], 'fact', 'current', 'many', 0.9, 0.5, 'extracted', '',
       '{}', 'set', 'asserted', false, false, 0, 1, now(), now(), now(), '', '', 1
  FROM generate_series(1, %(count)s) n"""
VECTORS = """
INSERT INTO embeddings (profile_id, owner_kind, owner_id, identity, vector)
SELECT f.profile_id, 'fact', f.id, %(identity)s,
       ARRAY[random(), random(), random(), random(), random(), random(), random(), random()]::real[]::halfvec
  FROM personal_facts f WHERE f.profile_id = %(profile)s"""


TALKS = """
INSERT INTO conversations (id, profile_id, space_id)
SELECT gen_random_uuid(), %(profile)s, %(space)s FROM generate_series(1, %(count)s)"""
PASSAGES = """
INSERT INTO passages (id, profile_id, space_id, conversation_id, audit_id, role, text, terms, length, source_ids,
  position, said_at)
SELECT gen_random_uuid(), %(profile)s, %(space)s, t.id, row_number() OVER (), 'user', 'piece ' || n,
       ARRAY[n, CASE WHEN n %% 500 = 0 THEN %(term)s ELSE -n END], 2, '{}', n, now()
  FROM (SELECT id, row_number() OVER () AS no FROM conversations WHERE profile_id = %(profile)s) t
 CROSS JOIN LATERAL generate_series(20 * t.no - 19, 20 * t.no) n
 WHERE t.no <= %(count)s / 20"""
EPISODES = """
INSERT INTO episode_summaries (id, profile_id, space_id, conversation_id, summary, details, terms, source_audit_ids,
  said_at, recall_count, prompt_version, model)
SELECT gen_random_uuid(), profile_id, space_id, id, 'talk', '{}', ARRAY[%(term)s::bigint], '{}', now(), 0, '', ''
  FROM conversations WHERE profile_id = %(profile)s"""
PIECE_VECTORS = """
INSERT INTO embeddings (profile_id, owner_kind, owner_id, identity, vector)
SELECT p.profile_id, p.kind, p.id, %(identity)s,
       ARRAY[random(), random(), random(), random(), random(), random(), random(), random()]::real[]::halfvec
  FROM (SELECT profile_id, 'passage' AS kind, id FROM passages UNION ALL
        SELECT profile_id, 'episode', id FROM episode_summaries) p WHERE p.profile_id = %(profile)s"""
EVIDENCE = """
INSERT INTO fact_sources (profile_id, fact_id, audit_id)
SELECT f.profile_id, f.id, f.terms[1] FROM personal_facts f"""
CHATS = """
INSERT INTO audit_log (id, profile_id, event_type, actor, said_at, mine_facts, mine_summary, payload)
SELECT 1000000 + n, %(profile)s, 'chat.completed', 'person', now(), true, true, jsonb_build_object('facts', f.ids)
  FROM generate_series(1, %(count)s) n
 CROSS JOIN (SELECT jsonb_agg(id) AS ids
               FROM (SELECT id FROM personal_facts WHERE profile_id = %(profile)s LIMIT 30) few) f"""
TAUGHT = "UPDATE personal_facts f SET source_audit_id = p.audit_id FROM passages p WHERE p.terms[1] = f.terms[1]"


class Plans:
    """Runs a search as the application's role and gives the plans of what runs inside it."""

    def __init__(self, url: str, profile_id: uuid.UUID, space_id: uuid.UUID, term: int, count: int) -> None:
        self._url, self.profile_id, self.space_id, self.term, self.count = url, profile_id, space_id, term, count

    def of(self, call: str, *values: object) -> str:
        plans: list[str] = []
        with psycopg.connect(self._url) as session:
            session.execute("LOAD 'auto_explain'")
            session.execute(
                "SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;"
                " SET client_min_messages = log"
            )
            session.add_notice_handler(lambda notice: plans.append(notice.message_primary or ""))
            session.execute(
                "SELECT set_config('role', 'caesar_app', true), set_config('caesar.profile_id', %s, true)",
                [str(self.profile_id)],
            )
            rows = session.execute(call, [*values, self.space_id]).fetchall()
        assert rows
        return next(plan for plan in plans if "Query Text: SELECT o.id" in plan or "Query Text: SELECT t.no" in plan)

    def nearest(self, function: str) -> str:
        call = (
            f"SELECT * FROM {function}('fact', %s, 8, '[1,0,0,0,0,0,0,0]', since => '-infinity', until => 'infinity',"
            " most => 20, space => %s)"
        )
        return self.of(call, EIGHT.name)

    def terms(self, term: int) -> str:
        call = (
            "SELECT * FROM search_terms('fact', ARRAY[%s::bigint], since => '-infinity', until => 'infinity',"
            " count_to => 300, most => 50, space => %s)"
        )
        return self.of(call, term)


@pytest.fixture
def plans(database: Postgres, request: pytest.FixtureRequest) -> Plans:
    """A profile of so many facts, among another of 300."""
    who, other = person("anna"), person("bert")
    identities.ensure(EIGHT)
    term = term_ids(who.profile_id, ["atl-4471"])[0]
    with psycopg.connect(database.url("superuser"), autocommit=True) as session:
        session.execute("SET session_replication_role = replica")
        for profile_id, count in ((who.profile_id, request.param), (other.profile_id, 300)):
            values = {"profile": profile_id, "count": count, "term": term, "identity": EIGHT.name}
            session.execute(FACTS, values)
            session.execute(VECTORS, values)
        session.execute("VACUUM (ANALYZE) personal_facts")
        session.execute("VACUUM (ANALYZE) embeddings")
    with profile_scope(who.profile_id):
        space_id = Space.objects.get(profile_id=who.profile_id, slug="general").id
    return Plans(database.url("superuser"), who.profile_id, space_id, term, request.param)


@pytest.mark.parametrize("plans", [1_000, 10_000], indirect=True)
def test_a_search_uses_the_index_that_is_meant_for_it(plans):
    exact = plans.nearest("search_exact")
    assert "Sort" in exact
    assert "Order By" not in exact
    indexed = plans.nearest("search_indexed")
    assert "Index Scan using embeddings_" in indexed
    assert "Order By" in indexed
    assert "Sort" not in indexed
    words = plans.terms(plans.term)
    assert "Bitmap Index Scan on fact_terms" in words
    assert "Seq Scan" not in words


@pytest.mark.parametrize(
    ("mine", "all_of_them", "function"),
    [
        (4_000, 4_000, "search_exact"),
        (4_001, 4_001, "search_indexed"),
        (100_000, 1_000_000, "search_indexed"),
        # The index would look at three hundred vectors of others for each of these.
        (5_000, 1_500_000, "search_exact"),
    ],
)
def test_few_rows_are_searched_exactly_and_many_by_the_index(monkeypatch, database, mine, all_of_them, function):
    who = person("anna")
    monkeypatch.setattr(sizes, "rows", lambda *_: mine)
    monkeypatch.setattr(sizes, "vectors", lambda *_: all_of_them)
    near = Nearness(EIGHT.name, 8, np.ones(8, dtype=np.float32))
    with profile_scope(who.profile_id), CaptureQueriesContext(connection) as asked:
        candidates.nearest(OwnerKind.FACT, near, candidates.Scope(who.profile_id, uuid.uuid4()), most=3)
    assert f"FROM {function}(" in asked.captured_queries[-1]["sql"]


@pytest.mark.parametrize("plans", [1_000], indirect=True)
def test_it_knows_about_how_many_vectors_an_embedder_has(monkeypatch, plans):
    monkeypatch.setattr(sizes, "_vectors", {})
    assert sizes.vectors(EIGHT.name) == 1_300
    assert sizes.vectors("nobody/8") == 0


@pytest.fixture
def talks(plans: Plans, database: Postgres) -> Scope:
    """The same profile with as many pieces of chat, from which its facts were learned, and their summaries."""
    values = {
        "profile": plans.profile_id, "space": plans.space_id, "term": plans.term, "identity": EIGHT.name,
        "count": plans.count,
    }  # fmt: skip
    with psycopg.connect(database.url("superuser"), autocommit=True) as session:
        session.execute("SET session_replication_role = replica")
        for statement in (TALKS, PASSAGES, EPISODES, PIECE_VECTORS, EVIDENCE, CHATS):
            session.execute(statement, values)
        session.execute(TAUGHT)
        session.execute("VACUUM (ANALYZE)")
    return Scope(plans.profile_id, plans.space_id)


@pytest.mark.parametrize("plans", [1_000, 10_000], indirect=True)
def test_no_statement_of_a_search_reads_a_table_from_end_to_end(plans, talks):
    near = Nearness(EIGHT.name, 8, np.ones(8, dtype=np.float32))
    asked = Question(talks.profile_id, "What about ATL-4471?", near)
    now = datetime.now(UTC)
    with profile_scope(talks.profile_id):
        # As in a process that runs for a while: how much there is to search has been counted.
        for kind in OwnerKind:
            sizes.rows(kind, talks.profile_id)
        with CaptureQueriesContext(connection) as run:
            assert facts.search(asked, talks, most=3, now=now)
            assert episodes.search(asked, talks, most=3, now=now)
            assert passages.search(asked, talks, most=3, now=now)
            said = [
                outdated.Text(uuid.uuid4(), range(1_000_000 + 20 * n, 1_000_020 + 20 * n), now, "fact 3 and fact 4")
                for n in range(8)
            ]
            outdated.marks(talks.profile_id, said)
        for statement in [query["sql"] for query in run if "count(*)" not in query["sql"]]:
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN {statement}")
                plan = "\n".join(line for (line,) in cursor.fetchall())
            assert "Seq Scan" not in plan, f"{statement}\n{plan}"
    assert len(run) > 10
