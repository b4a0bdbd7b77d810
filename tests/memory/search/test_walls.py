"""The second wall between people: what the database's search functions give out, whatever the application asks."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from memory.db import operator_scope
from memory.domain.terms import term_ids
from memory.models import Embedding, OwnerKind, Space
from memory.search import asking
from tests.memory.search.conftest import know
from tests.memory.search.test_episodes import discussed
from tests.people import Person, person

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

SAID = "My boat Zeppelin lies in Brest, ATL-4471."
# Each names Bert's own space, his words' own numbers, and all of his rows, at any time and as many as there are.
REST = "since => '-infinity', until => 'infinity', space => %(space)s, most => 50"
CALLS = {
    "search_exact": f"(%(kind)s, %(identity)s, 384, %(vector)s, {REST})",
    "search_indexed": f"(%(kind)s, %(identity)s, 384, %(vector)s, {REST})",
    "search_cosines": "(%(kind)s, %(identity)s, 384, %(vector)s, owners => %(owners)s)",
    "search_terms": f"(%(kind)s, %(terms)s, {REST}, count_to => 50)",
    "search_places": f"(%(terms)s, {REST}, count_to => 50)",
}


class Functions:
    """Called as the application's role, in whatever profile the session names."""

    def __init__(self, url: str, bert: Person) -> None:
        question = asking.ask(profile_id=bert.profile_id, text=SAID)
        assert question.near is not None
        with operator_scope():
            owners = list(Embedding.objects.values_list("owner_id", flat=True))
            space = Space.objects.get(profile_id=bert.profile_id, slug="general").id
        self._values = {"identity": question.near.identity, "vector": question.near.text, "space": space}
        self._values |= {"owners": owners, "terms": term_ids(bert.profile_id, question.words)}
        self._url = url

    def found(self, function: str, kind: str, profile: uuid.UUID | None) -> int:
        with psycopg.connect(self._url) as session:
            session.execute("SELECT set_config('role', 'caesar_app', true)")
            if profile is not None:
                session.execute("SELECT set_config('caesar.profile_id', %s, true)", [str(profile)])
            return len(session.execute(f"SELECT * FROM {function}{CALLS[function]}", self._asked(kind)).fetchall())

    def refuses(self, function: str, kind: str, profile: uuid.UUID) -> bool:
        try:
            self.found(function, kind, profile)
        except psycopg.Error:
            return True
        return False

    def _asked(self, kind: str) -> dict[str, Any]:
        return {**self._values, "kind": kind}


@pytest.fixture
def bert(database: Any, semantic: None, embedder: None) -> Person:
    """He has a fact, a conversation and its pieces that all say the same, with their vectors."""
    bert = person("bert")
    discussed(bert, SAID)
    know(bert, boat=SAID)
    return bert


@pytest.fixture
def functions(database: Postgres, bert: Person) -> Functions:
    return Functions(database.url("superuser"), bert)


def test_they_give_everybody_their_own_and_nobody_anything_of_somebody_else(functions, bert):
    anna = person("anna")
    for function in CALLS:
        for kind in OwnerKind:
            assert functions.found(function, kind.value, bert.profile_id) > 0, (function, kind)
            for other in (anna.profile_id, uuid.UUID(int=0), None):
                assert functions.found(function, kind.value, other) == 0, (function, kind, other)


def test_no_kind_that_is_made_up_reads_another_table(functions, bert):
    for function in CALLS:
        if function in ("search_places", "search_cosines"):  # the one takes no kind, the other compares it alone
            continue
        for kind in ("audit_log", "fact; DROP TABLE passages", "", "facts"):
            assert functions.refuses(function, kind, bert.profile_id), (function, kind)


def test_there_is_no_other_function_that_reads_so_much(database):
    """Whoever adds one adds it to the calls above."""
    with psycopg.connect(database.url("superuser")) as session:
        rows = session.execute(
            "SELECT proname, prosecdef, proconfig::text FROM pg_proc WHERE proowner = 'caesar_search'::regrole"
        ).fetchall()
        nobodys = session.execute("SELECT rolcanlogin OR rolsuper FROM pg_roles WHERE rolname = 'caesar_search'")
        assert nobodys.fetchone() == (False,)
        public = session.execute(
            "SELECT proname FROM pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) a"
            " WHERE proname = ANY (%s) AND a.grantee = 0",
            [list(CALLS)],
        ).fetchall()
    assert {name for name, *_ in rows} == set(CALLS)
    assert all(definer and "search_path=public, pg_temp" in settings for _, definer, settings in rows)
    assert public == []
