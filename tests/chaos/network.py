"""Hosts of one network on this machine: network namespaces behind a bridge. This machine itself is one of the hosts."""

from __future__ import annotations

import itertools
import os
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_numbers = itertools.count(2)


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


class Host:
    """Another host: has nothing in common with this one but the file system and the wire."""

    def __init__(self, network: Network, name: str) -> None:
        self.name = f"{network.name}{name}"
        self.address = f"{network.prefix}.{next(_numbers) % 250 + 2}"
        self._wire = self.name
        ip("netns", "add", self.name)
        ip("link", "add", self._wire, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        ip("link", "set", self._wire, "master", network.name, "up")
        self._inside("addr", "add", f"{self.address}/24", "dev", "eth0")
        self._inside("link", "set", "eth0", "up")
        self._inside("link", "set", "lo", "up")

    @property
    def prefix(self) -> list[str]:
        """Put before a command that runs there."""
        return ["ip", "netns", "exec", self.name]

    def cut_off(self) -> None:
        """Everything is dropped from now on, without a word to either side."""
        ip("link", "set", self._wire, "nomaster")

    def heal(self, network: Network) -> None:
        ip("link", "set", self._wire, "master", network.name)

    def gone(self) -> None:
        ip("netns", "del", self.name)

    def _inside(self, *arguments: str) -> None:
        ip("-n", self.name, *arguments)


class Network:
    """A bridge with this machine at `address`."""

    def __init__(self) -> None:
        self.name = f"c{secrets.token_hex(3)}"
        self.prefix = f"10.{200 + secrets.randbelow(50)}.{secrets.randbelow(250)}"
        self.address = f"{self.prefix}.1"
        self.hosts: list[Host] = []

    def up(self) -> None:
        ip("link", "add", self.name, "type", "bridge")
        ip("addr", "add", f"{self.address}/24", "dev", self.name)
        ip("link", "set", self.name, "up")

    def host(self, name: str) -> Host:
        self.hosts.append(Host(self, name))
        return self.hosts[-1]

    def down(self) -> None:
        for host in self.hosts:
            host.gone()
        ip("link", "del", self.name)


@contextmanager
def network() -> Iterator[Network]:
    """Skips the test where this machine does not let it make namespaces."""
    if os.geteuid() != 0:
        pytest.skip("NOT TESTED: many hosts. Only root may make network namespaces.")
    made = Network()
    try:
        made.up()
    except (OSError, subprocess.CalledProcessError) as error:
        why = getattr(error, "stderr", b"") or str(error).encode()
        pytest.skip(f"NOT TESTED: many hosts. No bridge can be made here: {why.decode().strip()}")
    try:
        yield made
    finally:
        made.down()
