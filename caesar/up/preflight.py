"""What is looked at before anything is started. Each finding is one sentence that says what to do."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import psycopg
import redis

from caesar.config import Config
from caesar.embedded import home, postgres
from caesar.embedded.errors import CannotStart
from caesar.up import ports

# A new database takes about 60 MB and its write-ahead log up to 512 MB more while it is busy.
FIRST_START_BYTES, LATER_BYTES = 300_000_000, 100_000_000
OLDEST_POSTGRES = 18


def check_home(path: Path) -> None:
    """The home exists, is ours, and can be written to."""
    home.folder(path)
    owner = path.stat().st_uid
    if owner != os.geteuid():
        raise CannotStart(
            f"{path} belongs to another user (uid {owner}): start as that user, or set CAESAR_HOME to another folder."
        )
    probe = path / f".probe.{os.getpid()}"
    home.write_private(probe, "x")
    probe.unlink()


def check_disk(path: Path) -> None:
    needed = LATER_BYTES if (path / "postgres" / "data").exists() else FIRST_START_BYTES
    free = shutil.disk_usage(path).free
    if free < needed:
        raise CannotStart(
            f"The disk that holds {path} has {free / 1e6:.0f} MB left and {needed / 1e6:.0f} MB are needed: "
            "free some space, or set CAESAR_HOME to a folder on another disk."
        )


def check(config: Config) -> None:
    """All that can be known before the first child is started. The home is checked and locked already."""
    embedded_database = not config.database_url.get_secret_value()
    if embedded_database:
        check_disk(config.home)
        postgres.check_user()
    ports.check_free(config.host, config.port)
    model = config.llm.builtin.model_path
    if model is not None:
        if not model.is_file():
            raise CannotStart(f"CAESAR_LLM__BUILTIN__MODEL_PATH: there is no file {model}.")
        if importlib.util.find_spec("xllamacpp") is None:
            raise CannotStart("CAESAR_LLM__BUILTIN__MODEL_PATH needs one more package: `make llama` installs it.")
        ports.check_free("127.0.0.1", config.llm.builtin.port, "CAESAR_LLM__BUILTIN__PORT")
    if not embedded_database:
        check_database(config.database_url.get_secret_value())
    if config.broker_url.get_secret_value():
        check_broker(config.broker_url.get_secret_value())


def check_database(url: str) -> None:
    """A database of the operator's own answers, is new enough and has pgvector."""
    try:
        with psycopg.connect(url, connect_timeout=5) as connection:
            version = connection.info.server_version // 10_000
            vector = connection.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'").fetchone()
    except psycopg.Error as error:
        raise CannotStart(f"CAESAR_DATABASE_URL: the database cannot be used ({_one_line(error)}).") from error
    if version < OLDEST_POSTGRES:
        raise CannotStart(f"CAESAR_DATABASE_URL: that is PostgreSQL {version}, and {OLDEST_POSTGRES} is needed.")
    if vector is None:
        raise CannotStart("CAESAR_DATABASE_URL: that PostgreSQL has no pgvector: install it on that server.")


def check_broker(url: str) -> None:
    """A broker of the operator's own answers. Other transports than Redis are Celery's to judge."""
    plain = url.replace("redis+socket://", "unix://", 1)
    if not plain.startswith(("redis://", "rediss://", "unix://")):
        return
    try:
        with redis.Redis.from_url(plain.split("?", 1)[0], socket_timeout=5, socket_connect_timeout=5) as client:
            client.ping()
    except (redis.RedisError, OSError, ValueError) as error:
        raise CannotStart(f"CAESAR_BROKER_URL: the broker does not answer ({_one_line(error)}).") from error


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
