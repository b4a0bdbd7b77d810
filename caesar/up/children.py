"""Which children there are, and how each is run."""

from __future__ import annotations

import http.client
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from signal import SIGTERM

from caesar.config import ROOT, Config
from caesar.embedded import postgres as pg
from caesar.embedded.postgres import Postgres
from caesar.embedded.valkey import Valkey
from caesar.up.child import Spec

QUEUES = "extract,summarise,embed,maintenance"
# The largest request line and headers that the web server takes together.
HEADER_BYTES = 65_536
# Whoever asks whether it is ready yet makes it say that it is not.
POSTGRES_SHOWN = re.compile(
    r"\b(WARNING|FATAL|PANIC):  (?!the database system is (starting up|shutting down|not yet|in recovery))"
)
# '#' marks what matters; its advice about the machine's memory settings does not, to a user.
VALKEY_SHOWN = re.compile(r" # (?!WARNING|User requested|Valkey is now ready|Redis is now ready)")
ENVIRONMENT: Mapping[str, str] = {
    "PYTHONUNBUFFERED": "1",
    # Threads of a model that wait by spinning would take the processor from everybody else.
    "OMP_WAIT_POLICY": "passive",
    # Else each thread may keep memory of its own that it no longer uses.
    "MALLOC_ARENA_MAX": "2",
    # Else litellm fetches a price list when it is imported.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}


def postgres(server: Postgres) -> Spec:
    return Spec(
        "postgres",
        server.command(),
        stop_signal=pg.STOP_SIGNAL,
        death_signal=pg.STOP_SIGNAL,
        grace=30.0,
        ready=server.ready,
        before=server.prepare,
        shown=lambda line: bool(POSTGRES_SHOWN.search(line)),
    )


def valkey(server: Valkey) -> Spec:
    return Spec(
        "valkey",
        server.command(),
        death_signal=SIGTERM,
        ready=server.ready,
        before=server.prepare,
        mend=server.mend,
        shown=lambda line: bool(VALKEY_SHOWN.search(line)),
    )


def migrate(config: Config) -> Spec:
    command = _python(str(ROOT / "manage.py"), "migrate", "--no-input")
    return Spec("migrate", command, env=_environment(config), grace=30.0, shown=lambda _: False)


def web(config: Config) -> Spec:
    command = [
        *("-m", "uvicorn", "caesar.asgi:application"),
        *("--host", config.host, "--port", str(config.port)),
        *("--http", "caesar.protocol:Protocol", "--h11-max-incomplete-event-size", str(HEADER_BYTES)),
        *("--loop", "uvloop", "--lifespan", "auto", "--ws", "none"),
        *("--proxy-headers", "--forwarded-allow-ips", config.trusted_proxies),
        *("--no-access-log", "--no-server-header", "--log-level", "warning"),
        *("--timeout-graceful-shutdown", "8"),
    ]
    return Spec(
        "web",
        _python(*command),
        env=_environment(config, CAESAR_PROCESS="web"),
        ready=answers(reachable(config.host), config.port, "/healthz"),
    )


def worker(config: Config) -> Spec:
    command = [
        *("-m", "celery", "--quiet", "-A", "caesar", "worker", "--hostname", "up@%h"),
        *("--pool", "threads", "--concurrency", str(config.worker_concurrency), "--queues", QUEUES),
        *("--without-gossip", "--without-mingle", "--loglevel", "WARNING"),
    ]
    # As root Celery warns of pickled messages; ours takes JSON alone.
    quiet = {"PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges"}
    return Spec("worker", _python(*command), env=_environment(config, CAESAR_PROCESS="worker", **quiet))


def beat(config: Config) -> Spec:
    command = ["-m", "celery", "--quiet", "-A", "caesar", "beat", "--loglevel", "WARNING", "--pidfile="]
    return Spec("beat", _python(*command), env=_environment(config, CAESAR_PROCESS="beat"))


def llama(config: Config, model: Path) -> Spec:
    """The in-box model server. Nobody waits for it to load: until then it counts as a model that is down."""
    port = config.llm.builtin.port
    command = ["-m", "memory.builtin.server", "--model", str(model), "--port", str(port)]
    return Spec("llama", _python(*command), env=_environment(config))


def _python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


def _environment(config: Config, **more: str) -> dict[str, str]:
    return {**ENVIRONMENT, "PYTHONPATH": str(ROOT), "CAESAR_HOME": str(config.home), **more}


def reachable(host: str) -> str:
    """An address at which a server that listens on `host` answers on this machine."""
    return {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)


def answers(host: str, port: int, path: str) -> Callable[[], bool]:
    """Whether an HTTP server there says anything but that it is broken."""

    def ask() -> bool:
        connection = http.client.HTTPConnection(host, port, timeout=2)
        try:
            connection.request("GET", path)
            return connection.getresponse().status < 500
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    return ask
