"""Web and database on one host, workers on others, with TLS between them and a login that may do no more than work."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from caesar.config import ROOT
from caesar.embedded import home
from memory import identities
from memory.llm.embedding import Identity
from tests import server
from tests.chaos import wires
from tests.chaos.network import Host, Network, network
from tests.chaos.site import ready, settings
from tests.chaos.state import State
from tests.chaos.telling import Told, reading
from tests.environment import HOME
from tests.people import person
from tests.processes import Process, beat, eventually
from tests.scripted_model import ScriptedModel, Text

pytestmark = pytest.mark.timeout(300)
GUIDE = ROOT / "docs" / "how-to" / "gpu-worker.md"
PASSWORD = "made-for-one-test-0123456789"


@dataclass(frozen=True)
class Installation:
    """What the hosts share, and the three settings with which another one joins."""

    network: Network
    model: ScriptedModel
    state: State
    joins: dict[str, str]
    here: dict[str, str]

    @contextmanager
    def worker(self, host: Host, queues: str, folder: Path) -> Iterator[Process]:
        """A worker on that host, which knows nothing but its settings."""
        command = [*host.prefix, sys.executable, "-m", "celery", "-A", "caesar", "worker", "-P", "threads", "-c", "4"]
        command += ["-Q", queues, "-n", f"{host.name}@%h", "-l", "INFO", "--without-gossip", "--without-mingle"]
        env = self.joins | {"CAESAR_HOME": str(folder / host.name), "CAESAR_LOG_LEVEL": "INFO"}
        process = Process(host.name, command, env)
        try:
            process.wait_for("worker_ready", 60)
            yield process
        finally:
            process.stop()


@pytest.fixture
def installation(database: Any, tmp_path: Path) -> Iterator[Installation]:
    state = State(database.url("superuser"))
    with network() as lan, ready(ScriptedModel()) as model, worker_login(state) as login:
        tls = wires.certificate(tmp_path, lan.address)
        socket = home.sockets(database.home) / ".s.PGSQL.5432"
        port = urlsplit(model.url).port
        assert port is not None
        with (
            wires.relay(lan.address, wires.to_socket(socket), tls) as postgres,
            wires.relay(lan.address, wires.to_port(port)) as reached,
            wires.redis(tmp_path, lan.address, tls, _block("acl").replace("<password>", PASSWORD)) as redis,
        ):
            trusted = f"sslmode=verify-full&sslnegotiation=direct&sslrootcert={tls.certificate}"
            broker = f"rediss://caesar:{PASSWORD}@{redis}/0?ssl_cert_reqs=required&ssl_ca_certs={tls.certificate}"
            model_settings = settings(model) | {"CAESAR_LLM__OPENAI__BASE_URL": f"http://{lan.address}:{reached}/v1"}
            joins = model_settings | {
                "CAESAR_DATABASE_URL": f"postgresql://{login}:{PASSWORD}@{lan.address}:{postgres}/caesar?{trusted}",
                "CAESAR_BROKER_URL": broker,
            }
            yield Installation(lan, model, state, joins, settings(model) | {"CAESAR_BROKER_URL": broker})


def _block(language: str) -> str:
    """What the guide gives for copying."""
    found = re.search(rf"```{language}\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert found, f"{GUIDE} has no block of {language}"
    return found[1]


@contextmanager
def worker_login(state: State) -> Iterator[str]:
    """Made as the guide says."""
    state.run(_block("sql").replace("<password>", PASSWORD))
    try:
        yield "gpu_box"
    finally:
        state.run("DROP OWNED BY gpu_box")
        state.run("DROP ROLE gpu_box")


@pytest.mark.long
def test_each_host_does_what_it_is_given(installation: Installation, facts: Iterator[Told], tmp_path: Path) -> None:
    """One embeds, another reads; who is cut off loses nothing and comes back by itself."""
    lan, state = installation.network, installation.state
    identities.ensure(Identity("openai", "scripted-embedder", 8))
    anna, heard = person("anna"), []
    with (
        server.running(installation.here) as web,
        beat(installation.here),
        installation.worker(lan.host("a"), "embed", tmp_path) as embeds,
        installation.worker(lan.host("b"), "extract,summarise,maintenance", tmp_path) as reads,
        httpx.Client(base_url=web.url, headers=anna.auth, timeout=30) as client,
    ):

        def tell() -> Told:
            heard.append(next(facts))
            body = {"messages": [{"role": "user", "content": heard[-1].sentence}]}
            assert client.post("/v1/chat", json=body).status_code == 200
            return heard[-1]

        def said() -> str:
            return f"{reads.said()[-3000:]} {embeds.said()[-3000:]}"

        tell()
        eventually(
            lambda: state.settled(vectors=True) and state.wrongs(heard, vectors=True) == [], seconds=90, what=said
        )
        assert " embedded " in embeds.said()
        assert " embedded " not in reads.said()
        assert "outcome='learned" in reads.said()
        assert "outcome='learned" not in embeds.said()
        told = dict(state.rows("SELECT name, array_to_string(queues, ',') FROM workers"))
        assert sorted(told.values()) == ["embed", "extract,maintenance,summarise"]
        _cut_off_and_healed(installation, reads, tell, tmp_path)
        eventually(
            lambda: state.settled(vectors=True) and state.wrongs(heard, vectors=True) == [], seconds=90, what=said
        )


def _cut_off_and_healed(installation: Installation, reads: Process, tell: Any, tmp_path: Path) -> None:
    """The reading host is cut off while its model answers, and a third takes over; then the first is alone again."""
    model, state, lan = installation.model, installation.state, installation.network
    host = lan.hosts[1]
    model.extraction([lambda r: Text(reading(r), delay=5), reading])
    asked = len(model.extractions)
    told = tell()
    eventually(lambda: len(model.extractions) > asked, seconds=90, what=reads.said)
    host.cut_off()
    started = time.monotonic()
    with installation.worker(lan.host("c"), "extract,summarise,maintenance", tmp_path) as other:
        eventually(lambda: told.value in state.values(), seconds=90, what=other.said)
    print(f"taken over after {time.monotonic() - started:.1f} s")
    silent = "SELECT 1 FROM workers WHERE name LIKE %s AND seen_at < now() - interval '10 s'"
    eventually(lambda: state.rows(silent, f"{host.name}%"), seconds=40, what="nobody sees that it is silent")
    waiting = tell()
    time.sleep(3)
    assert waiting.value not in state.values()  # nobody else is there to read it
    host.heal(lan)
    healed = time.monotonic()
    eventually(lambda: waiting.value in state.values(), seconds=90, what=reads.said)
    print(f"back at work {time.monotonic() - healed:.1f} s after it was healed")


def test_it_speaks_to_nobody_it_cannot_trust(installation: Installation, tmp_path: Path) -> None:
    """A server with another certificate gets no password."""
    (tmp_path / "other").mkdir()
    other = wires.certificate(tmp_path / "other", installation.network.address)
    url = installation.joins["CAESAR_DATABASE_URL"]
    with psycopg.connect(url, connect_timeout=5) as c:
        assert c.execute("SELECT current_user").fetchone() == ("gpu_box",)
    with pytest.raises(psycopg.OperationalError, match="certificate verify failed"):
        psycopg.connect(re.sub("sslrootcert=.*", f"sslrootcert={other.certificate}", url), connect_timeout=5)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url.replace("sslmode=verify-full&sslnegotiation=direct", "sslmode=disable"), connect_timeout=5)
    assert HOME not in str(installation.joins)
