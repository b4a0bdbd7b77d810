"""Row-level security: the second wall between profiles."""

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.utils import DatabaseError

from memory.db import claim_scope, operator_scope, profile_scope, user_scope
from memory.models import AuditLog, Profile

pytestmark = pytest.mark.usefixtures("database")


def test_it_shows_a_profile_only_its_own_rows():
    user = User.objects.create(username="anna")
    with user_scope(user.id):
        one = Profile.objects.create(user=user, name="one")
        two = Profile.objects.create(user=user, name="two")
    with profile_scope(one.id):
        AuditLog.objects.create(profile=one, event_type="settings.changed")
    with profile_scope(two.id):
        assert AuditLog.objects.count() == 0
        assert [p.name for p in Profile.objects.all()] == ["two"]
    assert AuditLog.objects.count() == 0
    with operator_scope():
        assert AuditLog.objects.count() == 1


def test_it_refuses_a_row_for_another_profile():
    user = User.objects.create(username="anna")
    with user_scope(user.id):
        one = Profile.objects.create(user=user, name="one")
        two = Profile.objects.create(user=user, name="two")
    with pytest.raises(DatabaseError, match="row-level security"), profile_scope(one.id):
        AuditLog.objects.create(profile=two, event_type="settings.changed")


def test_it_keeps_the_log_from_being_changed_even_by_the_owner(database):
    user = User.objects.create(username="anna")
    with user_scope(user.id):
        one = Profile.objects.create(user=user, name="one")
    with profile_scope(one.id):
        AuditLog.objects.create(profile=one, event_type="settings.changed")
    with pytest.raises(DatabaseError, match="permission denied"), profile_scope(one.id):
        AuditLog.objects.update(event_type="x")
    for statement in (
        "UPDATE audit_log SET event_type = 'x'",
        "DELETE FROM audit_log",
        "TRUNCATE audit_log CASCADE",
    ):
        with (
            psycopg.connect(database.url("superuser")) as c,
            pytest.raises(psycopg.Error, match="append-only"),
        ):
            c.execute(statement)


def test_it_does_not_let_a_scope_be_opened_inside_another():
    user = User.objects.create(username="anna")
    with user_scope(user.id), pytest.raises(RuntimeError, match="cannot open"), operator_scope():
        pass
    assert connection.caesar_scope is None


def test_no_table_of_a_persons_rows_is_without_the_wall(database):
    with psycopg.connect(database.url("superuser")) as c:
        rows = c.execute(
            "SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity AND EXISTS ("
            " SELECT FROM pg_policies p WHERE p.tablename = c.relname AND p.policyname = 'own')"
            " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'profile_id'"
            " WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace"
        ).fetchall()
    assert len(rows) >= 15
    assert [name for name, walled in rows if not walled] == []


def test_it_lets_who_looks_for_work_see_no_text():
    for column in ("raw_reply", "error", "detail"):
        with pytest.raises(DatabaseError, match="permission denied"), claim_scope(), connection.cursor() as cursor:
            cursor.execute(f"SELECT {column} FROM work_items")
    with pytest.raises(DatabaseError, match="permission denied"), claim_scope(), connection.cursor() as cursor:
        cursor.execute("SELECT payload FROM audit_log")


def test_it_keeps_accounts_and_sessions_out_of_a_persons_scope():
    user = User.objects.create(username="anna")
    for table in ("auth_user", "django_session"):
        with (
            pytest.raises(DatabaseError, match="permission denied"),
            user_scope(user.id),
            connection.cursor() as cursor,
        ):
            cursor.execute(f"SELECT * FROM {table}")


def test_it_lets_nobody_change_the_log_even_the_operator():
    for statement in ("UPDATE audit_log SET actor = 'x'", "DELETE FROM audit_log"):
        with pytest.raises(DatabaseError, match="permission denied"), operator_scope(), connection.cursor() as cursor:
            cursor.execute(statement)


def test_it_lets_no_login_hold_a_transaction_open_for_ever(database):
    with psycopg.connect(database.url("superuser")) as c:
        rows = c.execute(
            "SELECT rolname FROM pg_roles r LEFT JOIN pg_db_role_setting s ON s.setrole = r.oid AND s.setdatabase = 0"
            " WHERE rolcanlogin AND NOT coalesce(array_to_string(setconfig, ',') LIKE '%transaction_timeout=%', false)"
        ).fetchall()
    assert rows == []
