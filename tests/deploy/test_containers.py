"""What the containers run, run as plain processes: with the image's files, exactly their environment, and no more."""

from __future__ import annotations

import os
import runpy
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from signal import SIGTERM
from typing import Any

import httpx
import psycopg
import pytest

from caesar.config import ROOT
from caesar.embedded import bootstrap, home
from caesar.embedded import postgres as pg
from caesar.embedded.postgres import Postgres
from caesar.embedded.server import Server, serving
from caesar.embedded.valkey import program
from tests.deploy import reading
from tests.processes import eventually, free_port

pytestmark = pytest.mark.timeout(300)
# What somebody may set in .env: here, not to wait a minute for a reading, and the embedder that loads quickly.
ENV_FILE = {"CAESAR_MEMORY__FACTS_EXTRACT__INTERVAL_SECONDS": "1", "CAESAR_SEMANTIC__PROVIDER": "onnx"}


class Host:
    """One machine with the compose file's volumes, secrets, database and broker."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.secrets = folder / "secrets"
        self.state = folder / "state"
        self.app = folder / "app"
        self.port = free_port()
        self.broker_port = free_port()
        self.postgres = Postgres(folder / "db", fast=True)
        self.state.mkdir(mode=0o700)
        runpy.run_path(str(ROOT / "deploy" / "init.py"))["make_secrets"](self.secrets)
        self._lay_out()
        host = home.sockets(self.postgres.home)
        for name, old, new in (
            ("database-url", "@db:5432/caesar", f"@/caesar?host={host}"),
            ("database-owner-url", "@db:5432/caesar", f"@/caesar?host={host}"),
            ("database-worker-url", "@db:5432/caesar", f"@/caesar?host={host}"),
            ("broker-url", "@redis:6379", f"@127.0.0.1:{self.broker_port}"),
        ):
            path = self.secrets / name
            text = path.read_text()
            assert old in text
            path.chmod(0o600)
            path.write_text(text.replace(old, new))

    def _lay_out(self) -> None:
        """The image's files, as the Dockerfile copies them, and its `python`."""
        self.app.mkdir()
        for name, rest in reading.dockerfile():
            if name == "COPY" and "--from" not in rest and "requirements" not in rest:
                *sources, target = rest.split()
                for source in sources:
                    to = self.app / target / source if target == "./" else self.app / target
                    if (ROOT / source).is_dir():
                        shutil.copytree(ROOT / source, to, ignore=shutil.ignore_patterns("__pycache__"))
                    else:
                        to.parent.mkdir(parents=True, exist_ok=True)
                        shutil.copy(ROOT / source, to)
        (self.folder / "bin").mkdir()
        # Not a link: it would look for its packages beside itself.
        python = self.folder / "bin" / "python"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        python.chmod(0o755)

    def here(self, text: str) -> str:
        """Where a path or port of the container is on this machine."""
        whole = {"8000": str(self.port), "/data": str(self.folder)}
        if text in whole:
            return whole[text]
        places = {"/run/secrets": str(self.secrets), "/var/lib/caesar": str(self.state), ":8000/": f":{self.port}/"}
        for old, new in places.items():
            text = text.replace(old, new)
        return text

    def environment(self, name: str) -> dict[str, str]:
        service = reading.ours()[name]
        given = reading.image_environment() | ENV_FILE | service["environment"]
        found = {key: self.here(str(value)) for key, value in given.items()}
        found |= {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin"}
        # The container's user is not root; whoever runs the tests may be, of which Celery warns.
        return found | ({"PYTHONWARNINGS": "ignore:You're running the worker"} if os.geteuid() == 0 else {})

    def command(self, name: str, what: list[str] | None = None) -> list[str]:
        words = what or reading.ours()[name]["command"]
        if words[0] in ("CMD", "CMD-SHELL"):
            words = words[1:] if words[0] == "CMD" else ["sh", "-c", words[1]]
        return [self.here(str(word)) for word in words]

    def run(self, name: str, what: list[str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(name, what),
            cwd=self.app,
            env=self.environment(name),
            capture_output=True,
            text=True,
            timeout=120,
        )

    def health(self, name: str) -> subprocess.CompletedProcess[str]:
        return self.run(name, reading.ours()[name]["healthcheck"]["test"])

    @contextmanager
    def running(self, name: str) -> Iterator[Path]:
        log = self.folder / f"{name}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                self.command(name), cwd=self.app, env=self.environment(name), stdout=out, stderr=out
            )
            try:
                yield log
                assert process.poll() is None, log.read_text()[-3000:]
            finally:
                process.send_signal(SIGTERM)
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def broker(self) -> Server:
        service = reading.compose()["services"]["redis"]
        command = [str(program()), *map(self.here, service["command"][1:])]
        # Only where it listens is ours to say: the container has an address of its own.
        command += ["--port", str(self.broker_port), "--bind", "127.0.0.1"]
        return Server("broker", command, self._broker_answers, self.folder / "broker.log", SIGTERM)

    def _broker_answers(self) -> bool:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", self.broker_port)):
                return False
            probe.sendall(b"PING\r\n")
            return probe.recv(100).startswith(b"-NOAUTH")  # as the health check wants it

    def init_database(self) -> None:
        given = psycopg.conninfo.conninfo_to_dict(self.postgres.url("superuser", "postgres"))
        env = {
            "PATH": f"{pg.programs()}:/usr/bin:/bin",
            "PGHOST": str(given["host"]),
            "PGPASSWORD": str(given["password"]),
            "SECRETS": str(self.secrets),
        }
        script = ROOT / "deploy" / "postgres" / "10-caesar.sh"
        done = subprocess.run([script], env=env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def host(tmp_path_factory: Any) -> Iterator[Host]:
    made = Host(tmp_path_factory.mktemp("host"))
    made.postgres.prepare()
    with ExitStack() as stack:
        stack.enter_context(serving(made.postgres.server()))
        made.init_database()
        stack.enter_context(serving(made.broker()))
        migrated = made.run("migrate")
        assert migrated.returncode == 0, migrated.stderr[-3000:]
        assert "/login/?token=" in migrated.stdout
        yield made


def test_the_database_is_made_as_up_makes_it(host: Host) -> None:
    url = host.postgres.url("superuser")
    with psycopg.connect(url) as link:
        rows = link.execute(
            "SELECT rolname, coalesce(setconfig, '{}') FROM pg_roles r"
            " LEFT JOIN pg_db_role_setting s ON s.setrole = r.oid AND s.setdatabase = 0 WHERE rolcanlogin"
        ).fetchall()
        settings = {name: dict(each.split("=", 1) for each in found) for name, found in rows}
        extensions = {name for (name,) in link.execute("SELECT extname FROM pg_extension")}
        public = link.execute("SELECT has_database_privilege('public', 'caesar', 'CONNECT')").fetchone()
    assert settings["caesar_service"] == bootstrap.ROLE_SETTINGS["service"]
    assert settings["caesar_owner"] == bootstrap.ROLE_SETTINGS["owner"]
    assert settings["postgres"] == bootstrap.ROLE_SETTINGS["superuser"]
    assert settings["caesar_host"] == bootstrap.ROLE_SETTINGS["service"]
    assert set(bootstrap.EXTENSIONS) <= extensions
    assert public == (False,)


def test_migrating_again_changes_nothing_and_the_key_is_the_one_of_the_file(host: Host) -> None:
    assert host.run("migrate").returncode == 0
    assert (host.state / "api-key").read_text() == (host.secrets / "api-key").read_text()


def test_the_whole_stack_learns_what_it_is_told(host: Host) -> None:
    key = (host.secrets / "api-key").read_text().strip()
    auth = {"Authorization": f"Bearer {key}"}
    url = f"http://127.0.0.1:{host.port}"
    assert host.health("web").returncode != 0
    with host.running("web") as web, host.running("worker") as worker, host.running("beat"):
        eventually(lambda: host.health("web").returncode == 0, seconds=60, what=web.read_text)
        body = {"messages": [{"role": "user", "content": "My dog is called Beans."}]}
        told = httpx.post(f"{url}/v1/chat", json=body, headers=auth, timeout=30)
        assert told.status_code == 200, told.text

        def known() -> bool:
            found = httpx.get(f"{url}/v1/facts", headers=auth, timeout=30).json()["results"]
            return [fact["value"] for fact in found] == ["Beans"]

        eventually(known, seconds=60, what=lambda: web.read_text()[-2000:] + worker.read_text()[-3000:])
        pinged = host.health("worker")
        assert pinged.returncode == 0, pinged.stderr
        ready = httpx.get(f"{url}/readyz", timeout=30)
        assert ready.status_code == 200, ready.text
        token = (host.secrets / "metrics-token").read_text().strip()
        asked = {"Host": "web:8000", "Authorization": f"Bearer {token}"}  # as Prometheus asks
        assert "caesar_work_items" in httpx.get(f"{url}/metrics", headers=asked, timeout=30).text
    for log in (web, worker):
        lines = [line for line in log.read_text().splitlines() if line.strip() and "Warm shutdown" not in line]
        assert "Traceback" not in log.read_text()
        assert "Beans" not in log.read_text()
        assert all(line.startswith("{") for line in lines), lines


def test_nothing_is_written_beside_the_volumes(host: Host) -> None:
    """The root of a container is read-only: beside its volumes there is /tmp alone."""
    new = [path for path in host.app.rglob("*") if "__pycache__" not in path.parts and path.is_file()]
    assert {path.relative_to(host.app) for path in new} <= {
        path.relative_to(ROOT) for path in ROOT.rglob("*") if ".venv" not in path.parts and path.is_file()
    }


def test_the_brokers_user_may_do_what_is_needed_and_no_more(host: Host) -> None:
    import redis

    url = (host.secrets / "broker-url").read_text().strip()
    with redis.Redis.from_url(url) as link:
        assert link.ping()
        for command in (("CONFIG", "GET", "*"), ("FLUSHALL",), ("SHUTDOWN",), ("ACL", "LIST")):
            with pytest.raises(redis.exceptions.NoPermissionError):
                link.execute_command(*command)
    with redis.Redis(port=host.broker_port) as nobody, pytest.raises(redis.exceptions.AuthenticationError):
        nobody.ping()


def test_a_worker_sees_no_account(host: Host) -> None:
    url = (host.secrets / "database-worker-url").read_text().strip()
    with psycopg.connect(url) as link, pytest.raises(psycopg.errors.InsufficientPrivilege):
        link.execute("SELECT * FROM auth_user")
