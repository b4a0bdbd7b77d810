"""The demo on a machine without a network: `python -m tests.caesar.offline HOME`, inside a network namespace."""

from __future__ import annotations

import errno
import fcntl
import socket
import struct
import sys
from pathlib import Path

from tests.caesar.test_up import READY, demo, running
from tests.processes import free_port

GET_FLAGS, SET_FLAGS, UP = 0x8913, 0x8914, 0x1


def loopback_up() -> None:
    """A new namespace has a loopback device that is down, and no other."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        name, flags, _ = struct.unpack("16sh14s", fcntl.ioctl(any_socket, GET_FLAGS, struct.pack("16sh14x", b"lo", 0)))
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh14x", name, flags | UP))
    assert socket.if_nameindex() == [(1, "lo")]


def nobody_is_there() -> bool:
    with socket.socket() as outwards:
        return outwards.connect_ex(("1.1.1.1", 443)) == errno.ENETUNREACH


if __name__ == "__main__":
    loopback_up()
    assert nobody_is_there()
    with running(Path(sys.argv[1]), free_port()) as up:
        up.until(READY)
        story = demo(up)
    sys.stdout.write(story.stdout + story.stderr)
    sys.exit(story.returncode)
