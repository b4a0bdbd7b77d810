"""What only the superuser can do, once: logins, the database, extensions. Each start checks it quickly.

Group roles and all grants on tables belong to the migrations, which `caesar_owner` runs: being CREATEROLE it
has the admin option on every role that it makes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

from caesar.embedded import urls

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

EXTENSIONS = ("vector", "pg_trgm", "unaccent", "btree_gin")

# Every login has a transaction_timeout: one transaction left open anywhere in the cluster holds back the
# horizon up to which the audit log may be read.
ROLE_SETTINGS: Mapping[str, Mapping[str, str]] = {
    "service": {
        "transaction_timeout": "5min",
        "idle_in_transaction_session_timeout": "60s",
        "lock_timeout": "30s",
        "statement_timeout": "2min",
    },
    "owner": {
        "transaction_timeout": "1h",
        "idle_in_transaction_session_timeout": "5min",
        "lock_timeout": "2min",
    },
    "superuser": {"transaction_timeout": "1h", "idle_in_transaction_session_timeout": "5min"},
}
ATTRIBUTES = {"service": "LOGIN", "owner": "LOGIN CREATEROLE"}


def ensure(postgres: Postgres) -> None:
    """Make what is missing; change nothing that is there."""
    with psycopg.connect(postgres.url("superuser", "postgres"), autocommit=True) as connection:
        for role in ("owner", "service"):
            _ensure_login(postgres, connection, role)
        _ensure_settings(connection)
        # Other logins' sessions are seen with their transaction ids: the lag report names who holds it up.
        connection.execute("GRANT pg_read_all_stats TO caesar_owner, caesar_service")
    ensure_database(postgres, urls.DATABASE)


def ensure_database(postgres: Postgres, name: str) -> None:
    """A database of the owner that only our logins may enter, with the extensions of this package."""
    database = sql.Identifier(name)
    with psycopg.connect(postgres.url("superuser", "postgres"), autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
            connection.execute(sql.SQL("CREATE DATABASE {} OWNER caesar_owner").format(database))
        connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(database))
        connection.execute(sql.SQL("GRANT CONNECT, TEMPORARY ON DATABASE {} TO caesar_service").format(database))
    with psycopg.connect(postgres.url("superuser", name), autocommit=True) as connection:
        rows = connection.execute(
            "SELECT name, installed_version, default_version FROM pg_available_extensions WHERE name = ANY(%s)",
            [list(EXTENSIONS)],
        ).fetchall()
        for extension, installed, brought in rows:
            if installed is None:
                connection.execute(sql.SQL("CREATE EXTENSION {}").format(sql.Identifier(extension)))
            elif installed != brought:
                connection.execute(sql.SQL("ALTER EXTENSION {} UPDATE").format(sql.Identifier(extension)))


def _ensure_login(postgres: Postgres, connection: psycopg.Connection, role: str) -> None:
    login = urls.LOGINS[role]
    exists = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [login]).fetchone()
    if exists and _enters(postgres, role):
        return
    verb = sql.SQL("ALTER" if exists else "CREATE")
    password = psycopg.conninfo.conninfo_to_dict(postgres.url(role))["password"]
    # Hashed on this side, so that it stands in no log and no activity view.
    hashed = connection.pgconn.encrypt_password(str(password).encode(), login.encode(), b"scram-sha-256").decode()
    connection.execute(
        sql.SQL("{} ROLE {} {} PASSWORD {}").format(
            verb, sql.Identifier(login), sql.SQL(ATTRIBUTES[role]), sql.Literal(hashed)
        )
    )


def _enters(postgres: Postgres, role: str) -> bool:
    """Whether the kept password is the role's (it is not where its file was lost and made anew)."""
    try:
        psycopg.connect(postgres.url(role, "template1"), connect_timeout=5).close()
    except psycopg.OperationalError as error:
        if "password authentication failed" in str(error):
            return False
        raise
    return True


def _ensure_settings(connection: psycopg.Connection) -> None:
    kept = {
        name: dict(setting.split("=", 1) for setting in settings)
        for name, settings in connection.execute(
            "SELECT rolname, setconfig FROM pg_db_role_setting JOIN pg_roles ON pg_roles.oid = setrole "
            "WHERE setdatabase = 0"
        )
    }
    for role, settings in ROLE_SETTINGS.items():
        login = urls.LOGINS[role]
        for name, value in settings.items():
            if kept.get(login, {}).get(name) != value:
                connection.execute(
                    sql.SQL("ALTER ROLE {} SET {} = {}").format(
                        sql.Identifier(login), sql.Identifier(name), sql.Literal(value)
                    )
                )
