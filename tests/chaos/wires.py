"""What other hosts reach of this one: the database and the broker by TLS, the model."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.processes import eventually

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True)
class Certificate:
    """A key and a certificate for one address, which is its own authority."""

    key: Path
    certificate: Path


def certificate(folder: Path, address: str) -> Certificate:
    made = Certificate(folder / "key.pem", folder / "certificate.pem")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=caesar-test", "-addext", f"subjectAltName=IP:{address}"]
    subprocess.run([*command, "-keyout", made.key, "-out", made.certificate], check=True, capture_output=True)
    return made


@contextmanager
def relay(address: str, connect: Callable[[], Any], tls: Certificate | None = None) -> Iterator[int]:
    """Passes bytes on from a port of this address to where `connect` leads; gives the port.

    tls: ends TLS here, as PostgreSQL does where a client begins with it at once (sslnegotiation=direct).
    """
    context = None
    if tls is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls.certificate, tls.key)
        context.set_alpn_protocols(["postgresql"])
    loop = asyncio.new_event_loop()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            inner, outer = await connect()
            await asyncio.gather(_copy(reader, outer), _copy(inner, writer))
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            tasks.discard(task)
            writer.close()

    server = loop.run_until_complete(asyncio.start_server(serve, address, 0, ssl=context))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:

        async def end() -> None:
            server.close()
            for task in list(tasks):
                task.cancel()
            await asyncio.sleep(0.1)

        asyncio.run_coroutine_threadsafe(end(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
    finally:
        writer.close()


def to_socket(path: Path) -> Callable[[], Any]:
    return lambda: asyncio.open_unix_connection(path)


def to_port(port: int) -> Callable[[], Any]:
    return lambda: asyncio.open_connection("127.0.0.1", port)


@contextmanager
def redis(folder: Path, address: str, tls: Certificate, acl: str) -> Iterator[str]:
    """Debian's Redis, with TLS alone and this user list; gives the address and port."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("NOT TESTED: Redis with TLS and a user list. Install redis-server (Debian's package).")
    (folder / "users.acl").write_text(acl)
    with socket.socket() as probe:
        probe.bind((address, 0))
        port = probe.getsockname()[1]
    settings = {
        "port": "0",
        "tls-port": str(port),
        "bind": address,
        "tls-cert-file": str(tls.certificate),
        "tls-key-file": str(tls.key),
        "tls-ca-cert-file": str(tls.certificate),
        "tls-auth-clients": "no",
        "aclfile": str(folder / "users.acl"),
        "dir": str(folder),
        "save": "",
        "logfile": str(folder / "redis.log"),
    }
    command = [program, *(part for name, value in settings.items() for part in (f"--{name}", value))]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT) as process:
        try:
            eventually(lambda: _answers(address, port), what=lambda: (folder / "redis.log").read_text())
            yield f"{address}:{port}"
        finally:
            process.terminate()


def _answers(address: str, port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((address, port), 1):
        return True
    return False
