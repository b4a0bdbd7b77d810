"""A real PostgreSQL from a package: who may enter, what it survives, that it never stays behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from signal import SIGKILL

import psycopg
import pytest

from caesar.embedded import home, leftovers, urls
from caesar.embedded import postgres as embedded
from caesar.embedded.errors import CannotStart
from caesar.embedded.postgres import Postgres

EXTENSIONS = {"vector", "pg_trgm", "unaccent", "btree_gin"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    with embedded.running(tmp_path_factory.mktemp("pg"), fast=True) as postgres:
        yield postgres


def value(url: str, query: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(query).fetchone()
    assert row is not None
    return row[0]


def alive(postgres: Postgres) -> bool:
    return bool(leftovers.living_in(postgres.data, "postgres"))


def test_it_has_the_extensions(server: Postgres) -> None:
    found = value(server.url(), "SELECT array_agg(extname::text) FROM pg_extension")
    assert isinstance(found, list)
    assert set(found) >= EXTENSIONS
    assert value(server.url(), "SELECT '[1,2]'::halfvec <=> '[1,2]'::halfvec") == pytest.approx(0, abs=1e-6)


def test_it_listens_on_a_private_socket_only(server: Postgres) -> None:
    assert value(server.url(), "SHOW listen_addresses") == ""
    assert home.sockets(server.home).stat().st_mode & 0o077 == 0
    assert server.data.stat().st_mode & 0o077 == 0


def test_it_asks_for_a_password(server: Postgres) -> None:
    for login in urls.LOGINS.values():
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(host=str(home.sockets(server.home)), user=login, password="guess", dbname="caesar")


def test_it_bounds_every_transaction(server: Postgres) -> None:
    assert value(server.url(), "SHOW transaction_timeout") == "5min"
    assert value(server.url(), "SHOW idle_in_transaction_session_timeout") == "1min"
    assert value(server.url("owner"), "SHOW transaction_timeout") == "1h"
    assert value(server.url("superuser"), "SHOW transaction_timeout") == "1h"


def test_it_gives_the_owner_what_migrations_need_and_no_more(server: Postgres) -> None:
    with psycopg.connect(server.url("owner")) as owner:
        owner.execute("CREATE ROLE group_a NOLOGIN")
        owner.execute("CREATE ROLE group_b NOLOGIN")
        owner.execute("GRANT group_a TO caesar_service")
        owner.execute("GRANT group_b TO caesar_service WITH INHERIT FALSE, SET TRUE")
        owner.execute("CREATE TABLE public.things (id int)")
        owner.execute("GRANT SELECT ON public.things TO group_b")
    with psycopg.connect(server.url()) as service:
        with pytest.raises(psycopg.errors.InsufficientPrivilege), service.transaction():
            service.execute("SELECT * FROM public.things")
        with pytest.raises(psycopg.errors.InsufficientPrivilege), service.transaction():
            service.execute("CREATE TABLE public.mine (id int)")
        service.execute("SET LOCAL ROLE group_b")
        assert service.execute("SELECT * FROM public.things").fetchall() == []
    assert value(server.url("owner"), "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False


def test_it_keeps_other_logins_out_of_the_database(server: Postgres) -> None:
    with psycopg.connect(server.url("owner"), autocommit=True) as owner:
        owner.execute("CREATE ROLE stranger LOGIN PASSWORD 'a password of its own'")
    url = server.url().replace(
        urls.service_url(server.home).split("@")[0], "postgresql://stranger:a%20password%20of%20its%20own"
    )
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(url)


def test_it_changes_nothing_when_bootstrapped_again(server: Postgres) -> None:
    query = "SELECT array_agg(rolname || coalesce(rolpassword, '') ORDER BY rolname) FROM pg_authid"
    before = value(server.url("superuser"), query)
    server.bootstrap()
    assert value(server.url("superuser"), query) == before


def test_it_takes_a_new_password_where_the_file_was_lost(server: Postgres) -> None:
    (server.home / urls.password_file("service")).unlink()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(server.url())
    server.bootstrap()
    assert value(server.url(), "SELECT current_user") == "caesar_service"


def test_it_makes_one_more_database_with_the_extensions(server: Postgres) -> None:
    server.create_database("another")
    assert value(server.url("owner", "another"), "SELECT count(*) FROM pg_extension WHERE extname = 'vector'") == 1


def test_it_refuses_a_second_server_in_one_folder(server: Postgres) -> None:
    with (
        pytest.raises(CannotStart, match=rf"already runs in .*process {os.getpid()}"),
        embedded.running(server.home),
    ):
        pass


def test_it_keeps_what_people_said_out_of_its_log(server: Postgres) -> None:
    with psycopg.connect(server.url("owner")) as owner:
        owner.execute("CREATE TABLE notes (note text PRIMARY KEY)")
        owner.execute("INSERT INTO notes VALUES ('my dog is called Beans')")
    with psycopg.connect(server.url("owner")) as owner, pytest.raises(psycopg.errors.UniqueViolation):
        owner.execute("INSERT INTO notes VALUES ('my dog is called Beans')")
    log = server.log.read_text()
    assert "duplicate key value" in log
    assert "Beans" not in log


def test_it_keeps_data_over_a_stop_and_works_under_a_deep_path(tmp_path: Path) -> None:
    deep = tmp_path / ("folder-" * 10) / "with space, and comma"
    with embedded.running(deep, fast=True) as postgres, psycopg.connect(postgres.url("owner")) as owner:
        owner.execute("CREATE TABLE kept AS SELECT 7 AS n")
    assert not alive(postgres)
    assert not home.sockets(postgres.home).exists()
    with embedded.running(deep, fast=True) as postgres:
        assert value(postgres.url("owner"), "SELECT n FROM kept") == 7


def test_it_starts_after_a_crash_whoever_has_the_number_in_the_pid_file_now(tmp_path: Path) -> None:
    with embedded.running(tmp_path, fast=True) as postgres:
        leftovers.living_in(postgres.data, "postgres")[0].send_signal(SIGKILL)
    pid_file = postgres.data / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    pid_file.write_text("\n".join([str(os.getppid()), *lines[1:]]) + "\n")
    with embedded.running(tmp_path, fast=True) as postgres:
        assert value(postgres.url(), "SELECT 1") == 1


def test_it_ends_with_the_process_that_started_it_even_when_that_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys, time; from caesar.embedded import postgres\n"
        "with postgres.running(sys.argv[1], fast=True) as pg: print('up', flush=True); time.sleep(60)"
    )
    starter = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert starter.stdout is not None
    assert starter.stdout.readline() == "up\n"
    postgres = Postgres(tmp_path)
    assert alive(postgres)
    starter.kill()
    starter.wait()
    starter.stdout.close()
    deadline = time.monotonic() + 15
    while alive(postgres) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(postgres)


def test_it_ends_a_server_that_was_left_behind_and_starts_its_own(tmp_path: Path) -> None:
    with embedded.running(tmp_path, fast=True) as postgres:
        pass
    orphan = subprocess.Popen(postgres.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 15
        while not postgres.ready() and time.monotonic() < deadline:
            time.sleep(0.05)
        with embedded.running(tmp_path, fast=True) as postgres:
            assert value(postgres.url(), "SELECT 1") == 1
            assert orphan.wait(5) is not None
    finally:
        orphan.kill()
        orphan.wait()


def test_it_says_what_to_do_with_the_data_of_another_version(tmp_path: Path) -> None:
    postgres = Postgres(tmp_path)
    home.folder(postgres.data)
    (postgres.data / "PG_VERSION").write_text("17\n")
    with pytest.raises(CannotStart, match=r"written by PostgreSQL 17 .* export"):
        postgres.prepare()


def test_it_says_so_when_the_superusers_password_was_lost(tmp_path: Path) -> None:
    with embedded.running(tmp_path, fast=True):
        pass
    (tmp_path / urls.password_file("superuser")).unlink()
    with (
        pytest.raises(CannotStart, match=r"superuser\.password does not hold the password"),
        embedded.running(tmp_path),
    ):
        pass
