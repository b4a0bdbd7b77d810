"""Who works, as workers tell of themselves, and whether the tables are those that they were written for."""

from __future__ import annotations

import tomllib

import psycopg
import pytest

from caesar.config import ROOT
from memory import schema, workers
from memory.version import VERSION

pytestmark = pytest.mark.usefixtures("database")


def test_it_knows_who_works_and_since_when_one_is_silent(database):
    workers.report(name="gpu@box", queues=["embed"], threads=2, problem="", begins=True)
    workers.report(name="up@here", queues=["summarise", "extract"], threads=16, problem="The database is newer.")
    with psycopg.connect(database.url("superuser"), autocommit=True) as c:
        c.execute("UPDATE workers SET seen_at = seen_at - interval '1 minute' WHERE name = 'gpu@box'")
    gpu, here = workers.listed()
    assert (gpu.name, gpu.queues, gpu.threads, gpu.version, gpu.silent) == ("gpu@box", ("embed",), 2, VERSION, True)
    assert (here.queues, here.problem, here.silent) == (("extract", "summarise"), "The database is newer.", False)
    workers.gone("up@here")
    assert [one.name for one in workers.listed()] == ["gpu@box"]


def test_it_forgets_who_was_not_seen_for_a_day(database):
    workers.report(name="old", queues=[], threads=1, problem="")
    with psycopg.connect(database.url("superuser"), autocommit=True) as c:
        c.execute("UPDATE workers SET seen_at = seen_at - interval '25 hours'")
    workers.report(name="new", queues=[], threads=1, problem="", begins=True)
    assert [one.name for one in workers.listed()] == ["new"]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (
            "INSERT INTO django_migrations (app, name, applied) VALUES ('memory', '9999_later', now())",
            "Update this host",
        ),
        (
            "UPDATE django_migrations SET app = 'none' WHERE app = 'memory' AND name = '0002_security'",
            "manage.py migrate",
        ),
    ],
)
def test_it_says_where_the_tables_are_of_another_version(database, statement, words):
    assert schema.mismatch() == ""
    with psycopg.connect(database.url("superuser"), autocommit=True) as c:
        try:
            c.execute(statement)
            assert words in schema.mismatch()
        finally:
            c.execute("DELETE FROM django_migrations WHERE name = '9999_later'")
            c.execute("UPDATE django_migrations SET app = 'memory' WHERE app = 'none'")


def test_the_release_is_named_once():
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == VERSION


def test_a_workers_login_sees_no_account_and_no_session(database):
    from django.contrib.auth.models import User

    User.objects.create_user("anna", password="correct horse battery")
    login = "CREATE ROLE test_worker LOGIN PASSWORD 'a-password-for-a-test' IN ROLE caesar_worker"
    with psycopg.connect(database.url("superuser"), autocommit=True) as c:
        c.execute(f"{login}; ALTER ROLE test_worker SET transaction_timeout = '5min'")
        c.execute("GRANT CONNECT ON DATABASE caesar TO test_worker")
        try:
            parts = psycopg.conninfo.conninfo_to_dict(database.url("service"))
            parts |= {"user": "test_worker", "password": "a-password-for-a-test"}
            with psycopg.connect(**parts, autocommit=True) as mine:
                for role in (None, "caesar_app", "caesar_claim", "caesar_operator"):
                    mine.execute(f"SET ROLE {role}" if role else "RESET ROLE")
                    for table in ("auth_user", "django_session", "django_admin_log", "login_tokens"):
                        try:
                            found = mine.execute(f"SELECT count(*) FROM {table}").fetchone()
                        except psycopg.errors.InsufficientPrivilege:
                            continue
                        assert found == (0,), (role, table)
                for role in ("caesar_web", "caesar_owner", "caesar_service"):
                    with pytest.raises(psycopg.errors.InsufficientPrivilege):
                        mine.execute(f"SET ROLE {role}")
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    mine.execute("RESET ROLE; CREATE TABLE mine (id int)")
        finally:
            c.execute("DROP OWNED BY test_worker; DROP ROLE test_worker")
    assert User.objects.filter(username="anna").exists()
