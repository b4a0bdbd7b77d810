"""A real Valkey from a package, as Celery reaches it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from signal import SIGKILL

import pytest
from kombu.connection import Connection

from caesar.embedded import home, leftovers
from caesar.embedded import valkey as embedded
from caesar.embedded.errors import CannotStart


def test_it_serves_celery_on_a_private_socket_only(tmp_path: Path) -> None:
    with embedded.running(tmp_path) as valkey:
        assert home.sockets(tmp_path).stat().st_mode & 0o077 == 0
        assert valkey.socket.stat().st_mode & 0o077 == 0
        with valkey.client() as client:
            assert client.config_get("port") == {"port": "0"}
            assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
        with Connection(valkey.url()) as connection:
            queue = connection.SimpleQueue("extract")
            queue.put({"wake": "up"})
            message = queue.get(timeout=5)
            assert message.payload == {"wake": "up"}
            message.ack()
            queue.close()
    assert not leftovers.living_in(valkey.directory, "valkey-server")


def test_it_keeps_messages_over_a_kill(tmp_path: Path) -> None:
    with embedded.running(tmp_path) as valkey, valkey.client() as client:
        client.config_set("appendfsync", "always")
        client.rpush("queue", "message")
        leftovers.living_in(valkey.directory, "valkey-server")[0].send_signal(SIGKILL)
    with embedded.running(tmp_path) as valkey, valkey.client() as client:
        assert client.lrange("queue", 0, -1) == [b"message"]


def test_it_works_under_a_deep_path_with_spaces(tmp_path: Path) -> None:
    deep = tmp_path / ("folder-" * 10) / "with space, and comma"
    with embedded.running(deep) as valkey:
        assert valkey.ready()
        assert list(valkey.directory.glob("appendonlydir/*.aof"))


def test_it_ends_a_server_that_was_left_behind(tmp_path: Path) -> None:
    with embedded.running(tmp_path) as valkey:
        pass
    orphan = subprocess.Popen(valkey.command(), stdout=subprocess.DEVNULL)
    try:
        while not valkey.ready():
            assert orphan.poll() is None
        with embedded.running(tmp_path) as valkey:
            assert orphan.wait(5) == 0
            assert valkey.ready()
    finally:
        orphan.kill()
        orphan.wait()


def test_it_refuses_a_second_server_in_one_folder(tmp_path: Path) -> None:
    with (
        embedded.running(tmp_path),
        pytest.raises(CannotStart, match="A Valkey already runs in"),
        embedded.running(tmp_path),
    ):
        pass


def test_it_starts_with_an_empty_queue_where_its_file_is_beyond_repair(tmp_path: Path) -> None:
    with embedded.running(tmp_path) as valkey, valkey.client() as client:
        client.rpush("queue", "message")
    for file in (tmp_path / "valkey/appendonlydir").glob("*.aof"):
        file.write_bytes(b"*3\r\nrubbish\r\n" * 100)
    with embedded.running(tmp_path) as valkey, valkey.client() as client:
        assert client.llen("queue") == 0
    assert list(tmp_path.glob("valkey/appendonlydir.broken*"))
