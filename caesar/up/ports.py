"""Is a port free, and if not, what to do."""

from __future__ import annotations

import errno
import socket

import psutil

from caesar.embedded.errors import CannotStart

# The setting that chooses each port.
HOST_SETTING, PORT_SETTING = "CAESAR_HOST", "CAESAR_PORT"


def check_free(host: str, port: int, setting: str = PORT_SETTING) -> None:
    """Raises CannotStart where nothing can listen on `host`:`port`."""
    error = _try(host, port)
    if error is None:
        return
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        raise CannotStart(f"{HOST_SETTING}={host} is no address of this machine: use 127.0.0.1, or 0.0.0.0 for all.")
    if error.errno == errno.EACCES:
        raise CannotStart(f"Port {port} needs more rights than this user has: choose one above 1023 with {setting}.")
    if error.errno == errno.EADDRINUSE:
        free = _next_free(host, port)
        advice = f"start with {setting}={free}" if free else f"choose another one with {setting}"
        raise CannotStart(f"Port {port} on {host} is taken{_by_whom(port)}: stop that program, or {advice}.")
    raise CannotStart(f"Nothing can listen on {host}:{port} ({error.strerror}): see {HOST_SETTING} and {setting}.")


def _try(host: str, port: int) -> OSError | None:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            # As the server does: a connection of before that still winds down is in nobody's way.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except OSError as error:
        return error
    return None


def _next_free(host: str, port: int) -> int | None:
    return next((p for p in range(port + 1, min(port + 50, 65_536)) if _try(host, p) is None), None)


def _by_whom(port: int) -> str:
    """' by NAME (pid N)' where this user may see it."""
    try:
        for connection in psutil.net_connections("tcp"):
            here = connection.laddr and connection.laddr.port == port
            if here and connection.status == psutil.CONN_LISTEN and connection.pid:
                return f" by {psutil.Process(connection.pid).name()} (pid {connection.pid})"
    except psutil.Error:
        return ""
    return ""
